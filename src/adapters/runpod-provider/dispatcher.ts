/** The way out to the network: proxies as the environment names them, patience for each address. */
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { ConfigError } from '../../domain/errors.ts';

type Patience = { readonly connectMs: number; readonly perAddressMs: number };

const PROXY_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/** Only where a proxy is named: undici prints a warning about its own proxy agent once it is made. */
function proxyVariable(): string | null {
  return PROXY_VARIABLES.find((name) => (process.env[name] ?? '') !== '') ?? null;
}

/**
 * HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured, except to the loopback, which no proxy can reach for us.
 * Throws ConfigError for a proxy address that is none; the address is not repeated, it may hold a password.
 */
export function systemDispatcher(patience: Patience, loopback: boolean): Dispatcher {
  const connect = {
    timeout: patience.connectMs,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: patience.perAddressMs,
  };
  const variable = loopback ? null : proxyVariable();
  if (variable === null) return new Agent({ connect });
  try {
    // `proxyTls` is handed on to undici's ProxyAgent, though the type of this agent does not list it.
    const options = { connect, proxyTls: connect };
    return new EnvHttpProxyAgent(options);
  } catch {
    throw new ConfigError(variable, {
      tried: 'Preparing the connection to RunPod',
      cameBack: `${variable} is no proxy address`,
      state: 'Nothing was asked and nothing was changed',
      next: `Give ${variable} as http://host:port, or unset it`,
    });
  }
}
