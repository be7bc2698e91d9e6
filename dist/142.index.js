export const id=142;export const ids=[142];export const modules={24142:((__unused_webpack___webpack_module__,__webpack_exports__,__webpack_require__)=>{__webpack_require__.r(__webpack_exports__);__webpack_require__.d(__webpack_exports__,{createFolderPodHosts:()=>createFolderPodHosts});var external_node_crypto_=__webpack_require__(77598);var external_node_fs_=__webpack_require__(73024);var promises_=__webpack_require__(51455);var external_node_os_=__webpack_require__(48161);var external_node_path_=__webpack_require__(76760);var external_node_child_process_=__webpack_require__(31421);;function goodConduct(){return{refuseLogin:false,loginDelayMs:0,execDelayMs:0,noise:``,stallAfterBytes:null}}var external_node_timers_promises_=__webpack_require__(58500);;const MARKER=`PODTRACK_WORLD_POD`;function processesOf(matches){return matching(look(),matches)}function look(){return process.platform===`linux`?seenInProc():seenByPs()}let shared=null;function sharedLook(){if(shared===null){shared=look();setImmediate(()=>{shared=null})}return shared}function matching(all,matches){const ours=new Set(all.filter(one=>one.marker!==null&&matches(one.marker)).map(one=>one.pid));for(let size=-1;size!==ours.size;){size=ours.size;for(const one of all)if(ours.has(one.parent))ours.add(one.pid)}ours.delete(process.pid);return[...ours]}async function endProcesses(matches){const rounds=endingRounds(()=>matching(sharedLook(),matches));while(!rounds.next().done)await(0,external_node_timers_promises_.setTimeout)(5)}function endProcessesNow(matches){const pause=new Int32Array(new SharedArrayBuffer(4));const rounds=endingRounds(()=>processesOf(matches));while(!rounds.next().done)Atomics.wait(pause,0,0,5)}function*endingRounds(seeLeft){const known=new Set;let quiet=0;for(let round=0;round<400;round+=1){const left=seeLeft();if(left.length===0&&quiet>=2)return;const fresh=left.filter(pid=>!known.has(pid));quiet=fresh.length===0?quiet+1:0;for(const pid of fresh)known.add(pid);signal(fresh,`SIGSTOP`);if(quiet>=2)signal(left,`SIGKILL`);yield}throw new Error(`These processes of the world survived SIGKILL: ${seeLeft().join(`, `)}`)}function signal(pids,name){for(const pid of pids){try{process.kill(pid,name)}catch{}}}function seenInProc(){const pids=(0,external_node_fs_.readdirSync)(`/proc`).filter(name=>/^\d+$/.test(name));return pids.map(name=>({pid:Number(name),parent:Number(/^\d+ \(.*\) \S (\d+)/s.exec(readOrEmpty(`/proc/${name}/stat`))?.[1]??0),marker:markerIn(readOrEmpty(`/proc/${name}/environ`).split(`\0`))}))}function seenByPs(){const told=(0,external_node_child_process_.spawnSync)(`ps`,[`-axwwE`,`-o`,`pid=,ppid=,command=`],{encoding:`utf8`,maxBuffer:1<<26});return(told.stdout??``).split(`
`).map(line=>{const[,pid,parent,rest]=/^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)??[];return{pid:Number(pid??0),parent:Number(parent??0),marker:markerIn((rest??``).split(` `))}})}function markerIn(environment){const found=environment.find(entry=>entry.startsWith(`${MARKER}=`));return found===undefined?null:found.slice(MARKER.length+1)}function readOrEmpty(path){try{return(0,external_node_fs_.readFileSync)(path,`latin1`)}catch{return``}};function containerEnv(pod,address){return{PATH:`/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,HOME:`/root`,HOSTNAME:pod.id.slice(0,12),RUNPOD_POD_ID:pod.id,RUNPOD_POD_HOSTNAME:proxyUser(pod),RUNPOD_GPU_COUNT:String(pod.gpu?.count??0),...pod.env,RUNPOD_PUBLIC_IP:address.host,RUNPOD_TCP_PORT_22:String(address.port)}}function proxyUser(pod){return pod.env[`RUNPOD_POD_HOSTNAME`]??`${pod.id}-64410abc`}function environText(env){return Object.entries(env).map(([name,value])=>`${name}=${value}\0`).join(``)}function rpEnvironmentText(env){return Object.entries(env).filter(([name])=>/^[A-Z_][A-Z0-9_]*$/.test(name)&&!name.startsWith(`PUBLIC_KEY`)).map(([name,value])=>`export ${name}="${value}"\n`).join(``)}function sessionEnv(root,marker){return{PATH:[(0,external_node_path_.join)(root,`usr/local/bin`),process.env[`PATH`]??`/usr/bin:/bin`].join(external_node_path_.delimiter),HOME:(0,external_node_path_.join)(root,`root`),TMPDIR:(0,external_node_path_.join)(root,`tmp`),USER:`root`,LOGNAME:`root`,SHELL:`/bin/sh`,LANG:`C.UTF-8`,SHLVL:`1`,PODTRACK_ROOT:root,[MARKER]:marker}};const KEPT=5e3;function containerLog(now){let kept=[];return{add:(...lines)=>{kept=[...kept,...lines.map(line=>({at:now(),line}))].slice(-KEPT)},lines:()=>kept}}function startLines(podId,fingerprint){const ssh=[`Setting up SSH...`,`SSH host keys:`,`Key: /etc/ssh/ssh_host_ed25519_key.pub`,`256 ${fingerprint} root@${podId.slice(0,12)} (ED25519)`];return[`Pod Started`,...fingerprint===null?[]:ssh,`Exporting environment variables...`,`Start script(s) finished, Pod is ready to use.`]};const CURL_TEXT=String.raw`// A small curl for pods of podtrack's embedded world, on machines that have neither curl nor wget.
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
`;;function hasHttpTool(path){return path.split(external_node_path_.delimiter).some(folder=>[`curl`,`wget`].some(name=>isTool((0,external_node_path_.join)(folder,name))))}async function installCurl(root){const script=(0,external_node_path_.join)(root,`usr/local/lib/podtrack-world/curl.mjs`);await(0,promises_.mkdir)((0,external_node_path_.join)(root,`usr/local/lib/podtrack-world`),{recursive:true});await(0,promises_.writeFile)(script,CURL_TEXT);const wrapper=`#!/bin/sh\nexec ${quoted(process.execPath)} ${quoted(script)} "$@"\n`;await(0,promises_.writeFile)((0,external_node_path_.join)(root,`usr/local/bin/curl`),wrapper,{mode:493})}function isTool(path){try{(0,external_node_fs_.accessSync)(path,external_node_fs_.constants.X_OK);return!(0,external_node_path_.basename)((0,external_node_fs_.realpathSync)(path)).startsWith(`busybox`)}catch{return false}}function quoted(text){return`'${text.replaceAll(`'`,`'\\''`)}'`}var gpu_load=__webpack_require__(58087);;const NO_GPU={name:``,count:0,util:0,memUsedMiB:0,memTotalMiB:0};function gpuState(gpu){return{gpu:gpu??NO_GPU,cycle:[],fault:gpu===null?`missing-tool`:null,faultExit:null}}function changedGpu(state,change){const{cycle,fault,faultExit,...numbers}=change;const given=Object.entries(numbers).filter(([,value])=>value!==undefined);return{gpu:{...state.gpu,...Object.fromEntries(given)},cycle:cycle??state.cycle,fault:fault===undefined?state.fault:fault,faultExit:faultExit??(fault===undefined?state.faultExit:null)}}function telemetryOf(state,elapsedMs){const now=(0,gpu_load.sp)(state.gpu,elapsedMs);const memoryUtil=Math.round(100*now.memUsedMiB/Math.max(1,state.gpu.memTotalMiB));const util=state.cycle.length>0?Math.max(...state.cycle):now.util;return{gpus:Array.from({length:state.gpu.count},()=>({util,memoryUtil}))}};const NVIDIA_SMI_TEXT=String.raw`#!/bin/sh
# nvidia-smi of a pod in podtrack's embedded world; the files beside it script what it says.
state="$(dirname "$0")/../lib/podtrack-world/gpu"
if [ -f "$state/fault" ]; then . "$state/fault"; fi

now_ms() {
  if read -r up rest </proc/uptime 2>/dev/null; then printf '%s\n' "$(printf '%s' "$up" | tr -d .)0"
  else printf '%s\n' "$(date +%s)000"; fi
}
# The n-th of the words that follow (from 0).
nth() { shift "$1"; printf '%s\n' "$2"; }
after_equals() { printf '%s' "$1" | cut -d= -f2-; }

read -r start <"$state/start"
elapsed=$(($(now_ms) - start))
util=0 used=0
while read -r after step_util step_used; do
  if [ "$after" -le "$elapsed" ]; then util=$step_util used=$step_used; fi
done <"$state/steps"
read -r cycle <"$state/cycle"
if [ -n "$cycle" ]; then
  turn=$(cat "$state/turn" 2>/dev/null) || turn=0
  printf '%s\n' $((turn + 1)) >"$state/turn"
  words=$(printf '%s\n' "$cycle" | wc -w)
  util=$(nth $((turn % words)) $cycle)
fi
read -r said <"$state/said"
count=0
while IFS='|' read -r index uuid name total; do count=$((count + 1)); done <"$state/cards"

query='' format='' list='' only=''
while [ $# -gt 0 ]; do
  case $1 in
    --query-gpu=*) query=$(after_equals "$1") ;;
    --format=*) format=$(after_equals "$1") ;;
    --id=*) only=$(after_equals "$1") ;;
    -i) only=$2; shift ;;
    -L | --list-gpus) list=1 ;;
    --query-compute-apps=*) exit 0 ;;
    *) printf 'Invalid combination of input arguments. Please run nvidia-smi -h for help.\n'; exit 2 ;;
  esac
  shift
done

unit() { case ",$format," in *,nounits,*) printf '%s' "$1" ;; *) printf '%s %s' "$1" "$2" ;; esac; }
field() {
  case $1 in
    index) printf '%s' "$index" ;;
    uuid | gpu_uuid) printf '%s' "$uuid" ;;
    name | gpu_name) printf '%s' "$name" ;;
    count) printf '%s' "$count" ;;
    driver_version) printf '570.124.06' ;;
    utilization.gpu) if [ -n "$said" ]; then printf '%s' "$said"; else unit "$util" %; fi ;;
    utilization.memory) if [ -n "$said" ]; then printf '%s' "$said"; else unit $((100 * used / total)) %; fi ;;
    memory.used) unit "$used" MiB ;;
    memory.free) unit $((total - used)) MiB ;;
    memory.total) unit "$total" MiB ;;
    *) printf '[N/A]' ;;
  esac
}
row() {
  gap='' IFS=', '
  for one in $query; do printf '%s' "$gap"; field "$one"; gap=', '; done
  unset IFS
  printf '\n'
}

if [ -n "$query" ]; then
  case ",$format," in *,csv,*) ;; *) printf '"--format=" switch is missing. Please run nvidia-smi -h for help.\n'; exit 2 ;; esac
  case ",$format," in *,noheader,*) ;; *) printf '%s\n' "$query" ;; esac
elif [ -z "$list" ]; then
  printf '| NVIDIA-SMI 570.124.06   Driver Version: 570.124.06   CUDA Version: 12.8 |\n'
fi
while IFS='|' read -r index uuid name total; do
  if [ -n "$only" ] && [ "$only" != "$index" ] && [ "$only" != "$uuid" ]; then continue; fi
  if [ -n "$query" ]; then row
  elif [ -n "$list" ]; then
    printf 'GPU %s: %s (UUID: %s)\n' "$index" "$name" "$uuid"
  else
    shown=$said
    if [ -z "$shown" ]; then shown=$util%; fi
    printf '|   %s  %s   On |\n' "$index" "$name"
    printf '| 30%%   41C    P2    92W / 450W | %6sMiB / %6sMiB | %7s      Default |\n' "$used" "$total" "$shown"
  fi
done <"$state/cards"
`;;const HOME=`usr/local/lib/podtrack-world/gpu`;const FAILURES={"no-devices":{text:`No devices were found`,stream:1,exit:6},"driver-mismatch":{text:`Failed to initialize NVML: Driver/library version mismatch
NVML library version: 550.144`,stream:1,exit:18},"missing-tool":{text:`sh: nvidia-smi: not found`,stream:2,exit:127}};async function installNvidiaSmi(root,state){await(0,promises_.mkdir)((0,external_node_path_.join)(root,HOME),{recursive:true});await(0,promises_.writeFile)((0,external_node_path_.join)(root,HOME,`start`),`${await monotonicMs()}\n`);await(0,promises_.writeFile)((0,external_node_path_.join)(root,`usr/local/bin/nvidia-smi`),NVIDIA_SMI_TEXT,{mode:493});await writeGpuState(root,state)}async function writeGpuState(root,state){const place=(0,external_node_path_.join)(root,HOME);const{gpu}=state;const moments=[0,...(gpu.script??[]).map(step=>step.afterMs)];const steps=moments.map(afterMs=>{const load=(0,gpu_load.sp)(gpu,afterMs);return`${afterMs} ${load.util} ${load.memUsedMiB}\n`});await replaceFile((0,external_node_path_.join)(place,`steps`),steps.join(``));await replaceFile((0,external_node_path_.join)(place,`cycle`),`${state.cycle.join(` `)}\n`);await replaceFile((0,external_node_path_.join)(place,`said`),`${saidInsteadOfUtil(state.fault)}\n`);await replaceFile((0,external_node_path_.join)(place,`cards`),cards(state));await(0,promises_.rm)((0,external_node_path_.join)(place,`fault`),{force:true});const fault=faultSnippet(state);if(fault!==null)await replaceFile((0,external_node_path_.join)(place,`fault`),fault)}async function replaceFile(path,text){await(0,promises_.writeFile)(`${path}.new`,text);await(0,promises_.rename)(`${path}.new`,path)}function cards(state){const{gpu}=state;return Array.from({length:gpu.count},(_,index)=>{const uuid=`GPU-1f0c7a52-9b1e-4c1f-8a54-${String(index).padStart(12,`0`)}`;return`${index}|${uuid}|${gpu.name}|${Math.max(1,gpu.memTotalMiB)}\n`}).join(``)}function saidInsteadOfUtil(fault){if(fault===`not-supported`)return`[Not Supported]`;return fault===`mig`||fault===`not-available`?`[N/A]`:``}function faultSnippet(state){if(state.fault===`hangs`)return`exec sleep 2000000
`;const kind=state.fault??(state.gpu.count===0?`no-devices`:null);const failure=kind===null?undefined:FAILURES[kind];if(failure===undefined)return null;return`printf '%s\\n' '${failure.text}' >&${failure.stream}\nexit ${state.faultExit??failure.exit}\n`}async function monotonicMs(){if(!(0,external_node_fs_.existsSync)(`/proc/uptime`))return Math.floor(Date.now()/1e3)*1e3;return Math.round(Number((await(0,promises_.readFile)(`/proc/uptime`,`utf8`)).split(` `)[0])*1e3)};const HALF_BYTES=32;function makeOpensshKey(comment){const made=(0,external_node_crypto_.generateKeyPairSync)(`ed25519`,{privateKeyEncoding:{type:`pkcs8`,format:`der`},publicKeyEncoding:{type:`spki`,format:`der`}});const seed=made.privateKey.subarray(-HALF_BYTES);const point=made.publicKey.subarray(-HALF_BYTES);const publicBlob=Buffer.concat([field(`ssh-ed25519`),field(point)]);return{privateKey:pem(privateBody({seed,point,publicBlob,comment})),publicLine:`ssh-ed25519 ${publicBlob.toString(`base64`)} ${comment}`,fingerprint:fingerprintOf(publicBlob)}}function fingerprintOf(publicBlob){return`SHA256:${(0,external_node_crypto_.createHash)(`sha256`).update(publicBlob).digest(`base64`).replace(/=+$/,``)}`}function privateBody(key){const check=(0,external_node_crypto_.randomBytes)(4);const secret=[check,check,field(`ssh-ed25519`),field(key.point),field(Buffer.concat([key.seed,key.point]))];const plain=Buffer.concat([...secret,field(key.comment)]);const padding=Buffer.from(Array.from({length:(8-plain.length%8)%8},(_,index)=>index+1));const head=[Buffer.from(`openssh-key-v1\0`),field(`none`),field(`none`),field(``),uint32(1)];return Buffer.concat([...head,field(key.publicBlob),field(Buffer.concat([plain,padding]))])}function pem(body){const lines=body.toString(`base64`).match(/.{1,70}/g)??[];return[`-----BEGIN OPENSSH PRIVATE KEY-----`,...lines,`-----END OPENSSH PRIVATE KEY-----`,``].join(`
`)}function field(content){const bytes=Buffer.from(content);return Buffer.concat([uint32(bytes.length),bytes])}function uint32(value){const bytes=Buffer.alloc(4);bytes.writeUInt32BE(value);return bytes}var pod_folder=__webpack_require__(74301);var external_node_net_=__webpack_require__(77030);var lib=__webpack_require__(20972);var external_node_stream_=__webpack_require__(57075);;function outputsOf(channel){let turn=Promise.resolve();const inTurn=stream=>new external_node_stream_.Writable({write(chunk,_encoding,done){const write=()=>new Promise(over=>{if(!stream.writable){done();over();return}stream.write(chunk,cause=>{Object.assign(channel,EMPTY_SLOTS);done(cause);over()})});turn=turn.then(write)}});return{stdout:inTurn(channel),stderr:inTurn(channel.stderr)}}const EMPTY_SLOTS={_chunk:undefined,_chunkcb:undefined,_chunkErr:undefined,_chunkcbErr:undefined};;function joinCommand(channel,child,conduct){if(conduct.noise!==``)channel.write(conduct.noise);let open=3;const finishOne=()=>{open-=1;if(open===0)channel.stderr.end(()=>channel.end())};const out=outputsOf(channel);child.stdout.pipe(stallAfter(conduct.stallAfterBytes)).pipe(out.stdout).once(`finish`,finishOne);child.stderr.pipe(out.stderr).once(`finish`,finishOne);channel.pipe(child.stdin);child.once(`exit`,(code,signal)=>{if(signal===null)channel.exit(code??255);else channel.exit(signal.replace(/^SIG/,``),false,``);finishOne()});child.once(`error`,cause=>{channel.stderr.end(`sh: ${cause.message}\n`);channel.exit(255);channel.end()});for(const stream of[child.stdin,child.stdout,child.stderr,out.stdout,out.stderr,channel,channel.stderr])stream.on(`error`,ignore)}function signalGroup(pid,name){const signal=`SIG${name}`;if(pid===undefined||!isSignal(signal))return;try{process.kill(-pid,signal)}catch{}}function isSignal(name){return name in external_node_os_.constants.signals}function stallAfter(limit){let left=limit??Number.POSITIVE_INFINITY;return new external_node_stream_.Transform({transform(chunk,_encoding,done){if(chunk.length<=left){left-=chunk.length;done(null,chunk);return}this.push(chunk.subarray(0,left));left=0}})}function ignore(){};function judgeLogin(attempt,rule){const admitted=attempt.method===`publickey`&&!rule.refused()&&attempt.username===rule.username&&rule.keys().some(line=>opensWith(line,attempt));if(admitted)attempt.accept();else attempt.reject([`publickey`])}function opensWith(line,attempt){const parsed=lib.utils.parseKey(line);const key=Array.isArray(parsed)?parsed[0]:parsed;if(!isKey(key)||!key.getPublicSSH().equals(attempt.key.data))return false;if(attempt.signature===undefined||attempt.blob===undefined)return true;return key.verify(attempt.blob,attempt.signature,attempt.hashAlgo)}function isKey(value){return typeof value===`object`&&value!==null&&`getPublicSSH`in value&&`verify`in value};function joinTerminal(channel,child){const show=text=>channel.write(Buffer.from(text.replaceAll(`
`,`\r
`),`latin1`));child.stdout.on(`data`,bytes=>show(bytes.toString(`latin1`)));child.stderr.on(`data`,bytes=>show(bytes.toString(`latin1`)));const keyboard=lineEditor(child,show);channel.on(`data`,bytes=>{for(const key of bytes.toString(`latin1`))keyboard(key)});channel.once(`end`,()=>child.stdin.end());for(const stream of[child.stdin,child.stdout,child.stderr,channel])stream.on(`error`,()=>undefined);child.once(`error`,cause=>show(`sh: ${cause.message}\n`));child.once(`close`,code=>{channel.exit(code??255);channel.end()})}function lineEditor(child,show){let line=``;return key=>{if(key===`\r`||key===`
`){show(`
`);child.stdin.write(`${line}\n`,`latin1`);line=``}else if(key===``||key===`\b`){if(line!==``)show(`\b \b`);line=line.slice(0,-1)}else if(key===``){show(`^C
`);line=``;signalGroup(child.pid,`INT`)}else if(key===``){if(line===``)child.stdin.end()}else{show(key);line+=key}}};const MAX_SESSIONS=10;const HOST=`127.0.0.1`;async function openSshDoor(options){const sockets=new Set;const held=[];let frozen=false;let ssh=sshServer(options,options.hostKey);const server=(0,external_node_net_.createServer)({noDelay:true},socket=>{sockets.add(socket);socket.once(`close`,()=>sockets.delete(socket));socket.on(`error`,()=>socket.destroy());if(frozen)held.push(socket);else ssh.injectSocket(socket)});const listen=port=>new Promise((resolve,reject)=>{server.once(`error`,reject);server.listen(port,HOST,()=>{server.off(`error`,reject);const bound=server.address();resolve(typeof bound===`object`&&bound!==null?bound.port:port)})});const address={host:HOST,port:await listen(0)};return{address,close:()=>new Promise(resolve=>{server.close(()=>resolve());for(const socket of sockets)socket.destroy()}),reopen:async()=>{if(!server.listening)await listen(address.port)},freeze:wanted=>{frozen=wanted;for(const socket of sockets){if(wanted)socket.pause();else socket.resume()}if(!wanted)for(const socket of held.splice(0))ssh.injectSocket(socket)},setHostKey:key=>{ssh=sshServer(options,key)}}}function sshServer(options,key){return new lib.Server({hostKeys:[key.privateKey]},connection=>serve(connection,options))}function serve(connection,options){const sessions=new Set;connection.on(`error`,()=>connection.end());connection.once(`close`,()=>{for(const hangUp of sessions)hangUp()});connection.on(`authentication`,attempt=>{setTimeout(()=>judgeLogin(attempt,options.login),options.conduct.loginDelayMs)});connection.on(`session`,(accept,reject)=>{if(sessions.size>=MAX_SESSIONS)reject();else serveSession(accept(),options,sessions)})}function serveSession(session,options,sessions){let child;let terminal=false;let gone=false;const hangUp=()=>{gone=true;sessions.delete(hangUp);for(const pipe of[child?.stdin,child?.stdout,child?.stderr])pipe?.destroy()};sessions.add(hangUp);const begin=(channel,command)=>{channel.once(`finish`,hangUp);channel.once(`close`,hangUp);if(options.terminalOnly&&!terminal){refuseWithoutTerminal(channel);return}setTimeout(()=>{if(gone)return;const fallback=terminal?[`-i`]:[];child=options.launch(command===null||options.terminalOnly?fallback:[`-c`,command]);if(terminal)joinTerminal(channel,child);else joinCommand(channel,child,options.conduct)},options.conduct.execDelayMs)};session.on(`pty`,accept=>{terminal=true;accept?.()});session.on(`exec`,(accept,_reject,info)=>begin(accept(),info.command));session.on(`shell`,accept=>begin(accept(),null));session.on(`signal`,(accept,_reject,info)=>{accept?.();signalGroup(child?.pid,info.name)})}function refuseWithoutTerminal(channel){channel.resume();channel.write(`Error: Your SSH client doesn't support PTY
`);channel.exit(1);channel.end()};function newContainer(pod,ground){if(!/^[\w-]{1,64}$/.test(pod.id))throw new Error(`Not a pod id that can be a folder: ${pod.id}`);const log=containerLog(()=>ground.now());const gpu=gpuState(pod.gpu);return{id:pod.id,ground,conduct:goodConduct(),log,pod,gpu,running:null,filesLaid:false}}function rootOf(container){return(0,external_node_path_.join)(container.ground.folder,`pods`,container.id)}function markerOf(container){return`${container.id}-${container.ground.nonce}`}async function startContainer(container,pod){await stopContainer(container);if(container.ground.closed)throw new Error(`The world has ended; pod ${pod.id} starts no more`);if(JSON.stringify(pod.gpu)!==JSON.stringify(container.pod.gpu))container.gpu=gpuState(pod.gpu);container.pod=pod;const running=await openDoor(container);container.running=running;try{if(!runsSshd(pod))await running.door.close();await(0,pod_folder._w)(rootOf(container),volumeOf(container));await furnish(container,running)}catch(cause){await stopContainer(container);throw cause}container.log.add(`start container for ${pod.image}: begin`);if(startScriptRuns(pod)){container.log.add(...startLines(container.id,runsSshd(pod)?running.hostKey.fingerprint:null))}return running.door.address}async function stopContainer(container){if(container.running===null)return;await shutDoors(container);await endProcesses(marker=>marker===markerOf(container));await(0,pod_folder.Tt)(rootOf(container),volumeOf(container))}async function removeContainer(container){await stopContainer(container);await(0,pod_folder.dM)(keptVolume(container))}async function shutDoors(container){const{running}=container;container.running=null;await running?.door.close();await running?.proxy?.close()}function launch(container,shellArguments){const root=rootOf(container);return(0,external_node_child_process_.spawn)(`/bin/sh`,shellArguments,{cwd:(0,external_node_path_.join)(root,`root`),env:sessionEnv(root,markerOf(container)),detached:true,stdio:`pipe`})}function loginRule(container,username){return{username,keys:()=>authorizedKeys((0,external_node_path_.join)(rootOf(container),`root/.ssh/authorized_keys`)),refused:()=>container.conduct.refuseLogin}}async function openDoor(container){const hostKey=makeOpensshKey(`root@${container.id.slice(0,12)}`);const door=await openSshDoor({hostKey,login:loginRule(container,`root`),conduct:container.conduct,launch:shellArguments=>launch(container,shellArguments),terminalOnly:false});return{startedAt:container.ground.now(),door,proxy:null,hostKey}}async function furnish(container,running){const root=rootOf(container);const{pod}=container;const env=containerEnv(pod,running.door.address);await(0,promises_.writeFile)((0,external_node_path_.join)(root,`proc/1/environ`),environText(env),{mode:384});await(0,promises_.writeFile)((0,external_node_path_.join)(root,`etc/rp_environment`),rpEnvironmentText(env),{mode:384});await(0,promises_.writeFile)((0,external_node_path_.join)(root,`etc/ssh/ssh_host_ed25519_key.pub`),`${running.hostKey.publicLine}\n`);await(0,promises_.writeFile)((0,external_node_path_.join)(root,`root/.ssh/authorized_keys`),pod.sshKeys.map(line=>`${line}\n`).join(``),{mode:384});await installNvidiaSmi(root,container.gpu);if(container.ground.withCurl)await installCurl(root);if(container.filesLaid)return;for(const[path,content]of Object.entries(pod.files))await(0,pod_folder.r0)(root,path,content);container.filesLaid=true}function startScriptRuns(pod){return pod.args===``||pod.args.includes(`start.sh`)}function runsSshd(pod){return pod.ports.includes(`22/tcp`)&&(startScriptRuns(pod)||/sshd|ssh start/.test(pod.args))}function volumeOf(container){const{volumePath}=container.pod;return volumePath===null?null:{path:volumePath,keptAt:keptVolume(container)}}function keptVolume(container){return(0,external_node_path_.join)(container.ground.folder,`volumes`,container.id)}function authorizedKeys(path){try{return(0,external_node_fs_.readFileSync)(path,`utf8`).split(`
`)}catch{return[]}}var consumers_=__webpack_require__(38321);;const RAM_FOLDERS=[`/dev/shm`,`/run`,`/tmp`];function podControls(pods,ground){const known=podId=>{const container=pods.get(podId);if(container===undefined)throw new Error(`The world hosts no pod ${podId}`);return container};const up=podId=>{const container=known(podId);if(container.running===null)throw new Error(`Pod ${podId} is not running`);return{container,running:container.running}};return{...sshControls(known,up),...insideControls(known,up,ground)}}function sshControls(known,up){return{dropSsh:async podId=>await up(podId).running.door.close(),restoreSsh:async podId=>await up(podId).running.door.reopen(),freezeSsh:(podId,frozen)=>up(podId).running.door.freeze(frozen),refuseLogin:(podId,refused)=>{known(podId).conduct.refuseLogin=refused},stallTransfer:(podId,afterBytes)=>{known(podId).conduct.stallAfterBytes=afterBytes},delaySsh:(podId,{loginMs,execMs})=>{const{conduct}=known(podId);conduct.loginDelayMs=loginMs??conduct.loginDelayMs;conduct.execDelayMs=execMs??conduct.execDelayMs},setNoise:(podId,noise)=>{known(podId).conduct.noise=noise},swapHostKey:async podId=>{const{running}=up(podId);running.hostKey=makeOpensshKey(`root@elsewhere`);running.door.setHostKey(running.hostKey);return running.hostKey.fingerprint},fingerprint:podId=>up(podId).running.hostKey.fingerprint,openProxy:async podId=>{const{container,running}=up(podId);running.proxy??=await openSshDoor({hostKey:makeOpensshKey(`proxy`),login:loginRule(container,proxyUser(container.pod)),conduct:container.conduct,launch:shellArguments=>launch(container,shellArguments),terminalOnly:true});return running.proxy.address}}}function insideControls(known,up,ground){const write=async(podId,path,content)=>await(0,pod_folder.r0)(rootOf(up(podId).container),path,content);return{setGpu:async(podId,change)=>{const container=known(podId);container.gpu=changedGpu(container.gpu,change);if(container.running!==null)await writeGpuState(rootOf(container),container.gpu)},writeFile:write,readFile:async(podId,path)=>await(0,promises_.readFile)((0,pod_folder.eC)(rootOf(up(podId).container),path),`utf8`),heartbeat:async(podId,content)=>await write(podId,`~/.podtrack_job_alive`,content??`${Math.floor(ground.now()/1e3)}\n`),run:async(podId,command)=>await run(up(podId).container,command),killProcess:async(podId,name)=>await killGuard(up(podId).container,name),processes:podId=>processesOf(marker=>marker===`${podId}-${ground.nonce}`),folder:podId=>rootOf(known(podId))}}async function run(container,command){const child=launch(container,[`-c`,command]);child.stdin.end();const ended=new Promise((resolve,reject)=>{child.once(`error`,reject);child.once(`exit`,(code,signal)=>resolve({code,signal}))});const[end,stdout,stderr]=await Promise.all([ended,(0,consumers_.text)(child.stdout),(0,consumers_.text)(child.stderr)]);return{...end,stdout,stderr}}async function killGuard(container,name){const ours=processesOf(marker=>marker===markerOf(container));for(const folder of RAM_FOLDERS){const path=(0,pod_folder.eC)(rootOf(container),`${folder}/podtrack/${name}.pid`);const pid=Number.parseInt(await(0,promises_.readFile)(path,`utf8`).catch(()=>``),10);if(!ours.includes(pid))continue;process.kill(pid,`SIGKILL`);return pid}throw new Error(`Pod ${container.id} runs no ${name}: no pid file in its RAM folders names a process of this pod`)};async function createFolderPodHosts(options={}){const withCurl=options.curl===`always`||!hasHttpTool(process.env[`PATH`]??``);const ground={folder:await(0,promises_.mkdtemp)((0,external_node_path_.join)(options.parent??(0,external_node_os_.tmpdir)(),`podtrack-world-`)),nonce:(0,external_node_crypto_.randomBytes)(6).toString(`hex`),withCurl,closed:false,now:options.now??Date.now};const pods=new Map;const inTurn=turns();const ours=marker=>marker.endsWith(`-${ground.nonce}`);const atExit=()=>{endProcessesNow(ours);(0,external_node_fs_.rmSync)(ground.folder,{recursive:true,force:true,maxRetries:5,retryDelay:20})};process.once(`exit`,atExit);return{...hostVerbs(pods,ground,inTurn),...podControls(pods,ground),standIns:withCurl?[`curl`]:[],close:async()=>{ground.closed=true;await Promise.all([...pods.values()].map(one=>inTurn(one.id,()=>shutDoors(one))));pods.clear();await endProcesses(ours);await(0,pod_folder.dM)(ground.folder);process.off(`exit`,atExit)}}}function hostVerbs(pods,ground,inTurn){return{start:pod=>inTurn(pod.id,async()=>{const container=pods.get(pod.id)??newContainer(pod,ground);pods.set(pod.id,container);return await startContainer(container,pod)}),stop:podId=>inTurn(podId,async()=>{const container=pods.get(podId);if(container!==undefined)await stopContainer(container)}),remove:podId=>inTurn(podId,async()=>{const container=pods.get(podId);if(container===undefined)return;await removeContainer(container);pods.delete(podId)}),telemetry:podId=>{const container=pods.get(podId);if(container===undefined||container.running===null)return null;return telemetryOf(container.gpu,ground.now()-container.running.startedAt)},logs:podId=>pods.get(podId)?.log.lines()??[]}}function turns(){const last=new Map;return(podId,act)=>{const next=(last.get(podId)??Promise.resolve()).then(act,act);last.set(podId,next);return next}}}),74301:((__unused_webpack___webpack_module__,__webpack_exports__,__webpack_require__)=>{__webpack_require__.d(__webpack_exports__,{Tt:()=>wipeContainer,_w:()=>layContainer,dM:()=>removeTree,eC:()=>insidePod,r0:()=>layFile});var node_crypto__WEBPACK_IMPORTED_MODULE_0__=__webpack_require__(77598);var node_fs__WEBPACK_IMPORTED_MODULE_1__=__webpack_require__(73024);var node_fs_promises__WEBPACK_IMPORTED_MODULE_2__=__webpack_require__(51455);var node_path__WEBPACK_IMPORTED_MODULE_3__=__webpack_require__(76760);const FOLDERS=[`root/.ssh`,`workspace`,`dev/shm`,`run`,`tmp`,`proc/1`,`etc/ssh`,`usr/local/bin`,`usr/local/lib`];const MOUNTS=[`overlay / overlay rw,relatime 0 0`,`proc /proc proc rw,nosuid,nodev,noexec,relatime 0 0`,`tmpfs /dev tmpfs rw,nosuid,size=65536k,mode=755 0 0`,`shm /dev/shm tmpfs rw,nosuid,nodev,noexec,relatime,size=65536k 0 0`];function insidePod(root,path){const onPod=(0,node_path__WEBPACK_IMPORTED_MODULE_3__.normalize)(path.startsWith(`~/`)?`/root/${path.slice(2)}`:`/${path}`);if(path.includes(`\0`)||path.split(`/`).includes(`..`))throw new Error(`Not a plain path on the pod: ${path}`);return(0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,onPod)}async function layContainer(root,volume){await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)(root,{recursive:true,mode:448});for(const folder of FOLDERS)await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,folder),{recursive:true});await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.chmod)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,`root/.ssh`),448);await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.chmod)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,`tmp`),1023);const mounts=volume===null?MOUNTS:[...MOUNTS,`/dev/vda ${volume.path} ext4 rw,relatime 0 0`];await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.writeFile)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,`proc/mounts`),`${mounts.join(`
`)}\n`);for(const name of[`uptime`,`loadavg`]){if((0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(`/proc/${name}`))await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.symlink)(`/proc/${name}`,(0,node_path__WEBPACK_IMPORTED_MODULE_3__.join)(root,`proc`,name))}if(volume!==null)await mountVolume(root,volume)}async function wipeContainer(root,volume){if(volume!==null&&(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(insidePod(root,volume.path))){await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.dirname)(volume.keptAt),{recursive:true});await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.rename)(insidePod(root,volume.path),volume.keptAt)}await removeTree(root)}async function removeTree(path){await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.rm)(path,{recursive:true,force:true,maxRetries:10,retryDelay:20})}async function layFile(root,path,content){const target=insidePod(root,path);await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.dirname)(target),{recursive:true});await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.writeFile)(target,bytesOf(content))}function bytesOf(content){if(typeof content===`string`)return Buffer.from(content);return`base64`in content?Buffer.from(content.base64,`base64`):filler(content.size)}function filler(size){const block=32;const bytes=Buffer.alloc(size);for(let at=0;at<size;at+=block){(0,node_crypto__WEBPACK_IMPORTED_MODULE_0__.createHash)(`sha256`).update(`filler ${at}`).digest().copy(bytes,at)}return bytes}async function mountVolume(root,volume){const mountPoint=insidePod(root,volume.path);if(!(0,node_fs__WEBPACK_IMPORTED_MODULE_1__.existsSync)(volume.keptAt)){await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)(mountPoint,{recursive:true});return}await removeTree(mountPoint);await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.mkdir)((0,node_path__WEBPACK_IMPORTED_MODULE_3__.dirname)(mountPoint),{recursive:true});await(0,node_fs_promises__WEBPACK_IMPORTED_MODULE_2__.rename)(volume.keptAt,mountPoint)}})};