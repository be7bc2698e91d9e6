/** What is left of one step when it has ended: its log, annotations, files and result. */
import { type Command, commandIn } from './commands.ts';
import type { Status, Texts } from './expressions.ts';
import type { Masks } from './masks.ts';

export type Annotation = {
  readonly kind: 'error' | 'warning' | 'notice';
  readonly message: string;
  readonly title: string;
};

export type Result = Status | 'skipped';
export type Stage = 'main' | 'post';

/** As a test reads it. Steps inside composites are `children`; their lines stand in their parents' logs too. */
export type StepReport = {
  readonly name: string;
  readonly id: string;
  readonly stage: Stage;
  readonly uses: string | null;
  /** Before and after `continue-on-error`. */
  readonly outcome: Result;
  readonly conclusion: Result;
  /** False = nobody was left to see its end. */
  readonly finished: boolean;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** What people read, masked. */
  readonly log: readonly string[];
  /** What the process wrote, unmasked and with its commands: for tests that look for secrets. */
  readonly raw: readonly string[];
  readonly inputs: Texts;
  readonly outputs: Texts;
  readonly state: Texts;
  /** What it put into GITHUB_ENV. */
  readonly env: Texts;
  readonly summary: string;
  /** At most 10 of each kind, those of children last. */
  readonly annotations: readonly Annotation[];
  readonly children: readonly StepReport[];
};

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type StepRecord = {
  readonly report: Mutable<StepReport> & { log: string[]; raw: string[]; annotations: Annotation[] };
  /** A line of the log. */
  say(line: string): void;
  /** A line of the process, which may be a command. */
  hear(line: string): void;
  issue(kind: Annotation['kind'], message: string, title?: string): void;
  child(name: string, id: string, uses: string | null): StepRecord;
  /** Takes over what the children had to say, within the limits. */
  close(): void;
};

const MOST_PER_KIND = 10;
const MOST_MESSAGE_CHARACTERS = 4096;

export type RecordPlace = {
  readonly masks: Masks;
  readonly onLine: (line: string, step: StepReport) => void;
};

type Parent = { readonly record: StepRecord; readonly issues: Annotation[] };

function emptyReport(about: Pick<StepReport, 'name' | 'id' | 'stage' | 'uses'>): StepRecord['report'] {
  return {
    ...about,
    outcome: 'cancelled',
    conclusion: 'cancelled',
    finished: false,
    exitCode: null,
    signal: null,
    log: [],
    raw: [],
    inputs: {},
    outputs: {},
    state: {},
    env: {},
    summary: '',
    annotations: [],
    children: [],
  };
}

/** True when the line was a command and is not shown as it is. */
function obey(record: StepRecord, masks: Masks, command: Command): void {
  switch (command.name) {
    case 'add-mask':
      masks.add(command.data);
      if (command.data.trim() === '')
        record.issue('warning', "Can't add secret mask for empty string in ##[add-mask] command.");
      return;
    case 'error':
    case 'warning':
    case 'notice':
      record.issue(command.name, command.data, command.properties.get('title') ?? '');
      return;
    case 'group':
    case 'endgroup':
      record.say(`##[${command.name}]${command.data}`);
      return;
    case 'debug':
    case 'echo':
      return;
    default:
      record.issue('error', `this runner does not model the command ${command.name}`);
  }
}

export function createRecord(
  place: RecordPlace,
  about: Pick<StepReport, 'name' | 'id' | 'stage' | 'uses'>,
  parent: Parent | null = null,
): StepRecord {
  const report = emptyReport(about);
  const gathered = parent?.issues ?? [];
  const record: StepRecord = {
    report,
    say(line) {
      const shown = place.masks.apply(line);
      report.log.push(shown);
      if (parent === null) place.onLine(shown, report);
      else parent.record.say(line);
    },
    hear(line) {
      report.raw.push(line);
      const command = commandIn(line);
      if (command === null) record.say(line);
      else obey(record, place.masks, command);
    },
    issue(kind, message, title = '') {
      const hidden = place.masks.apply(message).slice(0, MOST_MESSAGE_CHARACTERS);
      const annotation = { kind, message: hidden, title: place.masks.apply(title) };
      if (parent === null) keep(annotation);
      else {
        report.annotations.push(annotation);
        gathered.push(annotation);
      }
      record.say(`##[${kind}]${hidden}`);
    },
    child(name, id, uses) {
      const made = createRecord(place, { name, id, uses, stage: report.stage }, { record, issues: gathered });
      report.children = [...report.children, made.report];
      return made;
    },
    close() {
      if (parent === null) for (const annotation of gathered.splice(0)) keep(annotation);
    },
  };
  const keep = (annotation: Annotation): void => {
    const sameKind = report.annotations.filter(({ kind }) => kind === annotation.kind);
    if (sameKind.length < MOST_PER_KIND) report.annotations.push(annotation);
  };
  return record;
}
