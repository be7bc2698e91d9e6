/** The REST routes of one repository, and what each of them needs. */
import * as actions from './actions-reads.ts';
import type { Reply } from './refusals.ts';
import * as reads from './rest-reads.ts';
import * as writes from './rest-writes.ts';

export type Route = {
  /** As faults name it. */
  readonly label: string;
  readonly method: string;
  /** Below `/repos/<owner>/<name>`. */
  readonly path: RegExp;
  readonly answer: (call: reads.Call) => Promise<Reply>;
};

const row = (name: string, path: RegExp, answer: Route['answer']): Route => {
  const [method = ''] = name.split(' ');
  return { label: name, method, path, answer };
};

export const ROUTES: readonly Route[] = [
  row('GET repository', /^$/, reads.getRepository),
  row('GET git/ref', /^\/git\/ref\/(.+)$/, reads.getRef),
  row('GET git/matching-refs', /^\/git\/matching-refs\/(.+)$/, reads.matchingRefs),
  row('GET git/trees', /^\/git\/trees\/([^/]+)$/, reads.getTree),
  row('GET git/commits', /^\/git\/commits\/([^/]+)$/, reads.getCommit),
  row('GET git/blobs', /^\/git\/blobs\/([^/]+)$/, reads.getBlob),
  row('GET contents', /^\/contents\/(.+)$/, reads.getContents),
  row('GET compare', /^\/compare\/([^/]+?)\.\.\.([^/]+)$/, reads.compare),
  row('GET actions/runs', /^\/actions\/runs\/(\d+)$/, actions.withActions(actions.getRun)),
  row(
    'GET actions/runs/attempts',
    /^\/actions\/runs\/(\d+)\/attempts\/(\d+)$/,
    actions.withActions(actions.getRun),
  ),
  row(
    'GET actions/jobs',
    /^\/actions\/runs\/(\d+)(?:\/attempts\/(\d+))?\/jobs$/,
    actions.withActions(actions.listJobs),
  ),
  row('GET actions/runs list', /^\/actions\/runs$/, actions.withActions(actions.listRuns)),
  row('GET actions/workflows', /^\/actions\/workflows$/, actions.withActions(actions.listWorkflows)),
  row('GET environments', /^\/environments\/([^/]+)$/, actions.withActions(actions.getEnvironment)),
  row('POST git/blobs', /^\/git\/blobs$/, writes.postBlob),
  row('POST git/trees', /^\/git\/trees$/, writes.postTree),
  row('POST git/commits', /^\/git\/commits$/, writes.postCommit),
  row('POST git/refs', /^\/git\/refs$/, writes.postRef),
  row('PATCH git/refs', /^\/git\/refs\/(.+)$/, writes.patchRef),
  row('DELETE git/refs', /^\/git\/refs\/(.+)$/, writes.deleteRef),
  row('PUT contents', /^\/contents\/(.+)$/, writes.putContents),
];
