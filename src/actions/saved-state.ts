/** What register's main leaves for its post: written before the record, read back with a schema, secrets sealed. */
import { z } from 'zod';
import { choice } from '../domain/choice.ts';
import { ENDINGS } from '../domain/job-end.ts';
import { owner } from '../domain/owner.ts';
import { type PodRecord, podId } from '../domain/pod.ts';
import { actor } from '../domain/registry/ops.ts';
import { frozenRules } from '../domain/rules.ts';
import type { KnownPod } from '../flows/ending/end-unfenced.ts';
import type { Asked } from '../flows/entry/register-checks.ts';
import type { Credentials } from './credentials.ts';
import { savedState, saveState } from './io.ts';
import { packKnown, unpackKnown } from './known-pods.ts';
import type { PostWish, RegisterWish } from './register-wish.ts';
import { type RegistryPlace, registryPlace } from './registry-place.ts';
import { seal, unseal } from './wire.ts';

/** `asked`: the record may or may not stand. `refused`: nothing is ours to end. */
const phase = z.enum(['asked', 'registered', 'refused']);
export type Phase = z.infer<typeof phase>;

const ending = z.enum(ENDINGS);
const amount = z.number().min(0).nullable();
const text = z.string().nullable();

const asked = z.object({
  acting: z.object({ actor, holder: z.string() }),
  owner,
  remotePath: text,
  noArtifacts: z.boolean(),
  allowEmpty: z.boolean(),
  choice: choice.nullable(),
  killInMs: z.number(),
  killInGiven: z.boolean(),
  killAbsoluteMs: amount,
  rules: frozenRules,
  gpu: text,
  costPerHourMicroUsd: amount,
  volumeId: text,
  expectedAddress: z.object({ host: text, port: amount }),
  adopt: z.boolean(),
  freshReaperMs: amount,
  runStartedAt: amount,
  ownNonce: text,
}) satisfies z.ZodType<Asked>;

const postWish = z.object({
  ending: z.object({ onSuccess: ending, onFailure: ending, onCancel: ending }),
  keepForMs: z.number().min(0),
  budgetMs: z.number().min(0),
  localPath: text,
  keepIn: z.enum(['artifact', 'disk']),
}) satisfies z.ZodType<PostWish>;

const podIds = z.array(podId).min(1);

export type Saved = {
  readonly phase: Phase;
  readonly place: RegistryPlace;
  readonly asked: Asked;
  readonly podIds: readonly string[];
  readonly post: PostWish;
  /** By pod id; empty = main was cut before their records stood. */
  readonly known: ReadonlyMap<string, KnownPod>;
  /** null = the sealed file cannot be opened. */
  readonly credentials: Credentials | null;
  readonly secretsFile: string;
};

export function saveAsked(
  wish: RegisterWish,
  place: RegistryPlace,
  from: { readonly credentials: Credentials; readonly folder: string; hide(secret: string): void },
): void {
  const sealed = seal(from.folder, { ...present(from.credentials) });
  from.hide(sealed.key);
  saveState('door', 'register');
  savePodIds(wish.podIds);
  saveState('uuid', wish.asked.owner.uuid);
  saveState('registry', JSON.stringify(place));
  saveState('register', JSON.stringify(wish.asked));
  saveState('ending', JSON.stringify(wish.post));
  saveState('secrets-file', sealed.file);
  saveState('secrets-key', sealed.key);
  savePhase('asked');
}

/** The records stand: what they hold is kept for an end while the registry does not answer. */
export function saveRegistered(registryId: string, records: readonly PodRecord[]): void {
  savePodIds(records.map(({ id }) => id));
  saveState('known', packKnown({ registryId, records }));
  savePhase('registered');
}

function savePodIds(ids: readonly string[]): void {
  saveState('pod-ids', ids.join(' '));
}

export function savePhase(next: Phase): void {
  saveState('phase', next);
}

/** null = main left nothing, so nothing was begun. Throws when what it left cannot be read. */
export function readSaved(): Saved | null {
  if (savedState('door') === '' && savedState('phase') === '') return null;
  const sealed = { file: savedState('secrets-file'), key: savedState('secrets-key') };
  const parse = <T>(schema: z.ZodType<T>, key: 'registry' | 'register' | 'ending'): T =>
    schema.parse(JSON.parse(savedState(key)));
  return {
    phase: phase.catch('asked').parse(savedState('phase')),
    place: parse(registryPlace, 'registry'),
    asked: parse<Asked>(asked, 'register'),
    podIds: podIds.parse(savedState('pod-ids').split(' ')),
    post: parse<PostWish>(postWish, 'ending'),
    known: unpackKnown(savedState('known')),
    credentials: credentialsOf(unseal(sealed)),
    secretsFile: sealed.file,
  };
}

/** For the message when the rest of the state cannot be read. */
export function savedPodIds(): string {
  return savedState('pod-ids');
}

function present(credentials: Credentials): Record<string, string> {
  return Object.fromEntries(
    Object.entries(credentials).filter((entry): entry is [string, string] => entry[1] !== null),
  );
}

function credentialsOf(secrets: Readonly<Record<string, string>> | null): Credentials | null {
  const apiKey = secrets?.['apiKey'];
  if (secrets === null || apiKey === undefined) return null;
  return {
    apiKey,
    sshKey: secrets['sshKey'] ?? null,
    registryToken: secrets['registryToken'] ?? null,
    githubToken: secrets['githubToken'] ?? null,
  };
}
