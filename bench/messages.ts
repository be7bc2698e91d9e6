/** What the processes of the bench say to each other. */
import type { Fleet } from '../test/fakes/fleet.ts';

/** Delays of one world, ms. */
export type Distance = {
  readonly apiMs: number;
  readonly sshRoundTripMs: number;
  /** From one GPU sample of a visit to the next. */
  readonly sampleSpacingMs: number;
};

export const NO_DISTANCE: Distance = { apiMs: 0, sshRoundTripMs: 0, sampleSpacingMs: 0 };

export type WorldStart = { readonly fleet: Fleet; readonly publicLine: string };

/** Where a world answers. */
export type WorldPlace = { readonly restUrl: string; readonly graphqlUrl: string; readonly apiKey: string };

export type WorldAsk =
  | { readonly ask: 'distance'; readonly distance: Distance }
  | { readonly ask: 'counts' }
  | { readonly ask: 'stop' };

/** Since the world began: TCP connections taken at the pods' SSH ports, and API requests. */
export type WorldCounts = { readonly connections: number; readonly requests: number };

export type ReaperStart = {
  readonly task: 'enter' | 'cycle';
  readonly world: WorldPlace;
  readonly privateKey: string;
  /** Registry, scratch and mirrors lie in it. */
  readonly folder: string;
  /** The reaper's clock reads so long before now. */
  readonly shiftMs: number;
};

export type Cost = {
  readonly wallMs: number;
  /** Of the whole process so far, user and system. */
  readonly cpuMs: number;
  readonly peakRssBytes: number;
};

export type CycleResult = Cost & {
  /** Orders that ended as ordered, by kind. */
  readonly done: Readonly<Record<string, number>>;
  /** One line per order that did not. */
  readonly notDone: readonly string[];
};

export type PeerStart = { readonly world: WorldPlace; readonly privateKey: string };

export type RelayStart = { readonly port: number; readonly roundTripMs: number };

export type MirrorStart = {
  readonly port: number;
  readonly username: string;
  readonly privateKey: string;
  readonly remotePath: string;
  readonly localPath: string;
};

export type MirrorResult = {
  readonly wallMs: number;
  /** Of it, until the pod let us in. */
  readonly loginMs: number;
  readonly cpuMs: number;
  /** What one list with digests takes by itself. */
  readonly listMs: number;
  readonly files: number;
  readonly bytes: number;
};

/** What bounds any mirror of ours, by itself. */
export type MirrorLimits = {
  /** The same stream of ssh2, read and thrown away. */
  readonly streamBytesPerS: number;
  /** Writing that many small files here, without anything coming over a wire. */
  readonly writeSmallMs: number;
};
export type MirrorLimitsStart = MirrorStart & { readonly smallFiles: number };

export type DoorsStart = {
  readonly pods: readonly string[];
  /** Before each answer of each server. */
  readonly delayMs: number;
  readonly apiKey: string;
  readonly token: string;
  readonly repository: { readonly name: string; readonly id: number };
};

/** What the runner's environment says of the servers. */
export type DoorsPlace = { readonly sshKey: string; readonly env: Readonly<Record<string, string>> };

export type DoorsAsk = { readonly ask: 'calls' | 'stop' };

/** By server, since they were last asked for. */
export type DoorsCalls = Readonly<Record<string, number>>;
