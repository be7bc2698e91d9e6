/** A secret that a step would let out is found, wherever it lies; the job's end then fails, and names each place. */
import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { API_KEY, beginJob, POD } from './job.ts';

/** Of the pod's environment, and no other test's: arguments are looked at over the whole machine. */
const LEAK = 'hf_plantedSecretThatTheScanMustFind01';

/** A stand-in for Node that lets everything out and then runs the door. */
const LEAKY = `#!${process.execPath}
const { execFileSync } = require('node:child_process');
const { appendFileSync, writeFileSync } = require('node:fs');
const { env } = process;
const leak = env.LEAK;
console.log('the key is ' + leak);
for (const name of ['OUTPUT', 'ENV', 'STATE'])
  appendFileSync(env['GITHUB_' + name], 'left<<x\\n' + leak + '\\nx\\n');
appendFileSync(env.GITHUB_STEP_SUMMARY, leak);
appendFileSync(env.GITHUB_PATH, '/opt/' + leak + '\\n');
writeFileSync(env.RUNNER_TEMP + '/left', Buffer.from(leak).toString('base64'));
writeFileSync('left', leak);
execFileSync('sh', ['-c', 'sleep 0.4; :', 'sleeper', leak]);
process.argv.splice(1, 1);
import(process.argv[1]);
`;

it('in a log, a runner file, a summary, a file, an argument, an address, on the pod and in the registry', async () => {
  const job = await beginJob({ pod: { env: { PLANTED: LEAK } } });
  const node = join(job.temp, 'node');
  writeFileSync(node, LEAKY);
  chmodSync(node, 0o755);
  const access = { 'api-key': API_KEY, 'ssh-key': job.sshKey };
  const inputs = { ...access, 'pod-id': POD, 'remote-path': '/workspace/results' };
  const main = await job.step('register', 'main', { inputs, node, env: { LEAK } });
  expect(main.code, main.log).toBe(0);
  await job.hosts.writeFile(POD, '/workspace/notes.txt', `export TOKEN=${LEAK}\n`);
  await fetch(`${job.world.graphqlUrl}?api_key=${encodeURIComponent(LEAK)}`, { method: 'POST' });
  const person = ['-c', 'user.name=p', '-c', 'user.email=p@localhost'];
  const says = ['commit-tree', 'podtrack^{tree}', '-m', `the key is ${LEAK}`];
  execFileSync('git', ['-C', job.registry, ...person, ...says]);
  const places = (await job.leaks()).map(({ secret, how, where }) => `${secret} ${how} ${where}`);
  const missing = [
    /plain register main log$/,
    /plain register main summary$/,
    /plain register main outputs$/,
    /plain register main env$/,
    /plain register main state$/,
    /plain register main path$/,
    /base64 machine \/left$/,
    /plain machine \/left$/,
    /plain arguments: sh -c sleep/,
    /plain request to 127/,
    /plain pod \S+ \/workspace\/notes.txt/,
    /plain registry: every object/,
  ].filter((words) => !places.some((place) => words.test(place)));
  expect(missing, places.join('\n')).toEqual([]);
  await expect(job.end()).rejects.toThrow(/secrets were found:.*register main log/s);
}, 120_000);
