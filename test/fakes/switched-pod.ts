/** A scripted pod for flow tests that answers the on-pod scripts as a pod with a switch does. */
import type { ScriptAnswer, ScriptCall } from '../../src/ports.ts';
import type { ScriptedPod } from './scripted-shell.ts';

export type SwitchedPod = ScriptedPod & {
  /** Values that a test bends; seconds and percentages. */
  util: string;
  heartbeatAgeS: number | null;
  /** null = no switch. */
  planted: { stopAtMs: number; absoluteAtMs: number; ownerAtMs: number; extensionsLeft: number } | null;
  alive: boolean;
  mark: { registryId: string; ownerUuid: string };
  /** What the provider says of the key on the pod, until another is planted. */
  key: 'works' | 'refused';
  /** Whether a pet is taken over but not acted on. */
  deaf: boolean;
  readonly installs: ScriptCall[];
  readonly pets: ScriptCall[];
  readonly probes: ScriptCall[];
};

const word = (call: ScriptCall, name: string): string =>
  call.args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';

/** `now` is the pod's clock and ours: skew has its tests elsewhere. */
export function switchedPod(id: string, now: () => number, of: Partial<SwitchedPod> = {}): SwitchedPod {
  const pod: SwitchedPod = {
    hostKey: `SHA256:${id.padEnd(43, 'x')}`,
    util: '0',
    heartbeatAgeS: null,
    planted: null,
    alive: true,
    mark: { registryId: '', ownerUuid: '' },
    key: 'works',
    deaf: false,
    installs: [],
    pets: [],
    probes: [],
    answer: (call) => answer(call),
    ...of,
  };

  const left = (at: number): number => Math.floor((at - now()) / 1000);

  function status(prefix = ''): string[] {
    const { planted } = pod;
    if (planted === null || !pod.alive) return [`${prefix}armed=no`, `${prefix}reason=not-installed`];
    return [
      'armed=yes',
      'watchdog=alive',
      'supervisor=alive',
      `stop_in=${left(planted.stopAtMs)}`,
      `owner_in=${left(planted.ownerAtMs)}`,
      `absolute_in=${left(planted.absoluteAtMs)}`,
      `extensions_left=${planted.extensionsLeft}`,
      'extensions_granted=0',
      'pet_window=0',
      'last_pet_ago=1',
      'acted=yes',
      'credential=present',
      'http_tool=curl',
      `pod_id=${id}`,
      `registry_id=${pod.mark.registryId}`,
      `owner_uuid=${pod.mark.ownerUuid}`,
    ].map((line) => prefix + line);
  }

  function take(call: ScriptCall): void {
    const at = (name: string): number => now() + Number(word(call, name)) * 1000;
    pod.planted = {
      stopAtMs: at('stop_in'),
      ownerAtMs: at('owner_in'),
      absoluteAtMs: at('absolute_in'),
      extensionsLeft: Number(word(call, 'extensions_left')),
    };
  }

  const said = (lines: readonly string[], exitCode = 0): ScriptAnswer => ({
    exitCode,
    stdout: `${lines.join('\n')}\n`,
    stderr: '',
  });

  function install(call: ScriptCall): ScriptAnswer {
    pod.installs.push(call);
    take(call);
    pod.alive = true;
    pod.key = 'works';
    pod.mark = {
      registryId: word(call, 'registry_id'),
      ownerUuid: decodeURIComponent(word(call, 'owner_uuid')),
    };
    return said(status());
  }

  function pet(call: ScriptCall): ScriptAnswer {
    pod.pets.push(call);
    if (pod.planted === null || !pod.alive) return said(['refused=not-installed', ...status()], 3);
    if (pod.deaf) return said(['refused=not-acted-on', ...status()], 1);
    take(call);
    return said(status());
  }

  function probe(call: ScriptCall): ScriptAnswer {
    pod.probes.push(call);
    const samples = Number(word(call, 'samples'));
    const nowS = Math.floor(now() / 1000);
    const beat =
      pod.heartbeatAgeS === null
        ? ['hb=absent']
        : ['hb=present', 'hb_content=', `hb_mtime=${nowS - pod.heartbeatAgeS}`];
    const gpu = Array.from({ length: samples }, () => [
      `gpu| 0, GPU-x, ${pod.util}, 0, 81559`,
      'gpu_exit=0',
    ]).flat();
    return said([
      `pod_now=${nowS}`,
      'uptime=9000',
      ...beat,
      'load1=0.1',
      'ssh_sessions=0',
      ...status('sw_'),
      `sw_key=${pod.key}`,
      ...gpu,
    ]);
  }

  function answer(call: ScriptCall): ScriptAnswer {
    if (call.script === 'install') return install(call);
    if (call.script === 'probe') return probe(call);
    if (call.script === 'evidence')
      return said(['process| pid=1 init:', 'record| armed', 'smi=unseen:not-on-the-pod']);
    switch (call.args[0]) {
      case 'pet':
        return pet(call);
      case 'check':
        return said([
          'http_tool=curl',
          'key=usable',
          'read_rest=ok',
          'end_rest=absent',
          'read_graphql=ok',
          'end_graphql=not-found',
        ]);
      default:
        return said(status());
    }
  }

  return pod;
}
