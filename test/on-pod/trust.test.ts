/** HTTPS on images that trust nobody, or the wrong ones: found at arm time, with the way out where the image has one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { suiteWith } from '../components.ts';
import { type Certificate, makeCertificates } from './certificates.ts';
import { KEY, PodStand, type Ran, until, withEachTool } from './pod-stand.ts';
import { json, noContent, noSuchPod, ProviderStand, problem } from './provider-stand.ts';

const POD = 'pod1abcdefghij';
const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function stand(
  certificate: Certificate,
  without: readonly string[],
): Promise<[PodStand, ProviderStand, string]> {
  let ended = false;
  const provider = new ProviderStand(
    {
      get: () => (ended ? noSuchPod : json({ id: POD, status: 'RUNNING' })),
      delete: (_times, { path }) => {
        if (!path.endsWith(POD)) return noSuchPod;
        ended = true;
        return noContent;
      },
    },
    certificate,
  );
  open.push(provider);
  const pod = new PodStand({ clock: 1000, without });
  open.push(pod);
  return [pod, provider, await provider.listen()];
}

const trusts = (pod: PodStand, place: string, text: string): void => {
  mkdirSync(dirname(join(pod.root, place)), { recursive: true });
  writeFileSync(join(pod.root, place), text);
};

const check = (pod: PodStand, url: string): Promise<Ran> =>
  pod.run(
    'switch',
    ['check', `pod_id=${POD}`, `rest=${url}`, `graphql=${url}/graphql`, 'key_source=explicit'],
    `${KEY}\n`,
  );

suiteWith(['openssl'], 'over TLS', () => {
  const made = makeCertificates();

  withEachTool((without) => {
    it('arms and fires by authorities that the image keeps where its tool does not look (case C25)', async () => {
      const [pod, provider, url] = await stand(made.signed, without);
      trusts(pod, 'etc/ssl/cert.pem', makeCertificates().authority);
      trusts(pod, 'opt/conda/ssl/cacert.pem', made.authority);
      const checked = await check(pod, url);
      const ca = join(pod.root, 'opt/conda/ssl/cacert.pem');
      expect(checked.said.get('ca'), checked.stdout).toBe(ca);
      expect(checked.said.get('end_rest')).toBe('absent');
      const planted = await pod.install({ rest: url, graphql: `${url}/graphql`, ca });
      expect(planted.said.get('armed'), planted.stdout).toBe('yes');
      expect((await pod.status()).said.get('ca')).toBe(ca);
      expect(pod.held('record')).toContain(`authorities ${ca}`);
      pod.setClock(3000);
      await pod.wakeUntil('the proof', () => pod.held('record').includes('gone: proven'));
      expect(pod.held('tries')).toBe('1 key=explicit delete=ok read=absent\n');
      expect(provider.asked.every((one) => one.authorization === `Bearer ${KEY}`)).toBe(true);
    });

    it('sends nothing to a server that nobody signed, or whose time is over, and says tls-failed', async () => {
      for (const certificate of [made.unsigned, made.over]) {
        const [pod, provider, url] = await stand(certificate, without);
        trusts(pod, 'etc/ssl/certs/ca-certificates.crt', made.authority);
        const { said } = await check(pod, url);
        for (const question of ['read_rest', 'end_rest', 'read_graphql', 'end_graphql'])
          expect([question, said.get(question)]).toEqual([question, 'tls-failed']);
        expect(said.get('ca')).toBe('default');
        expect(provider.asked).toEqual([]);
      }
    });
  });

  it('finds the authorities anew at its deadline, when those it was armed with are gone', async () => {
    const [pod, , url] = await stand(made.signed, []);
    trusts(pod, 'opt/conda/ssl/cacert.pem', made.authority);
    const ca = join(pod.root, 'opt/conda/ssl/cacert.pem');
    await pod.install({ rest: url, graphql: `${url}/graphql`, ca });
    trusts(pod, 'opt/conda/ssl/cacert.pem', '');
    trusts(pod, 'usr/local/lib/python3.11/site-packages/certifi/cacert.pem', made.authority);
    pod.setClock(3000);
    await pod.wakeUntil('the proof', () => pod.held('record').includes('gone: proven'));
    expect(pod.held('tries')).toBe('1 key=explicit delete=ok read=absent\n');
  });
});

it('takes no authorities that are not there, or that would mean something to a line', async () => {
  const pod = new PodStand();
  open.push(pod);
  for (const ca of ['/no/such/file', 'relative.pem', '/etc/a b', '/etc/passwd\nkey=x'])
    expect([ca, (await pod.install({ ca })).said.get('refused')]).toEqual([ca, 'bad-ca']);
  const planted = await pod.install({ ca: 'default' });
  expect(planted.said.get('ca'), planted.stdout).toBe('default');
});

it('grants the wait that a 429 asks for, never beyond its own longest pause', async () => {
  const asked = ['7', '86400', 'Fri, 31 Dec 1999 23:59:59 GMT', '-1'];
  const provider = new ProviderStand({
    delete: (times) => ({ ...problem(429, 'rate limit'), retryAfter: asked[times - 1] ?? '0' }),
    graphql: () => ({ status: 500 }),
  });
  open.push(provider);
  const url = await provider.listen();
  const pod = new PodStand({ clock: 1000 });
  open.push(pod);
  await pod.install({ rest: url, graphql: `${url}/graphql`, backoff_first: 1, backoff_last: 30 });
  pod.setClock(3000);
  const tries = (count: number): Promise<void> =>
    pod.wakeUntil(`try ${count}`, () => pod.held('tries').startsWith(`${count} `));
  const quietUntil = async (second: number): Promise<void> => {
    pod.setClock(second);
    await pod.turned();
  };
  await tries(1);
  expect(pod.held('tries')).toContain('retry-after=7');
  await quietUntil(3006);
  expect(provider.count('DELETE')).toBe(1);
  pod.setClock(3007);
  await tries(2);
  await quietUntil(3036);
  expect(provider.count('DELETE')).toBe(2);
  pod.setClock(3037);
  await tries(3);
  // A date is not read: the pod's own clock may say anything. Its own pause holds then.
  pod.setClock(3041);
  await tries(4);
  await until('the record', () => pod.held('record').includes('try 4:'));
  expect(pod.held('record')).not.toContain('retry-after=86401');
});
