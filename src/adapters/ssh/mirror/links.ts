/** Which symbolic links of the pod may stand in the copy: those that end inside it, wherever they lead on the way. */
import type { Manifest } from '../../../domain/artifacts.ts';
import type { Refused } from './listing.ts';

type Link = Manifest['links'][number];

export type SortedLinks = {
  readonly inside: readonly Link[];
  /** Point to another place of the pod: not followed and not copied, told. */
  readonly outside: readonly Link[];
  readonly refused: readonly Refused[];
};

/** As many links as a kernel follows in one path. */
const MAX_FOLLOWED = 40;

/**
 * Follows a link by the list alone, as a kernel would on the finished copy. Where a link leads through another, its
 * `..` counts from that other's end: text alone would call some escapes harmless.
 */
function endOf(link: Link, targets: ReadonlyMap<string, string>): 'inside' | 'outside' | 'escape' {
  if (link.target.startsWith('/')) return 'outside';
  let followed = 0;
  let here = link.path.split('/').slice(0, -1);
  const ahead = link.target.split('/');
  while (ahead.length > 0) {
    const step = ahead.shift();
    if (step === undefined || step === '' || step === '.') continue;
    if (step === '..') {
      if (here.length === 0) return 'escape';
      here = here.slice(0, -1);
      continue;
    }
    const target = targets.get([...here, step].join('/'));
    if (target === undefined) {
      here = [...here, step];
      continue;
    }
    if (target.startsWith('/')) return 'outside';
    followed += 1;
    // A link that only leads to itself leads nowhere else.
    if (followed > MAX_FOLLOWED) return 'inside';
    ahead.unshift(...target.split('/'));
  }
  return 'inside';
}

export function sortLinks(links: readonly Link[]): SortedLinks {
  const targets = new Map(links.map((link) => [link.path, link.target]));
  const inside: Link[] = [];
  const outside: Link[] = [];
  const refused: Refused[] = [];
  for (const link of links) {
    if (link.target === '' || link.target.includes('\0')) {
      refused.push({ path: link.path, reason: 'a link whose target cannot be read' });
      continue;
    }
    const end = endOf(link, targets);
    if (end === 'inside') inside.push(link);
    else if (end === 'outside') outside.push(link);
    else refused.push({ path: link.path, reason: 'a link that leads out of the target' });
  }
  return { inside, outside, refused };
}
