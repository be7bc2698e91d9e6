/** A world to begin with: an account with money and keys, a catalog, and nothing rented. */
import { startingCatalog } from './catalog.ts';
import { type Chance, nextHex } from './chance.ts';
import { purseOf } from './ledger.ts';
import { microPerHour } from './rates.ts';
import type { Settings, World } from './state.ts';
import { publicTemplates } from './templates.ts';

export const DEFAULT_SETTINGS: Settings = {
  pagination: false,
  pageCap: null,
  v1: false,
  podKey: 'terminate',
  podKeyOnRest: false,
  // Quotas vary by user; 60 a minute is only the documented example.
  rateLimit: { minute: 300, hour: 3000, day: 50_000 },
  timing: { provisionMs: 2000, startMs: 3000 },
};

export interface WorldStart {
  readonly now: number;
  readonly randomSeed?: number | undefined;
  readonly balanceUsd?: number | undefined;
  readonly spendLimitUsd?: number | undefined;
  readonly sshKeys?: readonly string[] | undefined;
  /** Full-access and read-only account keys; minted from the seed when left out. */
  readonly apiKey?: string | undefined;
  readonly readOnlyKey?: string | undefined;
  readonly settings?: Partial<Settings> | undefined;
  readonly hosted?: boolean | undefined;
}

function mintedKey(chance: Chance): string {
  return `rpa_${nextHex(chance, 40).toUpperCase()}`;
}

export function newWorld(start: WorldStart): World {
  const chance: Chance = { state: start.randomSeed ?? 1 };
  const { now } = start;
  const window = () => ({ startAt: now, used: 0 });
  const full = start.apiKey ?? mintedKey(chance);
  const readOnly = start.readOnlyKey ?? mintedKey(chance);
  return {
    now,
    chance,
    settings: { ...DEFAULT_SETTINGS, ...start.settings },
    account: {
      userId: `user_${nextHex(chance, 12)}`,
      email: 'dev@example.com',
      purse: purseOf(microPerHour(start.balanceUsd ?? 100)),
      spendLimitMicro: microPerHour(start.spendLimitUsd ?? 80),
      sshKeys: start.sshKeys ?? [],
    },
    keys: [
      { key: full, scope: 'full', podId: null, revoked: false },
      { key: readOnly, scope: 'read-only', podId: null, revoked: false },
    ],
    pods: new Map(),
    volumes: new Map(),
    templates: new Map(publicTemplates(now).map((template) => [template.id, template])),
    registries: new Map(),
    catalog: startingCatalog(),
    openMeters: [],
    closedMeters: [],
    windows: { minute: window(), hour: window(), day: window() },
    faults: [],
    changes: [],
    hosted: start.hosted ?? false,
  };
}
