/** What was asked of the world: enough to count and to blame, never a key, a body or a query string. */
import type { Operation } from '../model/faults.ts';

export interface LoggedRequest {
  /** Epoch ms of the world's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
  readonly podId: string | null;
  readonly userAgent: string;
  /** HTTP status that was sent; null while there is none, or when there never was one. */
  status: number | null;
}

export interface RequestLog {
  add(request: LoggedRequest): void;
  all(): readonly LoggedRequest[];
}

/** Keeps the newest `max` requests. */
export function requestLog(max = 20_000): RequestLog {
  const kept: LoggedRequest[] = [];
  return {
    add(request) {
      kept.push(request);
      if (kept.length > max) kept.shift();
    },
    all: () => kept,
  };
}
