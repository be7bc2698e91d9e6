/** The README's tables say what the code does: rendered from the policy and the knobs. `UPDATE_README=1` writes them. */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { formatDuration } from '../src/domain/duration.ts';
import { KNOBS } from '../src/domain/knobs.ts';
import { REASONS } from '../src/domain/policy/reasons.ts';
import { DEFAULT_RULES } from '../src/domain/rules.ts';

const README = new URL('../README.md', import.meta.url);

function policyTable(): string {
  const rows = Object.entries(REASONS).map(([reason, row]) => {
    const marks = [row.inferred ? 'inferred' : '', row.beforeVerified ? 'before verification' : ''];
    const alert = row.alert === 'none' ? '' : row.alert === 'red' ? 'red' : 'warning';
    return `| ${row.kind} | \`${reason}\` | ${row.says} | ${marks.filter((mark) => mark !== '').join(', ')} | ${alert} |`;
  });
  return ['| verdict | reason | because | may be | told as |', '|---|---|---|---|---|', ...rows].join('\n');
}

function knobTable(): string {
  const shown = (value: string | number, kind: string): string =>
    kind === 'duration' ? formatDuration(Number(value)) : String(value);
  const rows = KNOBS.map((knob) => {
    const standard = shown(DEFAULT_RULES[knob.field], knob.kind);
    return `| \`${knob.name}\` | \`${knob.env}\` | ${standard} | ${knob.help} |`;
  });
  return ['| flag, input, file | environment | default | what it sets |', '|---|---|---|---|', ...rows].join(
    '\n',
  );
}

function withTable(text: string, name: string, table: string): string {
  const [start, end] = [`<!-- ${name}-start -->`, `<!-- ${name}-end -->`];
  const [from, to] = [text.indexOf(start), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md has no place for the ${name} table`);
  return `${text.slice(0, from + start.length)}\n${table}\n${text.slice(to)}`;
}

describe('README', () => {
  it('shows every reason and every knob as the code has them', () => {
    const text = readFileSync(README, 'utf8');
    const wanted = withTable(withTable(text, 'policy', policyTable()), 'knobs', knobTable());
    if (process.env['UPDATE_README'] === '1') writeFileSync(README, wanted);
    expect(readFileSync(README, 'utf8')).toBe(wanted);
  });
});
