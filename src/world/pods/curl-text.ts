/** The text of the pod's stand-in for curl: the options that on-pod scripts use, curl's own exit codes, nothing more. */

export const CURL_TEXT = String.raw`// A small curl for pods of podtrack's embedded world, on machines that have neither curl nor wget.
import { readFileSync, writeFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';

const LONG = { '-K': '--config', '-X': '--request', '-H': '--header', '-d': '--data', '-o': '--output', '-w': '--write-out',
  '-m': '--max-time', '-A': '--user-agent', '-s': '--silent', '-S': '--show-error', '-f': '--fail', '-k': '--insecure',
  '-i': '--include', '-V': '--version', '-q': '--disable', '-g': '--globoff', '-L': '--location' };
const VALUED = new Set(['--config', '--request', '--header', '--data', '--data-raw', '--data-binary', '--output', '--write-out',
  '--max-time', '--connect-timeout', '--user-agent', '--cacert', '--url', '--retry', '--proto']);
const FLAGS = new Set([...Object.values(LONG).filter((name) => !VALUED.has(name)), '--no-progress-meter', '--http1.1', '--fail-with-body']);
const given = { headers: [], data: [], flags: new Set() };

function end(code, text) {
  if (text && (!given.flags.has('--silent') || given.flags.has('--show-error'))) writeSync(2, 'curl: (' + code + ') ' + text + '\n');
  process.exit(code);
}
function content(path) {
  try { return readFileSync(path === '-' ? 0 : path, 'utf8'); } catch (cause) { return end(26, 'Failed to open ' + path + ': ' + cause.code); }
}
function set(name, value) {
  if (name === '--config') readConfig(content(value));
  else if (name === '--header') given.headers.push(...(value.startsWith('@') ? content(value.slice(1)).split(/\r?\n/) : [value]));
  else if (name === '--data-raw') given.data.push(value);
  else if (name === '--data') given.data.push(value.startsWith('@') ? content(value.slice(1)).replace(/[\r\n]/g, '') : value);
  else if (name === '--data-binary') given.data.push(value.startsWith('@') ? content(value.slice(1)) : value);
  else given[name] = value;
}
function readConfig(text) {
  for (const line of text.split(/\r?\n/)) {
    const found = /^\s*(-{0,2}[\w.-]+)\s*[\s=:]?\s*(.*?)\s*$/.exec(line);
    if (!found || /^\s*#/.test(line)) continue;
    const short = found[1].startsWith('-') ? found[1] : '--' + found[1];
    const name = LONG[short] ?? short;
    const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(found[2]);
    const value = quoted ? quoted[1].replace(/\\(.)/g, (_, c) => ({ n: '\n', r: '\r', t: '\t' })[c] ?? c) : found[2];
    take(name, () => value);
  }
}
function take(name, value) {
  if (VALUED.has(name)) set(name, value());
  else if (FLAGS.has(name)) given.flags.add(name);
  else end(2, 'option ' + name + ': is unknown');
}
function readArguments(words) {
  const next = (name) => () => (words.length > 0 ? words.shift() : end(2, 'option ' + name + ': requires parameter'));
  while (words.length > 0) {
    const word = words.shift();
    if (word.startsWith('--')) take(word, next(word));
    else if (!word.startsWith('-') || word === '-') given['--url'] = word;
    else for (let at = 1; at < word.length; at += 1) {
      const name = LONG['-' + word[at]] ?? '-' + word[at];
      const tail = word.slice(at + 1);
      take(name, tail ? () => tail : next(name));
      if (VALUED.has(name)) break;
    }
  }
}
function failed(cause) {
  const codes = { ENOTFOUND: 6, EAI_AGAIN: 6, ECONNREFUSED: 7, EHOSTUNREACH: 7, ENETUNREACH: 7, ECONNRESET: 56, TIMEOUT: 28 };
  const tls = /CERT|SELF_SIGNED|SSL|TLS/.test(String(cause.code)) ? 60 : undefined;
  writeOut(0);
  const empty = cause.message === 'socket hang up' ? 52 : undefined;
  end(empty ?? codes[cause.code] ?? tls ?? 56, cause.message || String(cause.code));
}
function writeOut(status) {
  const code = String(status).padStart(3, '0');
  const text = (given['--write-out'] ?? '').replace(/%\{(http_code|response_code)\}/g, code).replace(/%\{\w+\}/g, '');
  if (text) writeSync(1, text.replace(/\\n/g, '\n').replace(/\\t/g, '\t').replace(/\\r/g, '\r'));
}

readArguments(process.argv.slice(2));
if (given.flags.has('--version')) { console.log('curl 0.0.0 (stand-in of the embedded world)'); process.exit(0); }
if (!given['--url']) end(2, 'no URL specified');
const url = new URL(/^\w+:\/\//.test(given['--url']) ? given['--url'] : 'http://' + given['--url']);
const body = given.data.length > 0 ? given.data.join('&') : undefined;
const headers = { accept: '*/*', 'user-agent': given['--user-agent'] ?? 'curl/0.0.0' };
if (body !== undefined) Object.assign(headers, { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) });
for (const line of given.headers) {
  const colon = line.indexOf(':');
  if (colon > 0) headers[line.slice(0, colon).trim().toLowerCase()] = line.slice(colon + 1).trim();
}
const request = (url.protocol === 'https:' ? https : http).request(url, {
  method: given['--request'] ?? (body === undefined ? 'GET' : 'POST'), headers,
  rejectUnauthorized: !given.flags.has('--insecure'), ca: given['--cacert'] && content(given['--cacert']),
}, (answer) => {
  const parts = [];
  answer.on('data', (part) => parts.push(part)).on('error', failed).on('end', () => {
    const refused = answer.statusCode >= 400 && given.flags.has('--fail');
    const head = 'HTTP/' + answer.httpVersion + ' ' + answer.statusCode + ' ' + answer.statusMessage + '\r\n'
      + answer.rawHeaders.map((text, at) => text + (at % 2 === 0 ? ': ' : '\r\n')).join('') + '\r\n';
    const whole = Buffer.concat([Buffer.from(given.flags.has('--include') ? head : ''), ...parts]);
    if (given['--output'] !== undefined) writeFileSync(given['--output'], refused ? '' : whole);
    else if (!refused) for (let at = 0; at < whole.length; ) at += writeSync(1, whole, at);
    writeOut(answer.statusCode);
    if (refused) end(22, 'The requested URL returned error: ' + answer.statusCode);
    process.exit(0);
  });
});
request.on('error', failed);
const limit = Number(given['--max-time'] ?? given['--connect-timeout'] ?? 0) * 1000;
if (limit > 0) setTimeout(() => failed({ code: 'TIMEOUT', message: 'Operation timed out' }), limit);
request.end(body);
`;
