/** Judges logins as the pod's sshd would: publickey only, against the keys the pod accepts at that moment. */
import ssh2, { type AuthContext, type PublicKeyAuthContext } from 'ssh2';

/** Who may come in. `keys` gives authorized_keys lines; lines that are no key (`null`, comments) admit nobody. */
export interface LoginRule {
  readonly username: string;
  keys(): readonly string[];
  refused(): boolean;
}

/** Answers one authentication request. */
export function judgeLogin(attempt: AuthContext, rule: LoginRule): void {
  const admitted =
    attempt.method === 'publickey' &&
    !rule.refused() &&
    attempt.username === rule.username &&
    rule.keys().some((line) => opensWith(line, attempt));
  if (admitted) attempt.accept();
  else attempt.reject(['publickey']);
}

function opensWith(line: string, attempt: PublicKeyAuthContext): boolean {
  const parsed: unknown = ssh2.utils.parseKey(line);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (!isKey(key) || !key.getPublicSSH().equals(attempt.key.data)) return false;
  // Without a signature the client only asks whether this key would do.
  if (attempt.signature === undefined || attempt.blob === undefined) return true;
  return key.verify(attempt.blob, attempt.signature, attempt.hashAlgo);
}

function isKey(
  value: unknown,
): value is { getPublicSSH(): Buffer; verify(data: Buffer, signature: Buffer, algo?: string): boolean } {
  return typeof value === 'object' && value !== null && 'getPublicSSH' in value && 'verify' in value;
}
