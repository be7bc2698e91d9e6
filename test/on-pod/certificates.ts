/** Certificates for a provider on this machine, made by openssl: signed by an own authority, by nobody, and out of date. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type Certificate = { readonly key: string; readonly cert: string };

export type Certificates = {
  /** The authority's own certificate: whoever holds it trusts `signed`. */
  readonly authority: string;
  readonly signed: Certificate;
  readonly unsigned: Certificate;
  /** Signed as well, and long over: what a pod sees whose clock is years ahead. */
  readonly over: Certificate;
};

const SETTINGS = `[ca]
default_ca = own
[own]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
[server]
subjectAltName = IP:127.0.0.1,DNS:api.podtrack.test
[req]
distinguished_name = name
[name]
`;

export function makeCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'podtrack-certificates-'));
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const request = ['req', '-config', 'settings', ...key];
  const own = (name: string, subject: string, ...more: string[]): void =>
    openssl(
      ...request,
      '-x509',
      '-days',
      '3650',
      '-subj',
      subject,
      '-keyout',
      `${name}.key`,
      '-out',
      name,
      ...more,
    );
  const sign = (name: string, from: string, to: string): void => {
    openssl(...request, '-subj', '/CN=127.0.0.1', '-keyout', `${name}.key`, '-out', `${name}.request`);
    const by = ['-cert', 'authority', '-keyfile', 'authority.key', '-extensions', 'server'];
    const dates = ['-startdate', from, '-enddate', to, '-notext'];
    openssl('ca', '-batch', '-config', 'settings', ...by, ...dates, '-in', `${name}.request`, '-out', name);
  };
  try {
    writeFileSync(join(folder, 'settings'), SETTINGS);
    writeFileSync(join(folder, 'index'), '');
    own('authority', '/CN=Authority of podtrack tests', '-addext', 'basicConstraints=critical,CA:TRUE');
    own('unsigned', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1');
    sign('signed', '20200101000000Z', '21000101000000Z');
    sign('over', '20010101000000Z', '20020101000000Z');
    const pair = (name: string): Certificate => ({ key: read(`${name}.key`), cert: read(name) });
    return {
      authority: read('authority'),
      signed: pair('signed'),
      unsigned: pair('unsigned'),
      over: pair('over'),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
