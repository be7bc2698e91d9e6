/** A Mirror in memory for flow tests: each pod holds a tree, and what was pulled of it can be looked at. */

import { createHash } from 'node:crypto';
import { compile } from '../../src/adapters/ssh/mirror/choice.ts';
import { digestOf } from '../../src/adapters/ssh/mirror/digest.ts';
import type { Manifest, ManifestEntry, Pulled } from '../../src/domain/artifacts.ts';
import { type Chosen, choose, chooser } from '../../src/domain/choice.ts';
import { WorldError, type WorldFailure } from '../../src/domain/errors.ts';
import type { Mirror, PullSpec } from '../../src/ports.ts';

export type ScriptedTree = {
  /** Path → content. May be changed between calls. */
  readonly files: Map<string, string>;
  readonly links?: Manifest['links'];
  readonly others?: readonly string[];
  readonly moving?: readonly string[];
  readonly refused?: Pulled['refused'];
  /** How a pull ends instead. */
  failsAs?: WorldFailure;
};

export type ScriptedMirror = Mirror & {
  /** Pod ids in the order of their pulls, failed ones included. */
  readonly pulls: string[];
  /** What was promoted last, per place. */
  readonly copies: Map<string, ReadonlyMap<string, string>>;
  /** What was written beside the copies, per pod: name → text. */
  readonly beside: Map<string, ReadonlyMap<string, string>>;
};

function failure(kind: WorldFailure, spec: PullSpec): WorldError {
  const tried = `Pull ${spec.remotePath} from pod ${spec.podId}`;
  return new WorldError(kind, {
    tried,
    cameBack: kind,
    state: 'Nothing counts as pulled',
    next: 'Try again',
  });
}

function manifestOf(tree: ScriptedTree): Manifest {
  const files = [...tree.files].map(([path, content]): ManifestEntry => {
    const sha256 = createHash('sha256').update(content).digest('hex');
    return { path, size: Buffer.byteLength(content), sha256 };
  });
  return { files, links: tree.links ?? [], others: tree.others ?? [] };
}

function chosenOf(tree: ScriptedTree, { choice }: PullSpec): Chosen {
  return choose(manifestOf(tree), chooser(choice, compile));
}

/** `trees` by pod id; a pod without one has no such path. */
export function scriptedMirror(trees: Map<string, ScriptedTree>): ScriptedMirror {
  const pulls: string[] = [];
  const copies = new Map<string, ReadonlyMap<string, string>>();
  const beside = new Map<string, ReadonlyMap<string, string>>();
  const treeOf = (spec: PullSpec): ScriptedTree => {
    const tree = trees.get(spec.podId);
    if (tree === undefined) throw failure('not-found', spec);
    return tree;
  };

  return {
    pulls,
    copies,
    beside,
    ready: async () => undefined,
    async evidence(podId, texts) {
      beside.set(podId, new Map(texts.map(({ name, text }) => [name, text])));
      return `/mirror/${podId}.evidence`;
    },
    async manifest(_session, spec) {
      return chosenOf(treeOf(spec), spec).manifest;
    },
    async pull(_session, spec) {
      pulls.push(spec.podId);
      const tree = treeOf(spec);
      if (tree.failsAs !== undefined) throw failure(tree.failsAs, spec);
      const { manifest: remote, leftOut } = chosenOf(tree, spec);
      const place = spec.localPath ?? `/mirror/${spec.podId}`;
      const bytes = remote.files.reduce((sum, file) => sum + file.size, 0);
      if (remote.files.length > 0)
        copies.set(place, new Map(remote.files.map(({ path }) => [path, tree.files.get(path) ?? ''])));
      spec.onProgress?.(bytes, bytes);
      return {
        remote,
        leftOut,
        files: remote.files.length,
        bytes,
        place,
        digest: digestOf(
          remote.files,
          remote.links.filter((link) => !/^\/|\.\./.test(link.target)),
        ),
        moving: tree.moving ?? [],
        refused: tree.refused ?? [],
      };
    },
  };
}
