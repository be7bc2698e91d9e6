/** The images of the switch table: what each lacks or does oddly, how it is made here, and what must come of it. */

/** Every program that the switch calls for besides its shell and its HTTP tool. */
const NEEDED = 'cat chmod cut date dd head mkdir mv rm rmdir sed sleep tail tr'.split(' ');

export type Image = {
  readonly name: string;
  /** Which programs are on the PATH besides `sh`: those named, everything of this machine but those named, or BusyBox's own. */
  readonly tools:
    | { readonly all: true; readonly but: readonly string[] }
    | { readonly only: readonly string[] }
    | { readonly busybox: true; readonly and: readonly string[] };
  /** Programs that are made up: a cell that has one is simulated and says so. */
  readonly made?: Readonly<Record<string, string>>;
  /** Shell lines that change the mounts before the pod begins; `$box` is a folder on a disk. */
  readonly mounts: string;
  readonly user?: 'nobody';
  /** With which certificate the API answers; left out = plain HTTP. */
  readonly tls?: 'signed' | 'unsigned' | 'over';
  /** Runs as root in the pod's mounts once it is armed. */
  readonly later?: string;
  readonly becomes: 'fires' | { readonly refused: RegExp };
  /** What is only simulated here, for the reader. */
  readonly simulated?: string;
};

const SHM = 'mount -t tmpfs -o size=8m,nosuid,nodev tmpfs /dev/shm';
const DISK_SHM = 'mount --bind "$box/disk" /dev/shm';
const EVERYTHING: Image['tools'] = { all: true, but: [] };
const PLAIN = { tools: EVERYTHING, mounts: SHM, becomes: 'fires' as const };
const but = (...names: string[]): Image['tools'] => ({ all: true, but: names });
const OLD_DATE = '#!/bin/sh\ncase $* in *%s*) echo 915148800 ;; *) echo 1999-01-01T00:00:00Z ;; esac\n';
const BAD_DATE = '#!/bin/sh\necho 99999999999999999999999999\n';
const OLD_SLEEP = '#!/bin/sh\ncase $1 in *.*) exit 1 ;; esac\nexec /bin/sleep "$1"\n';
const TOOL_OF_PROVIDER = '#!/bin/sh\necho "$*" >>"$HOME/asked"\n';
/** Every set of authorities out of sight; what the machine itself trusts does not count. */
const NO_AUTHORITIES = `${SHM}\nmount -t tmpfs tmpfs /etc/ssl/certs\nmount -t tmpfs tmpfs /opt`;

export const IMAGES: readonly Image[] = [
  { ...PLAIN, name: 'nothing missing, curl' },
  { ...PLAIN, name: 'no curl: GNU wget', tools: but('curl') },
  { ...PLAIN, name: 'no curl, no wget: python3', tools: but('curl', 'wget') },
  {
    ...PLAIN,
    name: 'runpodctl as the only tool',
    tools: but('curl', 'wget', 'python3'),
    made: { runpodctl: TOOL_OF_PROVIDER },
    simulated: 'runpodctl',
    becomes: { refused: /end_rest=no-tool/ },
  },
  { ...PLAIN, name: 'no setsid', tools: but('setsid') },
  { ...PLAIN, name: 'no setsid, no nohup', tools: but('setsid', 'nohup') },
  { ...PLAIN, name: 'no ps', tools: but('ps', 'pgrep', 'pkill') },
  { ...PLAIN, name: 'BusyBox tools and date only', tools: { busybox: true, and: ['curl'] } },
  { ...PLAIN, name: 'no tool but the needed', tools: { only: [...NEEDED, 'curl'] } },
  { ...PLAIN, name: 'user is not root', user: 'nobody' },
  {
    ...PLAIN,
    name: 'HOME is read-only',
    mounts: `${SHM}\nmount --bind "$HOME" "$HOME"\nmount -o remount,ro,bind "$HOME"`,
  },
  {
    ...PLAIN,
    name: 'CA bundle elsewhere (https)',
    tls: 'signed',
    mounts: `${NO_AUTHORITIES}\nmkdir -p /opt/conda/ssl\ncp "$box/authority" /opt/conda/ssl/cacert.pem`,
  },
  { ...PLAIN, name: '/dev/shm missing, /run is memory', mounts: `${DISK_SHM}\nmount -t tmpfs tmpfs /run` },
  { ...PLAIN, name: '/dev/shm noexec', mounts: `${SHM}\nmount -o remount,noexec /dev/shm` },
  {
    ...PLAIN,
    name: '/dev/shm full once armed',
    mounts: 'mount -t tmpfs -o size=512k tmpfs /dev/shm',
    later: 'dd if=/dev/zero of=/dev/shm/filler bs=1024',
  },
  {
    ...PLAIN,
    name: '/dev/shm out of inodes once armed',
    mounts: 'mount -t tmpfs -o size=8m,nr_inodes=40 tmpfs /dev/shm',
    later: 'i=0; while true >"/dev/shm/filler.$i"; do i=$((i + 1)); done 2>/dev/null',
  },
  { ...PLAIN, name: 'date prints garbage', made: { date: BAD_DATE }, simulated: 'date' },
  { ...PLAIN, name: 'sleep in whole seconds only', made: { sleep: OLD_SLEEP }, simulated: 'sleep' },
  {
    ...PLAIN,
    name: 'processes of others hidden, not root',
    mounts: `${SHM}\nmount -o remount,hidepid=2 /proc`,
    user: 'nobody',
  },
  { ...PLAIN, name: 'wall clock in 1999', made: { date: OLD_DATE }, simulated: 'date' },
  {
    ...PLAIN,
    name: 'no HTTP tool',
    tools: but('curl', 'wget', 'python3'),
    becomes: { refused: /^no-http-tool$|=no-tool/ },
  },
  {
    ...PLAIN,
    name: 'BusyBox wget only',
    tools: { busybox: true, and: [] },
    becomes: { refused: /^no-http-tool$|=no-tool/ },
  },
  {
    ...PLAIN,
    name: 'no CA bundle (https)',
    tls: 'signed',
    mounts: NO_AUTHORITIES,
    becomes: { refused: /tls-failed/ },
  },
  { ...PLAIN, name: 'nobody signed the server', tls: 'unsigned', becomes: { refused: /tls-failed/ } },
  {
    ...PLAIN,
    name: 'wrong clock (https)',
    tls: 'over',
    mounts: `${NO_AUTHORITIES}\nmkdir -p /opt/conda/ssl\ncp "$box/authority" /opt/conda/ssl/cacert.pem`,
    simulated: 'a certificate that is over',
    becomes: { refused: /tls-failed/ },
  },
  {
    ...PLAIN,
    name: '/dev/shm missing',
    mounts: 'while umount -l /dev/shm 2>/dev/null; do :; done',
    becomes: { refused: /^no-ram,\/dev\/shm:not-mounted/ },
  },
  {
    ...PLAIN,
    name: '/dev/shm read-only',
    mounts: `${SHM}\nmount -o remount,ro /dev/shm`,
    becomes: { refused: /^no-ram,\/dev\/shm:read-only/ },
  },
  {
    ...PLAIN,
    name: '/dev/shm full',
    mounts:
      'mount -t tmpfs -o size=64k tmpfs /dev/shm\ndd if=/dev/zero of=/dev/shm/filler bs=1024 2>/dev/null || :',
    becomes: { refused: /^no-ram,\/dev\/shm:no-room/ },
  },
  {
    ...PLAIN,
    name: '/dev/shm is a disk',
    mounts: DISK_SHM,
    becomes: { refused: /^no-ram,\/dev\/shm:not-memory/ },
  },
];
