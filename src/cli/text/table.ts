/** A table of text without borders, as wide as the page: foreign text in its cells can neither act nor widen it. */
import Table from 'cli-table3';
import { plainLine } from '../../adapters/plain-line.ts';
import type { Mood, Page } from '../call.ts';

export type Column = {
  readonly title: string;
  /** Characters; null = what is left of the page. */
  readonly width: number | null;
  readonly align?: 'right';
};

export type Row = {
  readonly cells: readonly string[];
  /** Colours the first cell. */
  readonly mood?: Mood;
  /** A line of its own under the row, wrapped. */
  readonly detail?: string;
};

const NO_BORDERS = Object.fromEntries(
  [
    'top',
    'top-mid',
    'top-left',
    'top-right',
    'bottom',
    'bottom-mid',
    'bottom-left',
    'bottom-right',
    'left',
    'left-mid',
    'mid',
    'mid-mid',
    'right',
    'right-mid',
    'middle',
  ].map((name) => [name, '']),
);

const GAP = 2;

/** Empty for no rows. */
export function table(columns: readonly Column[], rows: readonly Row[], page: Page): readonly string[] {
  if (rows.length === 0) return [];
  const fixed = columns.reduce((sum, { width }) => sum + (width === null ? 0 : width + GAP), 0);
  const rest = Math.max(8, page.width - fixed - GAP);
  const drawn = new Table({
    chars: NO_BORDERS,
    style: { 'padding-left': 0, 'padding-right': GAP, head: [], border: [], compact: true },
    colWidths: columns.map(({ width }) => (width ?? rest) + GAP),
    colAligns: columns.map(({ align }) => align ?? 'left'),
    truncate: '…',
  });
  drawn.push(columns.map(({ title }) => page.paint('quiet', title)));
  for (const row of rows) {
    drawn.push(row.cells.map((cell, index) => cellText(cell, index === 0 ? row.mood : undefined, page)));
    if (row.detail !== undefined && row.detail !== '') {
      const content = `  ${plainLine(row.detail)}`;
      drawn.push([{ content, colSpan: columns.length, wordWrap: true }]);
    }
  }
  return drawn.toString().split('\n');
}

function cellText(cell: string, mood: Mood | undefined, page: Page): string {
  const text = plainLine(cell);
  return mood === undefined || mood === 'ok' ? text : page.paint(mood, text);
}
