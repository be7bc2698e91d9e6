/** The bundle runs where nothing but the bundle is, on every Node it promises. */
import { afterAll, describe, expect, it } from 'vitest';
import { component, suiteWith } from '../components.ts';
import { distFiles, type Ended, shipAlone } from './shipped.ts';

const shipped = shipAlone();
afterAll(() => shipped.remove());

/** Words that stand in the code of a library and nowhere else, so that a chunk tells what it carries. */
const MARKS = {
  ssh2: 'ssh2js',
  'the client of the account': 'UND_ERR_CONNECT_TIMEOUT',
  cache: 'ACTIONS_CACHE_SERVICE_V2',
  artifact: 'CreateArtifactRequest',
};

function carriers(mark: string): string[] {
  return distFiles()
    .filter(({ name, text }) => name.endsWith('.js') && text.includes(mark))
    .map(({ name }) => name);
}

function expectHelp(ended: Ended): void {
  expect(ended.err).toBe('');
  expect(ended.code).toBe(0);
  expect(ended.out).toContain('podtrack');
}

describe('on the Node that runs the tests', () => {
  const ended = shipped.run(process.execPath, '--help');

  it('cli.js --help answers from an empty folder', () => expectHelp(ended));

  it('--help loads the stub and the entry', () => {
    expect(ended.loaded).toEqual(expect.arrayContaining(['cli.js', 'index.js']));
  });

  it.each(Object.entries(MARKS))('--help does not pay for loading %s', (_library, mark) => {
    expect(ended.loaded.filter((name) => carriers(mark).includes(name))).toEqual([]);
  });

  it('ssh2 is in the bundle, so that not loading it says something', () => {
    expect(carriers(MARKS.ssh2)).not.toEqual([]);
  });
});

suiteWith(['node24'], 'on Node 24', () => {
  it('cli.js --help answers from an empty folder', () =>
    expectHelp(shipped.run(component('node24') ?? '', '--help')));
});
