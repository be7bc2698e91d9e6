/** What the RunPod provider is given, checked once, and the numbers it works with. */
import type { Dispatcher } from 'undici';
import { ConfigError } from '../../domain/errors.ts';
import type { Clock } from '../../ports.ts';
import { type Redact, redactor } from '../redact.ts';
import { isLoopbackHost } from './address.ts';
import { systemDispatcher } from './dispatcher.ts';

const RUNPOD_BASE_URL = 'https://api.runpod.io';

export type RunpodOptions = {
  readonly apiKey: string;
  /** Host without `/v2` (RUNPOD_API_BASE_URL); RunPod's own where not given. */
  readonly restBaseUrl?: string | undefined;
  /** Full URL (RUNPOD_GRAPHQL_URL); `<base>/graphql` where not given. */
  readonly graphqlUrl?: string | undefined;
  readonly userAgent: string;
  readonly clock: Clock;
  /** Uniform in [0, 1): spreads the retries of many jobs. */
  readonly random?: (() => number) | undefined;
  /** Replaces the way out, e.g. in tests; proxies and address limits are then its owner's matter. */
  readonly dispatcher?: Dispatcher | undefined;
  readonly limits?: Partial<Limits> | undefined;
};

/** Durations in ms, sizes in bytes. */
export type Limits = {
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
  /** A wait that the provider asks for is honoured up to this long; longer ones are an error that names them. */
  readonly longestAskedWaitMs: number;
  /** One try, from connecting to the last byte. */
  readonly deadlineMs: number;
  /** All tries of one call together: no new try begins after it. */
  readonly budgetMs: number;
  readonly connectMs: number;
  /** Node grants each address 250 ms, which far or half-broken links do not meet. */
  readonly perAddressMs: number;
  readonly largestBody: number;
  readonly mostPages: number;
  /** A log stream never ends by itself: it is left after this much silence, or this long in all. */
  readonly logQuietMs: number;
  readonly logTotalMs: number;
  readonly largestLog: number;
};

const LIMITS: Limits = {
  attempts: 4,
  firstDelayMs: 1000,
  longestDelayMs: 30_000,
  longestAskedWaitMs: 60_000,
  deadlineMs: 30_000,
  budgetMs: 120_000,
  connectMs: 15_000,
  perAddressMs: 5000,
  largestBody: 32 * 1024 * 1024,
  mostPages: 100,
  logQuietMs: 1500,
  logTotalMs: 10_000,
  largestLog: 1024 * 1024,
};

/** A checked way to one account. */
export type Line = {
  readonly apiKey: string;
  readonly rest: URL;
  readonly graphql: URL;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly dispatcher: Dispatcher;
  readonly limits: Limits;
  readonly redact: Redact;
  /** True for the embedded world alone, whose pods live on 127.0.0.1 (see address.ts). */
  readonly loopback: boolean;
};

function refuse(input: string, cameBack: string, next: string): ConfigError {
  return new ConfigError(input, {
    tried: 'Preparing the connection to RunPod',
    cameBack,
    state: 'Nothing was asked and nothing was changed',
    next,
  });
}

/** Never repeats what it was given: an address may hold a secret. */
function checkedUrl(input: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    throw refuse(input, 'the value is no http(s) address', `Give ${input} as https://host`);
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refuse(
      input,
      'the address holds a login, a query or a fragment',
      'Give the key as api-key instead',
    );
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    throw refuse(input, 'the address is not https, so the key would travel in clear', 'Use https');
  }
  return url;
}

function checkedKey(apiKey: string): string {
  const key = apiKey.trim();
  if (!/^[\x21-\x7e]{6,512}$/.test(key)) {
    const what = key === '' ? 'no key was given' : 'the key holds spaces, line breaks or odd characters';
    throw refuse('api-key', what, 'Set RUNPOD_API_KEY (or the input api-key) to the key as RunPod shows it');
  }
  return key;
}

function baseOf(url: URL): URL {
  const path = url.pathname.replace(/\/+$/, '').replace(/\/v2$/, '');
  return new URL(`${url.origin}${path}/`);
}

/** Throws ConfigError for an unusable key or address. */
export function openLine(options: RunpodOptions): Line {
  const apiKey = checkedKey(options.apiKey);
  const rest = baseOf(checkedUrl('RUNPOD_API_BASE_URL', options.restBaseUrl ?? RUNPOD_BASE_URL));
  const graphql = checkedUrl('RUNPOD_GRAPHQL_URL', options.graphqlUrl ?? new URL('graphql', rest).href);
  const limits = { ...LIMITS, ...options.limits };
  const loopback = isLoopbackHost(rest.hostname);
  return {
    apiKey,
    rest,
    graphql,
    userAgent: options.userAgent,
    clock: options.clock,
    random: options.random ?? Math.random,
    dispatcher: options.dispatcher ?? systemDispatcher(limits, loopback),
    limits,
    redact: redactor([apiKey]),
    loopback,
  };
}
