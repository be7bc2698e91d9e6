/** The dashboard stays bounded and is never written by the labels in it. */
import { describe, expect, it } from 'vitest';
import { applyAll } from '../../../src/domain/registry/apply.ts';
import { planCommit } from '../../../src/domain/registry/commit.ts';
import { DASHBOARD_ROWS, dashboard } from '../../../src/domain/registry/dashboard.ts';
import {
  empty,
  endOf,
  NOW,
  ownerOf,
  podIn,
  recordOf,
  settle,
  sha256,
  stateAfter,
  withPod,
} from './record-maker.ts';

const labelled = (label: string) => dashboard(withPod({ owner: ownerOf('x', { label, labelGiven: true }) }));

describe('dashboard', () => {
  it.each([
    '@orchard/everyone please look',
    'a | b | c',
    '<img src=x onerror=1>',
    '::error::forged',
    `\`code\` $\{{ github.token }}`,
    '[link](https://evil.example)',
    'x'.repeat(200),
    'two\nlines | more',
  ])('shows the label %j as plain text in one cell', (label) => {
    const text = labelled(label);
    const row = text.split('\n').find((line) => line.startsWith('| abc '));
    expect(row?.match(/\|/g)).toHaveLength(9);
    expect(row).not.toMatch(/[@<>`[\](){}$:]/);
    expect(text.split('\n')).toHaveLength(dashboard(withPod()).split('\n').length);
  });

  it('shows at most two hundred rows, those that may bill first, and how many are left', () => {
    const pods = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => {
        const id = `p${index}`;
        return [
          `runpod.${id}`,
          recordOf(id, index === 299 ? {} : { status: 'terminated', end: endOf('terminated') }),
        ];
      }),
    );
    const text = dashboard({ ...empty(), pods });
    const rows = text.split('\n').filter((line) => /^\| p\d/.test(line));
    expect(rows).toHaveLength(DASHBOARD_ROWS);
    expect(rows[0]).toContain('| p299 | active |');
    expect(text).toContain('100 more are not shown');
    expect(text).toContain('1 active, 0 ending, 0 intended, 299 terminated');
  });

  it('names damaged files', () => {
    const text = dashboard({
      ...empty(),
      quarantined: [{ path: 'pods/aa/x.json', problem: 'not | JSON', lastValid: null }],
    });
    expect(text).toContain('- pods/aa/x.json: not &#124; JSON');
  });
});

describe('planCommit', () => {
  const plan = (textOf: (path: string) => string | null = () => null) => {
    const before = withPod();
    const applied = applyAll(before, [settle('abc', { end: endOf('terminated') })]);
    return planCommit({ before, after: applied.state, events: applied.events, now: NOW - 1, textOf, sha256 });
  };

  it('counts seq up by one and never lets time run backwards', () => {
    expect(plan().state.meta).toMatchObject({ seq: 1, updatedAt: NOW });
  });

  it('writes only what changed', () => {
    const paths = plan()
      .files.map(({ path }) => path)
      .sort();
    expect(paths).toEqual([
      '.gitattributes',
      'README.md',
      'ledger/2026/03/03.jsonl',
      'meta.json',
      `pods/${sha256('runpod.abc').slice(0, 2)}/runpod.abc.json`,
    ]);
    expect(
      plan((path) => (path === '.gitattributes' ? '' : null)).files.map(({ path }) => path),
    ).not.toContain('.gitattributes');
  });

  it('appends the end to the day’s ledger', () => {
    const ledger = plan((path) => (path.startsWith('ledger/') ? '{"pod":"first"}\n' : null)).files.find(
      ({ path }) => path.startsWith('ledger/'),
    );
    const rows = (ledger?.text ?? '')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(2);
    expect(rows[1]).toMatchObject({
      pod: 'runpod.abc',
      how: 'terminated',
      costMicroUsd: 1_000_000,
      verified: true,
      durationMs: 64 * 60_000,
    });
  });

  it('does not mistake a reopened record for an ended one', () => {
    expect(podIn(stateAfter(withPod(), settle('abc', { end: endOf('lost') }))).end?.how).toBe('lost');
  });
});
