/** A small suite of actions for the runner's own tests: one that speaks, composites of it, and some that fail. */
import { nodeAction } from './stand.ts';

const SPEAK = `import { appendFileSync } from 'node:fs';
const { env } = process;
console.log('inputs', JSON.stringify(Object.fromEntries(Object.entries(env).filter(([k]) => k.startsWith('INPUT_')))));
appendFileSync(env.GITHUB_STATE, 'seen=' + (env.INPUT_WORD ?? '') + '\\n');
appendFileSync(env.GITHUB_OUTPUT, 'said<<E\\n' + (env.INPUT_WORD ?? '') + '\\nE\\n');
`;
const POST = `console.log('post', process.env.STATE_seen, JSON.stringify(process.env.INPUT_STATUS), process.env.INPUT_WORD);`;

/** Files by path in their repository. */
export const FILES = {
  'speak/action.yml': `name: s
description: s
inputs:
  word: {description: w, default: fallback}
  status: {description: s, default: "\${{ job.status }}"}
  check: {description: c, default: "\${{ job.check_run_id }}"}
  matrix: {description: m, default: "\${{ toJson(matrix) }}"}
  index: {description: i, default: "\${{ strategy.job-index }}/\${{ strategy.job-total }}"}
  token: {description: t, default: "\${{ github.token }}"}
outputs:
  said: {description: o}
runs: {using: node24, main: ../lib/speak.mjs, post: ../lib/post.mjs}
`,
  'lib/speak.mjs': SPEAK,
  'lib/post.mjs': POST,
  'outer/action.yml': `name: o
description: o
inputs:
  word: {description: w, default: outer-default}
outputs:
  both: {description: b, value: "\${{ steps.a.outputs.said }}+\${{ steps.b.outputs.said }}"}
  hidden: {description: h, value: "\${{ steps.inner.outputs.nothing }}"}
runs:
  using: composite
  steps:
    - {id: a, uses: $/speak, with: {word: "a-\${{ inputs.word }}"}}
    - {id: b, uses: $/nested, with: {word: "b-\${{ inputs.word }}"}}
    - run: echo "path $GITHUB_ACTION_PATH" && echo "sees \${{ steps.a.outputs.said }} not \${{ steps.inner.outputs.said }}"
      shell: bash
`,
  'nested/action.yml': `name: n
description: n
inputs:
  word: {description: w}
outputs:
  said: {description: s, value: "\${{ steps.inner.outputs.said }}"}
runs:
  using: composite
  steps:
    - {id: inner, uses: $/speak, with: {word: "n-\${{ inputs.word }}"}}
`,
  'failing/action.yml': `name: f
description: f
runs:
  using: composite
  steps:
    - {run: exit 3, shell: sh}
    - {run: echo after, shell: sh}
    - {run: echo always, shell: sh, if: always()}
    - {run: echo failed here, shell: sh, if: failure()}
`,
  'fail-js/action.yml': nodeAction('fail.mjs'),
  'fail-js/fail.mjs': `console.log('::error title=t::bad'); process.exitCode = 1;`,
};
