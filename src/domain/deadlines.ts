/** The deadlines of a pod: who sets them, what moves them, and when the switch fires. */
import { z } from 'zod';
import { formatDuration } from './duration.ts';
import { Refusal } from './errors.ts';
import { instant } from './instant.ts';

export const deadlines = z
  .object({
    /** Only for pods we create. */
    bootDeadlineAt: instant.nullable(),
    /** Owner deadline as last set by a person; automatic extensions are counted from here. */
    ownerSetAt: instant,
    /** Automatic extensions granted since then. */
    extensions: z.number().int().min(0),
    maxExtensions: z.number().int().min(0),
    petMinMs: z.number().int().min(1000),
    pullMarginMs: z.number().int().min(0),
    absoluteDeadlineAt: instant,
    /** Given by a person: nothing moves it. Defaulted: recomputed by the explicit acts. */
    absoluteGiven: z.boolean(),
    keepUntilAt: instant.nullable(),
  })
  .refine((of) => of.extensions <= of.maxExtensions, { message: 'more extensions than allowed' })
  .refine((of) => of.absoluteDeadlineAt >= of.ownerSetAt, { message: 'absolute before owner deadline' })
  .refine((of) => of.keepUntilAt === null || of.keepUntilAt <= of.absoluteDeadlineAt, {
    message: 'keep beyond the absolute deadline',
  });

export type Deadlines = z.infer<typeof deadlines>;

/** What a person gave when the deadlines were set. */
export type DeadlineWish = {
  readonly now: number;
  readonly killInMs: number;
  /** null = owner + max-extensions × pet-min. */
  readonly killAbsoluteMs: number | null;
  readonly maxExtensions: number;
  readonly petMinMs: number;
  readonly pullMarginMs: number;
  readonly bootDeadlineAt?: number | null;
};

/** First deadlines of a pod. Refuses an owner deadline past a given absolute one. */
export function setDeadlines(wish: DeadlineWish): Deadlines {
  const ownerSetAt = wish.now + wish.killInMs;
  const given = wish.killAbsoluteMs !== null;
  const absoluteDeadlineAt =
    wish.killAbsoluteMs === null
      ? ownerSetAt + wish.maxExtensions * wish.petMinMs
      : wish.now + wish.killAbsoluteMs;
  if (ownerSetAt > absoluteDeadlineAt)
    throw beyondAbsolute('kill-in', ownerSetAt, absoluteDeadlineAt, wish.now);
  return {
    bootDeadlineAt: wish.bootDeadlineAt ?? null,
    ownerSetAt,
    extensions: 0,
    maxExtensions: wish.maxExtensions,
    petMinMs: wish.petMinMs,
    pullMarginMs: wish.pullMarginMs,
    absoluteDeadlineAt,
    absoluteGiven: given,
    keepUntilAt: null,
  };
}

/** The owner deadline in force: as last set by a person + granted extensions × pet-min, ≤ absolute. */
export function ownerDeadlineAt(of: Deadlines): number {
  return Math.min(of.ownerSetAt + of.extensions * of.petMinMs, of.absoluteDeadlineAt);
}

/** When the on-pod switch fires by itself: min(owner + pull-margin, absolute); a keep moves it. */
export function stopAt(of: Deadlines): number {
  const byOwner = ownerDeadlineAt(of) + of.pullMarginMs;
  const soft = of.keepUntilAt === null ? byOwner : Math.max(of.keepUntilAt, 0);
  return Math.min(soft, of.absoluteDeadlineAt);
}

/** An explicit act of the owner: extend, claim or a reclaim with kill-in. Resets the automatic count. */
export function setOwnerDeadline(of: Deadlines, nextAt: number, now: number): Deadlines {
  const absoluteDeadlineAt = of.absoluteGiven
    ? of.absoluteDeadlineAt
    : nextAt + of.maxExtensions * of.petMinMs;
  if (nextAt > absoluteDeadlineAt)
    throw beyondAbsolute('the new owner deadline', nextAt, absoluteDeadlineAt, now);
  const keepUntilAt = of.keepUntilAt === null ? null : Math.min(of.keepUntilAt, absoluteDeadlineAt);
  return { ...of, ownerSetAt: nextAt, extensions: 0, absoluteDeadlineAt, keepUntilAt };
}

/** The single automatic extension; null when none is left or it would not move anything. */
export function grantExtension(of: Deadlines): Deadlines | null {
  if (of.extensions >= of.maxExtensions) return null;
  const next = { ...of, extensions: of.extensions + 1 };
  return ownerDeadlineAt(next) > ownerDeadlineAt(of) ? next : null;
}

/** A bounded keep: cut to the absolute deadline, never past it. */
export function setKeep(of: Deadlines, untilAt: number): { deadlines: Deadlines; cut: boolean } {
  const keepUntilAt = Math.min(untilAt, of.absoluteDeadlineAt);
  return { deadlines: { ...of, keepUntilAt }, cut: keepUntilAt < untilAt };
}

/** Seconds left for the pod's monotonic clock; never negative, never fractional. */
export function secondsLeft(at: number, now: number): number {
  return Math.max(0, Math.floor((at - now) / 1000));
}

function beyondAbsolute(what: string, wantedAt: number, absoluteAt: number, now: number): Refusal {
  return new Refusal('absolute-deadline', {
    tried: `Setting ${what}`,
    cameBack: `it lies ${formatDuration(wantedAt - absoluteAt)} past the absolute deadline, which was given and does not move`,
    state: 'The deadlines are as they were',
    next: `At most ${formatDuration(absoluteAt - now)} are left; give no more than that`,
  });
}
