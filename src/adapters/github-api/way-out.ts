/** The fetch that reaches GitHub: Node's own, or one through the proxy that the environment names. */
import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici';
import { ConfigError } from '../../domain/errors.ts';

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

export type Fetch = (url: string, init?: Parameters<typeof undiciFetch>[1]) => Promise<unknown>;

/** The loopback is reached directly: no proxy can reach it for us. */
function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
}

/**
 * Node's own fetch knows no proxies; undici prints a warning about its proxy agent, so it is made only where one is
 * named. Throws ConfigError for a proxy address that is none; the address is not repeated, it may hold a password.
 */
export function wayOut(api: URL, env: Readonly<Record<string, string | undefined>>): Fetch | null {
  const variable = PROXY_VARIABLES.find((name) => (env[name] ?? '') !== '');
  if (variable === undefined || isLoopback(api)) return null;
  try {
    const dispatcher = new EnvHttpProxyAgent();
    return (url, init) => undiciFetch(url, { ...init, dispatcher });
  } catch {
    throw new ConfigError(variable, {
      tried: 'Preparing the connection to GitHub',
      cameBack: `${variable} is no proxy address`,
      state: 'Nothing was asked and nothing was changed',
      next: `Give ${variable} as http://host:port, or unset it`,
    });
  }
}
