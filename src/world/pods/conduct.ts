/** How a pod's SSH side misbehaves: one mutable sheet per pod, read at each login and each command. */

/** Told before a login or a command is done and after; true = whoever asks is no more, and what was asked is not done. */
export type SshWatch = (when: 'before' | 'after', what: string) => boolean;

export interface Conduct {
  /** The login is refused whatever key is shown. */
  refuseLogin: boolean;
  /** Waited before a login is answered, and before a command is started. */
  loginDelayMs: number;
  execDelayMs: number;
  /** Written to stdout before the command's own output, as a chatty rc file does. */
  noise: string;
  /** After so many bytes of one command's stdout nothing more comes, though the connection stays alive; null = all comes. */
  stallAfterBytes: number | null;
  watch: SshWatch;
}

/** A pod that behaves. */
export function goodConduct(): Conduct {
  return {
    refuseLogin: false,
    loginDelayMs: 0,
    execDelayMs: 0,
    noise: '',
    stallAfterBytes: null,
    watch: () => false,
  };
}
