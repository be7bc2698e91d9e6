/** Commits of the registry branch, newest first, page by page. */
import type { z } from 'zod';
import { query } from './ask.ts';
import { type CommitSeen, HISTORY, historyShape } from './queries.ts';
import type { Session } from './session.ts';

/** GitHub's most per page. */
const PAGE = 100;

/** Stops asking when nobody takes more. `path`: only commits that touched it. */
export async function* commitsBelow(
  session: Session,
  from: { readonly tip: string; readonly path: string | null },
): AsyncGenerator<CommitSeen> {
  for (let after: string | null = null; ; ) {
    const variables: Readonly<Record<string, unknown>> = {
      tip: from.tip,
      path: from.path,
      first: PAGE,
      after,
    };
    const { repository }: z.infer<typeof historyShape> = await query(
      session,
      HISTORY,
      variables,
      historyShape,
    );
    const { nodes, pageInfo } = repository.object.history;
    yield* nodes;
    if (!pageInfo.hasNextPage || pageInfo.endCursor === null) return;
    after = pageInfo.endCursor;
  }
}
