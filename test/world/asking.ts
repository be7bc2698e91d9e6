/** A bare client for the world's tests: says what came back, knows nothing of the product. */
import type { WorldHandle } from '../../src/world/serve.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON, undefined when it is none. */
  readonly body: unknown;
}

export interface Asking {
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export async function ask(
  world: WorldHandle,
  method: string,
  path: string,
  asking: Asking = {},
): Promise<Answer> {
  const key = asking.key === undefined ? world.apiKey : asking.key;
  const response = await fetch(`${world.restUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/json',
      ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
      ...asking.headers,
    },
    ...(asking.body === undefined
      ? {}
      : { body: typeof asking.body === 'string' ? asking.body : JSON.stringify(asking.body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
}

export async function askGraphql(
  world: WorldHandle,
  query: string,
  asking: { key?: string | null; variables?: unknown } = {},
): Promise<Answer> {
  const { key, variables } = asking;
  return await ask(world, 'POST', '/graphql', {
    ...(key === undefined ? {} : { key }),
    body: { query, ...(variables === undefined ? {} : { variables }) },
  });
}

/** A text field of a JSON object; throws when it is not there. */
export function textAt(value: unknown, field: string): string {
  if (typeof value === 'object' && value !== null && field in value) {
    const found: unknown = Object.getOwnPropertyDescriptor(value, field)?.value;
    if (typeof found === 'string') return found;
  }
  throw new Error(`no text at '${field}' in ${JSON.stringify(value)}`);
}

/** The ids of `{pods: [...]}`. */
export function podIds(answer: Answer): string[] {
  const { body } = answer;
  if (typeof body !== 'object' || body === null || !('pods' in body) || !Array.isArray(body.pods)) {
    throw new Error(`no list of pods in ${answer.text}`);
  }
  return body.pods.map((pod: unknown) => textAt(pod, 'id'));
}

/** A rental that the world accepts. */
export const RENTAL = {
  name: 'ci-42',
  image: 'example/train:1',
  gpu: { id: 'NVIDIA A40', count: 1 },
  disk: 20,
  ports: ['22/tcp'],
  env: { LEASE: 'x' },
} as const;
