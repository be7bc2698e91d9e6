/** Reads `.github/podtrack.yml`: a profile and rules, strictly; a word that it does not know is an error. */
import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError } from '../domain/errors.ts';
import { KNOBS, type KnobTexts } from '../domain/knobs.ts';

export type ConfigFile = {
  readonly path: string;
  readonly profile: string | undefined;
  readonly rules: KnobTexts;
};

const LARGEST = 64 * 1024;

const value = z.union([z.string(), z.number()], { error: 'is neither a text nor a number' });

/** No label, host, registry or credential: a pull request can edit this file. */
const shape = z.strictObject({
  profile: z.string().optional(),
  rules: z.strictObject(Object.fromEntries(KNOBS.map((knob) => [knob.name, value.optional()]))).optional(),
});

function refused(path: string, input: string, cameBack: string, cause?: unknown): ConfigError {
  return new ConfigError(input, {
    tried: `Reading ${path}`,
    cameBack,
    state: 'Nothing was changed',
    next: `Mend the file; it may hold "profile" and "rules" with: ${KNOBS.map((knob) => knob.name).join(', ')}`,
    cause,
  });
}

/** null where there is no such file. Throws a ConfigError that names the file and the word in it. */
export function readConfigFile(path: string): ConfigFile | null {
  const text = textOf(path);
  if (text === null) return null;
  if (text.length > LARGEST) throw refused(path, 'podtrack.yml', 'it is larger than 64 KiB');
  const document = parseDocument(text, { uniqueKeys: true });
  const [broken] = document.errors;
  if (broken !== undefined) {
    throw refused(path, 'podtrack.yml', `it is not YAML: ${broken.message.split('\n')[0] ?? ''}`, broken);
  }
  const parsed = shape.safeParse(document.toJS({ maxAliasCount: 10 }) ?? {});
  if (!parsed.success) throw misshapen(path, parsed.error);
  const { profile, rules = {} } = parsed.data;
  const texts = Object.entries(rules).map(([name, given]) => [
    name,
    given === undefined ? '' : String(given),
  ]);
  return { path, profile, rules: Object.fromEntries(texts) };
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw refused(path, 'podtrack.yml', `it cannot be read (${String(code)})`, error);
  }
}

function misshapen(path: string, error: z.ZodError): ConfigError {
  const [issue] = error.issues;
  const place = issue?.path.map(String) ?? [];
  if (issue?.code === 'unrecognized_keys') {
    const key = [...place, issue.keys[0] ?? ''].join('.');
    return refused(path, key, `it does not know "${key}"`, error);
  }
  const where = place.join('.') || 'podtrack.yml';
  return refused(path, where, `"${where}" ${issue?.message ?? 'has the wrong shape'}`, error);
}
