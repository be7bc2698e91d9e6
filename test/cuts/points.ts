/** Where a job can be cut: every effect that the outside sees, by the step it belongs to and how often it has come there. */
import type { Cut, Effect } from '../runner/effects.ts';

export type Part = 'register' | 'arm' | 'work' | 'post';
export type Kind = Cut;
export const KINDS: readonly Kind[] = ['cancel', 'kill-step', 'shutdown', 'crash-worker', 'lose-runner'];

export type Place = {
  readonly part: Part;
  /** `file state`, `runpod GET /v2/pods/x`, `ssh login`, `process end`, … */
  readonly what: string;
  /** The first, second, … of this kind in this part: parallel questions may change places with others, not with their like. */
  readonly nth: number;
  readonly when: 'before' | 'after';
};

/** `reaper`: the runner is gone for good and the reaper comes. `deadline`: nobody comes, and the switch on the pod is all there is. */
export type Point = {
  readonly number: number;
  readonly place: Place;
  readonly cut: Kind;
  readonly rescue: 'reaper' | 'deadline';
};

const MOST_CHARACTERS = 40;

export function nameOf({ part, what, nth, when }: Place): string {
  return `${part}: ${when} ${what} #${nth}`;
}

function partOf({ step, stage }: Effect): Part {
  if (stage === 'post') return 'post';
  return step.includes('arm') ? 'arm' : step.includes('register') ? 'register' : 'work';
}

function wordsOf({ kind, what }: Effect): string {
  if (kind === 'file') return `file ${what}`;
  if (kind === 'process-start' || kind === 'process-end') return kind.replace('-', ' ');
  return what.replace(/\s+/g, ' ').slice(0, MOST_CHARACTERS);
}

/** Names the effects of one run as they come. */
export function placing(): (effect: Effect) => Place {
  let part: Part = 'register';
  const counts = new Map<string, number>();
  return (effect) => {
    // What the world reports belongs to whoever runs at that moment.
    if (effect.kind === 'process-start') part = partOf(effect);
    const { when } = effect;
    const place = { part, what: wordsOf(effect), when, nth: 1 };
    const key = nameOf(place);
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    return { ...place, nth };
  };
}

/** After the process has ended there is nothing to kill, and what only the work does is not ours. */
function isPoint({ part, what }: Place, cut: Kind): boolean {
  const ended = what === 'process end';
  if (part === 'work' && !what.startsWith('process')) return false;
  return !(ended && cut === 'kill-step');
}

/** Between two writes of runner files that follow each other nobody outside sees a difference: one cut there is enough. */
function isSameMoment(place: Place, next: Place | undefined): boolean {
  if (next === undefined || place.when !== 'after' || next.when !== 'before') return false;
  return place.what.startsWith('file') && next.what.startsWith('file');
}

/** Once the switch is armed it must do without anybody: of every third loss it is asked to. */
function rescueOf({ part }: Place, cut: Kind, losses: number): Point['rescue'] {
  const armed = part === 'work' || part === 'post';
  return armed && cut === 'lose-runner' && losses % 3 === 0 ? 'deadline' : 'reaper';
}

/** Every place with every cut, numbered in the order of the run. */
export function pointsOf(places: readonly Place[]): readonly Point[] {
  const points: Point[] = [];
  let losses = 0;
  const told = places.filter((place, at) => !isSameMoment(place, places[at + 1]));
  for (const place of told)
    for (const cut of KINDS.filter((each) => isPoint(place, each))) {
      if (cut === 'lose-runner') losses += 1;
      points.push({ number: points.length + 1, place, cut, rescue: rescueOf(place, cut, losses) });
    }
  return points;
}

/** About so many, spread over the whole run, each kind in its turn. */
export function sampleOf(points: readonly Point[], count: number): readonly Point[] {
  const step = points.length / Math.min(count, points.length);
  const chosen = new Set<Point>();
  for (let at = 0; at * step < points.length; at += 1) {
    const kind = KINDS[at % KINDS.length];
    const next = points.find(({ cut }, index) => index >= Math.floor((at + 0.5) * step) && cut === kind);
    if (next !== undefined) chosen.add(next);
  }
  return [...chosen];
}
