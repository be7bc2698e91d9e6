/** teardown on the command line with more than one pod of a name: one is ended and the others named, or all of them. */
import { expect, it } from 'vitest';
import { json, podtrack, stage } from './stage.ts';

const PODS = ['firstpod000001', 'secondpod00002', 'thirdpod000003'];
const OTHER = 'otherpod000004';

it("C66: one of three ends and the others are named; --scope run ends those, and nobody else's", {
  timeout: 120_000,
}, async () => {
  const on = await stage((login) => ({
    balance: 25,
    pods: [...PODS, OTHER].map((id) => ({ id, name: id, sshKeys: [login], createdAt: '-10m' })),
  }));
  const ok = async (words: string, env = on.env) => {
    const told = await podtrack(words, env);
    expect(told.code, `${words}\n${told.out}${told.err}`).toBe(0);
    return told;
  };
  await ok(`register-many ${PODS.join(' ')} --no-artifacts`);
  await ok(`register-many ${OTHER} --no-artifacts`, { ...on.env, PODTRACK_LABEL: 'somebody-else' });

  const one = await ok(`teardown ${PODS[0]}`);
  expect(one.out).toContain(`ended: ${PODS[0]}`);
  expect(one.out).toContain(`2 more of cli-test live on: ${PODS[1]}, ${PODS[2]}`);

  const all = json(await ok('teardown --scope run --json'));
  expect(all).toMatchObject({ schemaVersion: 1, scope: 'run', owner: 'cli-test' });
  expect(all['pods']).toMatchObject([
    { pod: PODS[1], kind: 'done', reason: 'requested', detail: { leg: 'no job of a run' } },
    { pod: PODS[2], kind: 'done', reason: 'requested' },
  ]);
  expect([...on.world.world.pods.keys()]).toEqual([OTHER]);
  expect((await ok('teardown --scope run')).out).toContain('nothing is left of cli-test');
});
