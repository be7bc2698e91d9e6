/** How a pod's SSH side misbehaves: one mutable sheet per pod, read at each login and each command. */

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
}

/** A pod that behaves. */
export function goodConduct(): Conduct {
  return { refuseLogin: false, loginDelayMs: 0, execDelayMs: 0, noise: '', stallAfterBytes: null };
}
