/** whoami: label and uuid, account and money, registry, and the stamp and name for a pod of one's own making. */
import { formatUsd } from '../../domain/budget.ts';
import { parseDuration } from '../../domain/duration.ts';
import { ownerName } from '../../domain/owner.ts';
import { type Part, unseen } from '../../domain/part.ts';
import { PROFILES } from '../../domain/rules.ts';
import { STAMP_VARIABLE } from '../../domain/stamp.ts';
import { type Stamped, stampFor } from '../../flows/stamp-for.ts';
import { type Answer, type Call, ONLY_LOOKED, type Verb } from '../call.ts';
import { examples, ownerFlags, registryFlags } from '../flags.ts';
import { findApiKey } from '../settings/credentials.ts';
import { type Identity, identityOf } from '../settings/identity.ts';
import { wire } from '../wire.ts';

async function act(call: Call): Promise<Answer> {
  const world = await wire(call, { apiKey: 'welcome', sshKey: 'none' });
  const me = identityOf(call);
  if (call.given.has('init')) await world.registry.probeWrite();
  const snapshot = await world.registry.read();
  const hasKey = findApiKey(call) !== null;
  const account = hasKey
    ? await world.provider.account().catch(noAccount)
    : unseen('no RunPod key was given');
  const registryId = snapshot.version === null ? null : snapshot.state.meta.registryId;
  const stamped = registryId === null ? null : stampOf(call, me, registryId);
  const { owner } = me;
  return {
    exitCode: 0,
    value: {
      label: owner.label,
      labelOrigin: me.labelOrigin,
      uuid: owner.uuid,
      uuidOrigin: me.uuidOrigin,
      key: owner.key,
      account: account.kind === 'seen' ? account.value : null,
      accountUnseen: account.kind === 'unseen' ? account.reason : null,
      registry: { place: world.registry.place, version: snapshot.version, registryId },
      stamp: stamped?.stamp ?? null,
      podName: stamped?.podName ?? null,
    },
    lines: (page) => [
      `${page.paint('strong', ownerName(owner))} (${me.labelOrigin})`,
      `  uuid      ${owner.uuid} (${me.uuidOrigin})`,
      `  account   ${saysAccount(account)}`,
      `  registry  ${world.registry.place}${registryId === null ? ' (not there yet)' : ` (${registryId})`}`,
      ...(owner.label === null
        ? ['  Without a label nobody but this very process can reclaim a pod: set PODTRACK_LABEL.']
        : []),
      ...(stamped === null
        ? ['  For a stamp there must be a registry: podtrack whoami --init makes it.']
        : [
            '  For a pod of your own making:',
            `  name      ${stamped.podName}`,
            `  env       ${STAMP_VARIABLE}=${stamped.stamp}`,
          ]),
    ],
  };
}

const noAccount = (): Part<never> => unseen('the account could not be asked');

function saysAccount(
  account: Part<{ id: string; balanceMicroUsd: number; spendPerHourMicroUsd: number }>,
): string {
  if (account.kind === 'unseen') return `unknown: ${account.reason}`;
  const { id, balanceMicroUsd, spendPerHourMicroUsd } = account.value;
  return `${id}, balance ${formatUsd(balanceMicroUsd)}, spends ${formatUsd(spendPerHourMicroUsd)}/h`;
}

function stampOf(call: Call, { owner }: Identity, registryId: string): Stamped {
  const ttl = call.given.text('ttl');
  const ttlMs = ttl === undefined ? PROFILES.long.killInMs : parseDuration(ttl, '--ttl');
  return stampFor(call, { owner, registryId, ttlMs });
}

export const whoami: Verb = {
  concernsPod: false,
  whenCut: ONLY_LOOKED,
  define(command) {
    ownerFlags(command);
    registryFlags(command);
    command
      .option('--ttl <min>', 'after this a stray pod with the stamp may be ended (default 360)')
      .option('--init', 'make the registry if there is none yet');
    examples(command, 'podtrack whoami', 'PODTRACK_LABEL=my-job podtrack whoami --json | jq -r .stamp');
  },
  act,
};
