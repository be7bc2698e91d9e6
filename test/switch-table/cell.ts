/** One cell of the switch table: arms a pod as the arm flow does, lets its deadline pass into a fault, and says what came of it. */
import { component } from '../components.ts';
import type { Certificates } from '../on-pod/certificates.ts';
import { KEY, type SHELLS, until } from '../on-pod/pod-stand.ts';
import { ProviderStand } from '../on-pod/provider-stand.ts';
import { Box } from './box.ts';
import { type Fault, LASTS, POD, tableOf } from './faults.ts';
import type { Image } from './images.ts';

export type Shell = (typeof SHELLS)[number];
export type Seat = { readonly shell: Shell; readonly image: Image; readonly fault: Fault };

export type Outcome =
  /** Seconds after the deadline by the pod's own clock, and the try that proved the end. */
  | { readonly kind: 'fired'; readonly lateS: number; readonly tries: number }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'not-run'; readonly reason: string }
  | { readonly kind: 'failed'; readonly what: string };

/** Seconds from the install to the deadline: an install takes a few where the machine is busy. */
const STOP_IN_S = 8;
/** What is done to the pod between the install and the deadline takes its time as well. */
const LATER_STOP_IN_S = 16;
/** A multicast address: the kernel itself says that there is no way to it. */
const NO_ROUTE = '224.0.0.1';
const QUESTIONS = ['read_rest', 'end_rest', 'read_graphql', 'end_graphql'] as const;

export async function runCell(seat: Seat, certificates: Certificates | null): Promise<Outcome> {
  const shell = component(seat.shell);
  if (shell === null) return notRun(`${seat.shell} is not on this machine`);
  const { tls, tools } = seat.image;
  if (tls !== undefined && certificates === null) return notRun('openssl is not on this machine');
  if ('busybox' in tools && component('busybox') === null) return notRun('busybox is not on this machine');
  let due = false;
  const table = tableOf(seat.fault, () => due);
  const provider = new ProviderStand(table, tls === undefined ? null : (certificates?.[tls] ?? null));
  const box = new Box(seat.image, shell, certificates?.authority ?? '');
  const meetFault = (): void => {
    due = true;
    const { leads } = seat.fault;
    if (leads !== undefined) box.leads(leads === 'nowhere' ? null : NO_ROUTE);
  };
  try {
    const url = (await provider.listen()).replace('127.0.0.1', 'api.podtrack.test');
    await box.open();
    const refused = (await check(box, url)) ?? (await plant(box, url, seat, meetFault));
    if (refused !== null) return { kind: 'refused', reason: refused };
    return await fire(box, seat);
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  } finally {
    await box.close();
    await provider.close();
  }
}

const notRun = (reason: string): Outcome => ({ kind: 'not-run', reason });
const failed = (what: string): Outcome => ({ kind: 'failed', what });

const address = (url: string): string[] => [
  `pod_id=${POD}`,
  `rest=${url}`,
  `graphql=${url}/graphql`,
  'key_source=explicit',
];

/** What the key may do, asked without harm: null = it may end the pod, otherwise why it is not armed. */
async function check(box: Box, url: string): Promise<string | null> {
  const { said } = await box.run('switch', ['check', ...address(url)], `${KEY}\n`);
  const refused = said.get('refused');
  if (refused !== undefined) return refused;
  if (said.get('end_rest') === 'absent' || said.get('end_graphql') === 'not-found') {
    box.authorities = said.get('ca') ?? 'default';
    return null;
  }
  return QUESTIONS.map((name) => `${name}=${said.get(name)}`).join(' ');
}

/** The install, then a status by another login: null = armed, otherwise why not. Nothing is asked of the API here. */
async function plant(box: Box, url: string, { image }: Seat, meetFault: () => void): Promise<string | null> {
  meetFault();
  const stopIn = image.later === undefined ? STOP_IN_S : LATER_STOP_IN_S;
  const limits = [`stop_in=${stopIn}`, `owner_in=${stopIn}`, 'absolute_in=600', 'extensions_left=0'];
  const rules = ['pet_window=0', 'pull_margin=1', 'pet_min=60', 'hb_grace=60', 'tick=1'];
  const pauses = ['backoff_first=1', 'backoff_last=2'];
  const whose = ['registry_id=00112233', 'owner_uuid=owner-1', `ca=${box.authorities}`];
  const words = [...address(url), ...limits, ...rules, ...pauses, ...whose];
  const planted = await box.run('install', words, `${KEY}\n`);
  const refused = planted.said.get('refused');
  if (refused !== undefined) return refused;
  const seen = await box.run('switch', ['status'], '');
  // Once its deadline has passed it is not armed any more, but it was.
  if (seen.said.get('armed') === 'yes' || seen.said.get('fired') === 'yes') return null;
  throw new Error(`neither armed nor refused: ${seen.said.get('reason')} ${planted.stderr} ${seen.stderr}`);
}

async function fire(box: Box, { image, fault }: Seat): Promise<Outcome> {
  if (image.later !== undefined) {
    await box.asRoot(image.later);
    if (box.held('fired') !== '') return failed('the deadline came before all was as the image says');
  }
  const tries = (): number => Number(box.held('tries').split(' ')[0] ?? 0);
  if (fault.leads !== undefined) await waitFor(box, `${LASTS} tries`, () => tries() >= LASTS);
  box.leads('127.0.0.1');
  await waitFor(box, 'the proof', () => box.held('record').includes('gone: proven'));
  await until('the key destroyed', () => box.held('credential') === '' && box.held('wgetrc') === '');
  const stop = Number(box.held('deadline').split(' ')[0]);
  const firedAt = Number(box.held('fired').split(' ')[0]);
  const took = tries();
  const least = fault.provenBy ?? (fault.name === 'none' ? 1 : LASTS + 1);
  if (took < least) return failed(`proven by try ${took}, which the fault should not have allowed`);
  if (!(firedAt >= stop)) return failed(`fired at ${firedAt}, before its deadline ${stop}`);
  return { kind: 'fired', lateS: firedAt - stop, tries: took };
}

async function waitFor(box: Box, what: string, test: () => boolean): Promise<void> {
  try {
    // Twice as long as one wait: a deadline, and then pauses between tries.
    await until(what, test).catch(() => until(what, test));
  } catch {
    throw new Error(
      `${what} never came; the record: ${box.held('record').trim().split('\n').slice(-4).join(' | ')}`,
    );
  }
}
