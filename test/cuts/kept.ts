/** Whether the results of the pod lie whole in a lasting place, judged by the bytes and not by anybody's word. */
import { crc32 } from 'node:zlib';
import type { ResultsService } from '../runner/results-server.ts';

export const RESULTS: Readonly<Record<string, string>> = {
  'model.bin': 'weights',
  'log/train.txt': 'loss 0.1\n',
};

const ENTRY = 'PK\u0001\u0002';

/** Name → checksum, from the zip's central directory. */
function checksums(zip: Buffer): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (
    let at = zip.indexOf(ENTRY, 0, 'latin1');
    at >= 0;
    at = zip.indexOf(ENTRY, at + ENTRY.length, 'latin1')
  ) {
    const length = zip.readUInt16LE(at + 28);
    found.set(zip.subarray(at + 46, at + 46 + length).toString('utf8'), zip.readUInt32LE(at + 16));
  }
  return found;
}

export function isKept(results: ResultsService): boolean {
  return results.artifacts().some(({ bytes }) => {
    const kept = checksums(bytes);
    return Object.entries(RESULTS).every(([name, text]) => kept.get(name) === crc32(text));
  });
}
