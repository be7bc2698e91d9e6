/** The mutations that recorded clients send. */
import { actOnPod, terminatePod } from '../../model/act-on-pod.ts';
import { createPod } from '../../model/create-pod.ts';
import { NO_CAPACITY, type Outcome, refused } from '../../model/outcome.ts';
import type { PodState } from '../../model/pod-state.ts';
import type { PodWish } from '../../model/pod-wish.ts';
import type { VolumeState } from '../../model/state.ts';
import { changeVolume, createVolume, deleteVolume } from '../../model/storage.ts';
import {
  BLANK_TEMPLATE,
  changeTemplate,
  createTemplate,
  deleteTemplateNamed,
  type TemplateWish,
} from '../../model/templates.ts';
import { podView } from './pod-view.ts';
import { templateView, userView } from './queries.ts';
import { type Context, graphqlRefusal, needPodRight, needWriter, podNotFound } from './refuse.ts';
import { cpuWish, gpuWishes, portsIn, type RentGpuInput, type RentInput } from './rent.ts';

interface OfPod {
  readonly input: { readonly podId: string };
}

interface SaveTemplateInput {
  readonly id?: string | null;
  readonly name: string;
  readonly imageName: string;
  readonly containerDiskInGb: number;
  readonly volumeInGb: number;
  readonly dockerArgs: string;
  readonly env: readonly { readonly key: string; readonly value: string }[];
  readonly ports?: string | null;
  readonly volumeMountPath?: string | null;
  readonly isPublic?: boolean | null;
  readonly isServerless?: boolean | null;
  readonly startSsh?: boolean | null;
  readonly startJupyter?: boolean | null;
}

function value<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw graphqlRefusal(outcome);
  return outcome.value;
}

function act(podId: string, action: 'start' | 'stop', context: Context) {
  const acted = actOnPod(context.world, podId, action);
  if (!acted.ok && acted.reason === 'not-found') throw podNotFound(`pod not found to ${action}`);
  return podView(context.world, value(acted), context.lookout);
}

/** The first candidate that can be had; the last refusal when none can. */
function rentFirst(wishes: readonly (PodWish | null)[], context: Context) {
  needWriter(context);
  let outcome: Outcome<PodState> = refused('no-capacity', NO_CAPACITY);
  for (const wish of wishes) {
    if (wish === null) continue;
    outcome = createPod(context.world, wish);
    if (outcome.ok || outcome.reason !== 'no-capacity') break;
  }
  return podView(context.world, value(outcome), context.lookout);
}

function volumeView({ id, name, sizeGb, dataCenterId }: VolumeState) {
  return { id, name, size: sizeGb, dataCenterId };
}

function templateWish(input: SaveTemplateInput): TemplateWish {
  const path = input.volumeMountPath ?? '/workspace';
  return {
    ...BLANK_TEMPLATE,
    name: input.name,
    image: input.imageName,
    args: input.dockerArgs,
    diskGb: input.containerDiskInGb,
    persistent: input.volumeInGb > 0 ? { sizeGb: input.volumeInGb, path } : null,
    ports: portsIn(input.ports),
    env: Object.fromEntries(input.env.map(({ key, value: text }) => [key, text])),
    public: input.isPublic ?? false,
    serverless: input.isServerless ?? false,
    startSsh: input.startSsh ?? true,
    startJupyter: input.startJupyter ?? true,
  };
}

export const mutations = {
  podStop({ input }: OfPod, context: Context) {
    needPodRight(context, input.podId, 'stop');
    return act(input.podId, 'stop', context);
  },

  podResume({ input }: OfPod, context: Context) {
    needPodRight(context, input.podId, 'other');
    return act(input.podId, 'start', context);
  },

  /** null is success. */
  podTerminate({ input }: OfPod, context: Context): null {
    needPodRight(context, input.podId, 'terminate');
    if (!terminatePod(context.world, input.podId).ok) throw podNotFound('pod not found to terminate');
    return null;
  },

  podFindAndDeployOnDemand({ input }: { input?: RentGpuInput | null }, context: Context) {
    return rentFirst(gpuWishes(input ?? {}), context);
  },

  deployCpuPod({ input }: { input?: (RentInput & { instanceId: string }) | null }, context: Context) {
    return rentFirst(input == null ? [] : [cpuWish(input)], context);
  },

  createNetworkVolume(
    { input }: { input: { name: string; size: number; dataCenterId: string } },
    context: Context,
  ) {
    needWriter(context);
    const { name, size, dataCenterId } = input;
    const wish = { name, sizeGb: size, dataCenterId, type: 'STANDARD', checked: false } as const;
    return volumeView(value(createVolume(context.world, wish)));
  },

  updateNetworkVolume(
    { input }: { input: { id: string; name?: string | null; size?: number | null } },
    context: Context,
  ) {
    needWriter(context);
    const change = { name: input.name ?? undefined, sizeGb: input.size ?? undefined };
    return volumeView(value(changeVolume(context.world, input.id, change)));
  },

  deleteNetworkVolume({ input }: { input: { id: string } }, context: Context): null {
    needWriter(context);
    const gone = deleteVolume(context.world, input.id);
    if (!gone.ok && gone.reason === 'not-found') {
      throw graphqlRefusal(refused('not-found', 'Tried to delete nonexistent network volume'));
    }
    return value(gone);
  },

  saveTemplate({ input }: { input: SaveTemplateInput }, context: Context) {
    needWriter(context);
    const wish = templateWish(input);
    const { id } = input;
    const saved = id == null ? createTemplate(context.world, wish) : changeTemplate(context.world, id, wish);
    return templateView(value(saved));
  },

  deleteTemplate({ templateName }: { templateName?: string | null }, context: Context): null {
    needWriter(context);
    return value(deleteTemplateNamed(context.world, templateName ?? ''));
  },

  updateUserSettings({ input }: { input?: { pubKey?: string | null } | null }, context: Context) {
    needWriter(context);
    const keys = (input?.pubKey ?? '').split('\n').filter((line) => line.trim() !== '');
    context.world.account.sshKeys = keys;
    return userView(context);
  },
};
