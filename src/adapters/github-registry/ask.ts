/** Reads that may be repeated freely: waits where GitHub asks for it, gives up what can never work. */
import { z } from 'zod';
import { backoffMs } from '../../domain/registry/backoff.ts';
import type { Answer } from '../github-api.ts';
import { judge, type Outcome } from './outcome.ts';
import { named, type Session } from './session.ts';
import { unreadable } from './trouble.ts';

const TRIES = 4;
const PATIENCE_MS = 120_000;

/** The outcome of `call` once it is none that another try may change. */
export async function settled(session: Session, call: () => Promise<Answer>): Promise<Outcome> {
  const startedAt = session.clock.now();
  for (let tries = 1; ; tries += 1) {
    const outcome = judge(await call(), session.clock.now());
    const limited = outcome.kind === 'limited';
    if (!limited && !['ambiguous', 'locked', 'lost-race'].includes(outcome.kind)) return outcome;
    const waitMs = (limited ? outcome.waitMs : 0) + backoffMs(tries, session.random(), session.hurry);
    const overdue = session.clock.now() + waitMs - startedAt > PATIENCE_MS;
    if (tries >= TRIES || overdue) return outcome;
    await session.clock.sleep(waitMs);
  }
}

const answered = z.object({ data: z.unknown() });

/** The answer to a query, of the shape that was asked for. Throws WorldError `registry-unreadable`. */
export async function query<S extends z.ZodType>(
  session: Session,
  text: string,
  variables: Readonly<Record<string, unknown>>,
  shape: S,
): Promise<z.output<S>> {
  const outcome = await settled(session, () =>
    session.api.graphql(text, { ...named(session), ...variables }),
  );
  if (outcome.kind !== 'done') throw unreadable(session.place, outcome);
  const read = shape.safeParse(answered.safeParse(outcome.body).data?.data);
  if (read.success) return read.data;
  throw unreadable(session.place, {
    kind: 'ambiguous',
    why: 'the answer is not of the shape that was asked for',
  });
}

const blobAnswer = z.object({ content: z.string(), encoding: z.literal('base64') });

/** A file by its oid, however large. Throws WorldError `registry-unreadable`. */
export async function blobText(session: Session, oid: string): Promise<string> {
  const outcome = await settled(session, () =>
    session.api.rest('GET', `/repos/${session.name}/git/blobs/${oid}`),
  );
  if (outcome.kind !== 'done') throw unreadable(session.place, outcome);
  const read = blobAnswer.safeParse(outcome.body);
  if (read.success) return Buffer.from(read.data.content, 'base64').toString('utf8');
  throw unreadable(session.place, { kind: 'ambiguous', why: 'a file was not answered in base64' });
}
