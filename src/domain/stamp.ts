/** The stamp in a pod's env that proves which registry made it, and the names that we give. */
import { z } from 'zod';
import { STAMP_MINT_MS } from './rules.ts';

export const STAMP_VARIABLE = 'PODTRACK_STAMP';

export type Stamp = {
  readonly registryId: string;
  readonly repositoryId: string | null;
  readonly runId: string | null;
  readonly mintedAt: number;
  readonly ttlAt: number;
  readonly nonce: string;
};

export const registryId = z.string().regex(/^[0-9a-f]{32}$/);
const NONCE = /^[0-9a-f]{16}$/;
const NUMBER = /^\d{1,20}$/;

/** `1:<registryId>:<repositoryId|->:<runId|->:<mintedEpoch>:<ttlEpoch>:<nonce16>`, epochs in seconds. */
export function formatStamp(stamp: Stamp): string {
  const seconds = (at: number): string => String(Math.floor(at / 1000));
  return [
    '1',
    stamp.registryId,
    stamp.repositoryId ?? '-',
    stamp.runId ?? '-',
    seconds(stamp.mintedAt),
    seconds(stamp.ttlAt),
    stamp.nonce,
  ].join(':');
}

/** null = not a stamp of a version we know; such a pod is not ours. */
export function parseStamp(text: string): Stamp | null {
  const [version, registry, repository, run, minted, ttl, nonce, ...rest] = text.trim().split(':');
  if (version !== '1' || rest.length > 0 || !registryId.safeParse(registry).success) return null;
  if (!NONCE.test(nonce ?? '') || !NUMBER.test(minted ?? '') || !NUMBER.test(ttl ?? '')) return null;
  const idOrNull = (part: string | undefined): string | null | undefined =>
    part === '-' ? null : NUMBER.test(part ?? '') ? part : undefined;
  const repositoryId = idOrNull(repository);
  const runId = idOrNull(run);
  if (repositoryId === undefined || runId === undefined) return null;
  return {
    registryId: registry ?? '',
    repositoryId,
    runId,
    mintedAt: Number(minted) * 1000,
    ttlAt: Number(ttl) * 1000,
    nonce: nonce ?? '',
  };
}

/** A stamp is fresh for a pod when it was minted at most an hour before the pod was created. */
export function mintedFor(stamp: Stamp, createdAt: number): boolean {
  const age = createdAt - stamp.mintedAt;
  return age >= -STAMP_MINT_MS / 60 && age <= STAMP_MINT_MS;
}

/** `pt-<first 8 hex of sha256(identity)>-<nonce8>`; matched exactly, never by prefix. */
export function podName(identityHash: string, nonce: string): string {
  return `pt-${identityHash.slice(0, 8)}-${nonce.slice(0, 8)}`;
}
