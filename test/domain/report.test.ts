/** The report of a cycle: the exit code by table, every bad pod once with its reason, sums that add up, harmless forms. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from '../../src/domain/outcome.ts';
import { seen, unseen } from '../../src/domain/part.ts';
import type { PodPlan } from '../../src/domain/policy/plan.ts';
import { REASONS, type Reason, verdict } from '../../src/domain/policy/reasons.ts';
import { emptySweep, NO_SIGHTINGS } from '../../src/domain/registry/sweep.ts';
import type { CycleFacts } from '../../src/domain/report/facts.ts';
import { reportJson } from '../../src/domain/report/json.ts';
import { redLines, reportMarkdown } from '../../src/domain/report/markdown.ts';
import { saysMoney, saysResult } from '../../src/domain/report/words.ts';
import { reportCycle } from '../../src/domain/report.ts';
import { DEFAULT_RULES } from '../../src/domain/rules.ts';
import { anOwner, aPod, aRecord, aVisit, minutes, NOW, REGISTRY } from './build.ts';

const BALANCE = seen({ id: 'user_1', balanceMicroUsd: 12_300_000, spendPerHourMicroUsd: 2_690_000 });

function podPlan(id: string, reason: Reason, of: { label?: string; rate?: number | null } = {}): PodPlan {
  const pod = aPod({ id });
  const record = aRecord({
    id,
    owner: anOwner({ label: of.label ?? 'acme/ml#7' }),
    costPerHourMicroUsd: of.rate === undefined ? 2_690_000 : of.rate,
  });
  const row = REASONS[reason];
  return {
    record,
    observation: {
      at: NOW,
      provider: { kind: 'present', pod },
      visit: aVisit(),
      owner: unseen('not asked'),
    },
    verdict: verdict(reason),
    rested: null,
    sightings: NO_SIGHTINGS,
    rules: DEFAULT_RULES,
    judgedAt: NOW,
    basis: {},
    orders:
      row.kind === 'end'
        ? [{ kind: 'teardown', beforeVerified: row.beforeVerified, inferred: row.inferred }]
        : [{ kind: 'pet' }],
  };
}

function outcome(pod: string, of: Partial<Outcome> = {}): Outcome {
  return { pod, order: 'pet', kind: 'done', reason: 'pet', says: 'petted', detail: {}, ...of };
}

const ended = (pod: string, of: Partial<Outcome> = {}): Outcome =>
  outcome(pod, {
    order: 'teardown',
    reason: 'idle',
    says: 'ended, because idle',
    detail: { why: 'idle', verified: true },
    ...of,
  });

type Given = Partial<Omit<CycleFacts, 'plan'>> & { readonly plan?: Partial<CycleFacts['plan']> };

function facts(of: Given = {}): CycleFacts {
  const pods = of.plan?.pods ?? [];
  const { plan, ...rest } = of;
  return {
    outcomes: [],
    listing: seen({ pods: pods.map((pod) => aPod({ id: pod.record.id })), malformed: [] }),
    balance: BALANCE,
    dryRun: false,
    swept: true,
    lastSweepBefore: NOW - minutes(5),
    ...rest,
    plan: {
      at: NOW,
      pods,
      strays: [],
      reopened: [],
      foreign: [],
      successors: [],
      breaker: { tripped: false, wanted: 0, recent: 0, maxKills: 10, rest: (verdictOf) => verdictOf },
      cautions: [],
      sweep: emptySweep(REGISTRY),
      ...plan,
    },
  };
}

const busy = podPlan('busy', 'gpu-busy');
const idle = podPlan('idle', 'idle');
const tripped = { tripped: true, wanted: 12, recent: 0, maxKills: 10, rest: (of: typeof idle.verdict) => of };

describe('the exit code', () => {
  it.each<[string, Given, number]>([
    ['nothing at all', {}, 0],
    ['a healthy pod that was petted', { plan: { pods: [busy] }, outcomes: [outcome('busy')] }, 0],
    ['an idle pod that was ended', { plan: { pods: [idle] }, outcomes: [ended('idle')] }, 0],
    ['a dry run with orders', { plan: { pods: [idle, busy] }, dryRun: true }, 0],
    ['a warning alone', { plan: { pods: [podPlan('p', 'idle-unknown')] }, outcomes: [outcome('p')] }, 0],
    [
      'a first cycle without a state branch',
      { plan: { cautions: [{ code: 'sweep-missing', detail: 'x' }] } },
      0,
    ],
    [
      'an end that came too late: the job is busy again',
      {
        plan: { pods: [idle, busy] },
        outcomes: [ended('idle', { kind: 'released', reason: 'verdict-changed' }), outcome('busy')],
      },
      0,
    ],
    [
      'a fence of somebody else, beside work that was done',
      {
        plan: { pods: [idle, busy] },
        outcomes: [ended('idle', { kind: 'handed-over' }), outcome('busy')],
      },
      0,
    ],
    [
      'an end asked for without a pull',
      {
        plan: { pods: [idle] },
        outcomes: [ended('idle', { detail: { why: 'forced', verified: false } })],
      },
      0,
    ],

    [
      'an account that cannot be read, with live records',
      { plan: { pods: [busy] }, listing: unseen('502') },
      1,
    ],
    ['an account that cannot be read, with none', { listing: unseen('502') }, 4],
    [
      'an unreadable account and a damaged registry',
      {
        listing: unseen('502'),
        plan: { cautions: [{ code: 'damaged', detail: 'x' }] },
      },
      1,
    ],
    [
      'a malformed item of the list',
      { listing: seen({ pods: [], malformed: [{ id: 'm', problem: 'no status' }] }) },
      1,
    ],
    ['a failed pet', { plan: { pods: [busy] }, outcomes: [outcome('busy', { kind: 'failed' })] }, 1],
    ['an end that failed', { plan: { pods: [idle] }, outcomes: [ended('idle', { kind: 'failed' })] }, 1],
    [
      'an end not yet confirmed',
      { plan: { pods: [idle] }, outcomes: [ended('idle', { kind: 'pending' })] },
      1,
    ],
    [
      'artifacts that could not be verified',
      {
        plan: { pods: [idle] },
        outcomes: [ended('idle', { kind: 'released', reason: 'not-saved' })],
      },
      1,
    ],
    [
      'an end over artifacts that nobody saved',
      {
        plan: { pods: [podPlan('p', 'absolute-deadline')] },
        outcomes: [ended('p', { detail: { why: 'absolute-deadline', verified: false } })],
      },
      1,
    ],
    ['an end that was ordered and of which nothing came back', { plan: { pods: [idle] } }, 1],
    [
      'nothing but handed-over orders',
      { plan: { pods: [idle] }, outcomes: [ended('idle', { kind: 'handed-over' })] },
      1,
    ],
    ['a tripped breaker', { plan: { breaker: tripped } }, 1],
    ['a rewound registry', { plan: { cautions: [{ code: 'rewound', detail: 'x' }] } }, 1],
    ['a damaged registry', { plan: { cautions: [{ code: 'damaged', detail: 'x' }] } }, 1],
    [
      "another repository's registry",
      { plan: { cautions: [{ code: 'foreign-repository', detail: 'x' }] } },
      1,
    ],
  ])('%s', (_what, given, code) => {
    expect(reportCycle(facts(given)).exitCode).toBe(code);
  });

  it.each(Object.entries(REASONS))('the verdict %s is red where the policy says so', (reason, row) => {
    const pod = podPlan('p', reason as Reason);
    const outcomes = row.kind === 'keep' ? [outcome('p')] : [ended('p')];
    const report = reportCycle(facts({ plan: { pods: [pod] }, outcomes }));
    expect(report.exitCode).toBe(row.alert === 'red' ? 1 : 0);
    expect(report.rows[0]?.grade).toBe(row.alert === 'none' ? 'ok' : row.alert);
  });
});

describe('the rows', () => {
  it('hold each pod once, the worst first, and say of each bad one why', () => {
    const report = reportCycle(
      facts({
        plan: {
          pods: [busy, idle, podPlan('away', 'unreachable-counting')],
          foreign: [{ pod: aPod({ id: 'other' }), why: 'no-stamp' }],
        },
        outcomes: [
          outcome('busy'),
          outcome('busy', { order: 'mirror', kind: 'failed', says: 'the transfer stalled' }),
          ended('idle', { kind: 'pending', says: 'it may still bill until confirmed' }),
        ],
        listing: seen({ pods: [aPod({ id: 'busy' })], malformed: [{ id: 'broken', problem: 'no status' }] }),
      }),
    );
    expect(report.rows.map((row) => [row.pod, row.grade])).toEqual([
      ['broken', 'red'],
      ['idle', 'red'],
      ['away', 'red'],
      ['busy', 'red'],
      ['other', 'ok'],
    ]);
    expect(report.rows.map((row) => row.troubles.join('; '))).toEqual([
      expect.stringContaining('no status'),
      expect.stringContaining('may still bill'),
      expect.stringContaining('no route'),
      expect.stringContaining('the transfer stalled'),
      '',
    ]);
    expect(redLines(report).filter((line) => line.startsWith('busy:'))).toHaveLength(1);
  });

  it('a pod that a caution put to rest says what was wanted', () => {
    const rested = { ...podPlan('p', 'held-by-caution'), rested: verdict('idle') };
    const [row] = reportCycle(facts({ plan: { pods: [rested] }, outcomes: [outcome('p')] })).rows;
    expect(row?.evidence).toMatchObject({ wanted: 'idle' });
  });
});

describe('the sums', () => {
  const kinds = ['done', 'released', 'pending', 'handed-over', 'failed'] as const;

  it('attempted = done + failed + other, and what was all skipped is not green', () => {
    const arbitrary = fc.array(
      fc.record({ pod: fc.constantFrom('idle', 'busy'), kind: fc.constantFrom(...kinds) }),
      { maxLength: 12 },
    );
    fc.assert(
      fc.property(arbitrary, (given) => {
        const outcomes = given.map(({ pod, kind }) =>
          pod === 'idle' ? ended(pod, { kind }) : outcome(pod, { kind }),
        );
        const report = reportCycle(facts({ plan: { pods: [idle, busy] }, outcomes }));
        const { attempted, done, failed, other } = report.counts;
        expect(attempted).toBe(given.length);
        expect(done + failed + other).toBe(attempted);
        const red =
          (attempted > 0 && done === 0) ||
          outcomes.some(({ kind }) => kind === 'failed' || kind === 'pending');
        expect(!red || report.exitCode === 1).toBe(true);
      }),
    );
  });

  it('an unknown price is counted as unknown, never as nothing', () => {
    const priced = facts({ plan: { pods: [busy, podPlan('free', 'gpu-busy', { rate: null })] } });
    const { totals } = reportCycle(priced);
    expect(totals.perHour).toEqual({ microUsd: 2_690_000, unknown: 1 });
    expect(totals.costSoFar).toEqual({ microUsd: 2 * 2_690_000, unknown: 1 });
    expect(saysMoney(totals)).toBe(
      'balance $12.30, account spends $2.69/h; our live pods $2.69 (+ 1 unknown)/h, $5.38 (+ 1 unknown) so far',
    );
    const blind = reportCycle(facts({ balance: unseen('no answer') }));
    expect(saysMoney(blind.totals)).toContain('balance unknown (no answer)');
  });

  it('the headline says the result in words', () => {
    expect(saysResult(reportCycle(facts()))).toBe('all well: exit 0');
    expect(saysResult(reportCycle(facts({ listing: unseen('x') })))).toBe('1 problem, 0 warnings: exit 4');
    expect(saysResult(reportCycle(facts({ dryRun: true })))).toBe('dry run, all well: exit 0');
  });
});

describe('as JSON', () => {
  it('has a schema version, RFC 3339 times and null for what is unknown', () => {
    const report = reportCycle(
      facts({ plan: { pods: [busy] }, outcomes: [outcome('busy')], balance: unseen('x') }),
    );
    expect(reportJson(report)).toMatchObject({
      schemaVersion: 1,
      at: '2026-03-02T12:00:00Z',
      totals: { account: null, accountUnseen: 'x' },
      pods: [{ pod: 'busy', ownerDeadlineAt: '2026-03-02T16:20:00Z', costMicroUsd: 5_380_000 }],
    });
    expect(JSON.parse(JSON.stringify(reportJson(report)))).toEqual(reportJson(report));
  });
});

/** Labels that others made: mentions, broken tables, HTML, commands of the runner, code, and one without end. */
const LABELS = [
  '@orchard/everyone please look',
  'a | b | c',
  '<img src=x onerror=1>',
  '::error::forged',
  `\`code\` ${'$'}{{ github.token }}`,
  'two\nlines | and\r\nmore',
  '\u202e\u0000hidden',
  'x'.repeat(1200),
];

describe('as Markdown', () => {
  const labelled = (count: number, reason: Reason): readonly PodPlan[] =>
    Array.from({ length: count }, (_, index) => {
      const label = LABELS[index % LABELS.length] ?? '';
      return podPlan(`pod${String(index).padStart(4, '0')}`, reason, { label });
    });

  it('C69: says the same to a reader whatever pods are called', () => {
    const pods = labelled(LABELS.length, 'gpu-busy');
    const text = reportMarkdown(reportCycle(facts({ plan: { pods } })));
    const rows = text.split('\n').filter((line) => line.startsWith('| ') && !line.includes('---'));
    expect(rows).toHaveLength(LABELS.length + 1);
    for (const row of rows) {
      expect(row.split('|')).toHaveLength(rows[0]?.split('|').length ?? 0);
      expect(row).not.toMatch(/@|<|`|\$\{|::/);
    }
    expect(text).not.toMatch(/^::/m);
    expect(text).not.toContain('x'.repeat(201));
    expect(text).toMatch(/^[\n -~]*$/);
  });

  it('C69: stays far below 1 MiB with 3000 pods, sums first and worst first', () => {
    const pods = [
      ...labelled(2999, 'gpu-busy'),
      podPlan('zzz', 'login-refused', { label: 'last in the alphabet' }),
    ];
    const outcomes = pods.map((pod) => outcome(pod.record.id));
    const text = reportMarkdown(reportCycle(facts({ plan: { pods }, outcomes })));
    expect(text.length).toBeLessThan(900_000);
    const lines = text.split('\n');
    expect(lines[0]).toBe('### podtrack: 1 problem, 0 warnings: exit 1');
    expect(lines[2]).toContain('3000 pods of ours: 3000 kept');
    expect(lines.find((line) => line.startsWith('| **red**'))).toContain('zzz');
    expect(lines.findIndex((line) => line.startsWith('| **red**'))).toBeLessThan(12);
    const short = reportMarkdown(reportCycle(facts({ plan: { pods }, outcomes })), 20_000);
    expect(short.length).toBeLessThan(20_000);
    expect(short).toContain('zzz');
    expect(short).toMatch(/\d+ more pod\(s\) are left out here, none worse than the last row/);
  });

  it('C59: says for how many pods nobody could ask whether the run is over, and why; nothing where all were asked', () => {
    const blind = podPlan('blind', 'gpu-busy');
    const asked = { ...blind.observation, owner: seen({ state: 'in-progress' as const }) };
    const text = reportMarkdown(
      reportCycle(facts({ plan: { pods: [blind, { ...blind, observation: asked }] } })),
    );
    expect(text).toContain('Whether the run that owns it is over is unknown for 1 pod &#40;not asked&#41;');
    const whole = reportMarkdown(reportCycle(facts({ plan: { pods: [{ ...blind, observation: asked }] } })));
    expect(whole).not.toContain('is over is unknown');
  });

  it('tells alarms in words of their own, escaped', () => {
    const text = reportMarkdown(reportCycle(facts({ listing: unseen('<b>502</b> from @edge') })));
    expect(text).toContain('- **red** the account could not be read');
    expect(text).not.toMatch(/<b>|@edge/);
  });
});
