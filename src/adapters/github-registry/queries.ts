/** The GraphQL documents, and the shapes of their answers. */
import { z } from 'zod';
import { QUEUE_PATH, QUEUE_PREFIXES } from '../../domain/registry/queue-entry.ts';

const TEXT = 'fragment Text on Blob { text isTruncated }';
const ENTRY = 'fragment Entry on TreeEntry { name mode type oid }';
const ROOT = '$owner: String!, $name: String!';

const WAITING = `fragment Waiting on RefConnection { nodes { name prefix target { oid ... on Commit {
  ops: file(path: "${QUEUE_PATH}") { ...Entry object { ...Text } }
} } } }`;
const [OWN_REFS, BRANCHES] = QUEUE_PREFIXES;
const OLDEST_FIRST = 'first: 100, orderBy: { field: ALPHABETICAL, direction: ASC }';

/**
 * Both branches in one consistent answer; the records' texts only where `$texts`. The queue stands first: what is
 * folded while the answer is made is seen twice and not missed.
 */
export const READ = `query Read(${ROOT}, $registry: String!, $state: String!, $texts: Boolean!) {
  repository(owner: $owner, name: $name) {
    id
    queue: refs(refPrefix: "${OWN_REFS}", ${OLDEST_FIRST}) { ...Waiting }
    spare: refs(refPrefix: "${BRANCHES}", ${OLDEST_FIRST}) { ...Waiting }
    registry: ref(qualifiedName: $registry) { target { oid ... on Commit {
      tree { oid entries { ...Entry } }
      meta: file(path: "meta.json") { ...Entry object { ...Text } }
      pods: file(path: "pods") { object { ... on Tree { entries { ...Entry object { ... on Tree {
        entries { ...Entry object @include(if: $texts) { ...Text } }
      } } } } } }
      history(first: 20) { nodes { oid message } }
    } } }
    state: ref(qualifiedName: $state) { target { oid ... on Commit {
      sweep: file(path: "sweep.json") { ...Entry object { ...Text } }
    } } }
  }
}
${WAITING}
${ENTRY}
${TEXT}`;

/** Many files by their oids: `b0`, `b1`, … in order. */
export function blobsQuery(oids: readonly string[]): string {
  const asked = oids.map((oid, index) => `b${index}: object(oid: "${oid}") { ...Text }`);
  return `query Blobs(${ROOT}) { repository(owner: $owner, name: $name) { ${asked.join(' ')} } }\n${TEXT}`;
}

export const FILE = `query File(${ROOT}, $expression: String!) {
  repository(owner: $owner, name: $name) { object(expression: $expression) { oid ...Text } }
}
${TEXT}`;

export const VERSIONS = `query Versions(${ROOT}, $tip: GitObjectID!, $path: String!) {
  repository(owner: $owner, name: $name) { object(oid: $tip) { ... on Commit {
    history(first: 50, path: $path) { nodes { file(path: $path) { object { ...Text } } } }
  } } }
}
${TEXT}`;

export const HISTORY = `query History(${ROOT}, $tip: GitObjectID!, $first: Int!, $after: String, $path: String) {
  repository(owner: $owner, name: $name) { object(oid: $tip) { ... on Commit {
    history(first: $first, after: $after, path: $path) {
      nodes { oid message committedDate } pageInfo { hasNextPage endCursor }
    }
  } } }
}`;

export const COMMIT = `mutation Commit($input: CreateCommitOnBranchInput!) {
  createCommitOnBranch(input: $input) { commit { oid tree { oid } } }
}`;

export const MOVE = `mutation Move($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`;

const oid = z.string().regex(/^[0-9a-f]{40,64}$/);
const text = z.object({ text: z.string().nullable(), isTruncated: z.boolean() });
export type BlobText = z.infer<typeof text>;

/** A tree where a file was expected is answered as `{}`. */
const textOrNot = z.union([
  text,
  z
    .object({})
    .strict()
    .transform(() => null),
  z.null(),
]);

const entry = z.object({ name: z.string(), mode: z.number(), type: z.string(), oid });
export type Entry = z.infer<typeof entry>;

const shardEntry = entry.extend({ object: textOrNot.optional() });
/** GitHub may leave `entries` out of a tree that is too wide for it: that is no empty tree. */
const shard = z.object({ entries: z.array(shardEntry) });
const podsFolder = z.object({
  entries: z.array(
    entry.extend({
      object: z.union([
        shard,
        z
          .object({})
          .strict()
          .transform(() => null),
        z.null(),
      ]),
    }),
  ),
});

const registryTip = z.object({
  oid,
  tree: z.object({ oid, entries: z.array(entry) }),
  meta: entry.extend({ object: textOrNot }).nullable(),
  pods: z
    .object({
      object: z.union([
        podsFolder,
        z
          .object({})
          .strict()
          .transform(() => null),
        z.null(),
      ]),
    })
    .nullable(),
  history: z.object({ nodes: z.array(z.object({ oid, message: z.string() })) }),
});
export type RegistryTip = z.infer<typeof registryTip>;

const stateTip = z.object({ oid, sweep: entry.extend({ object: textOrNot }).nullable() });
export type StateTip = z.infer<typeof stateTip>;

const queueRef = z.object({
  name: z.string(),
  prefix: z.string(),
  target: z.object({ oid, ops: entry.extend({ object: textOrNot }).nullish() }).nullable(),
});
export type QueueRef = z.infer<typeof queueRef>;
const queueRefs = z.object({ nodes: z.array(queueRef) });

export const readShape = z.object({
  repository: z.object({
    id: z.string(),
    queue: queueRefs,
    spare: queueRefs,
    registry: z.object({ target: registryTip }).nullable(),
    state: z.object({ target: stateTip }).nullable(),
  }),
});

export const blobsShape = z.object({ repository: z.record(z.string(), text.nullable()) });

export const fileShape = z.object({
  repository: z.object({ object: z.union([text.extend({ oid }), z.null()]) }),
});

export const versionsShape = z.object({
  repository: z.object({
    object: z.object({
      history: z.object({ nodes: z.array(z.object({ file: z.object({ object: textOrNot }).nullable() })) }),
    }),
  }),
});

const historyEntry = z.object({ oid, message: z.string(), committedDate: z.iso.datetime({ offset: true }) });
export type CommitSeen = z.infer<typeof historyEntry>;

export const historyShape = z.object({
  repository: z.object({
    object: z.object({
      history: z.object({
        nodes: z.array(historyEntry),
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
      }),
    }),
  }),
});

export const committed = z.object({
  data: z.object({ createCommitOnBranch: z.object({ commit: z.object({ oid, tree: z.object({ oid }) }) }) }),
});
export const refsMoved = z.object({ data: z.object({ updateRefs: z.looseObject({}) }) });
export const madeSha = z.looseObject({ sha: oid });
export const refSha = z.looseObject({ object: z.looseObject({ sha: oid }) });
