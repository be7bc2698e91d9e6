/** Names every file that is not the same, byte for byte, in two folders. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder
 * @returns {Map<string, Buffer>}
 */
function contents(folder) {
  /** @type {Map<string, Buffer>} */
  const files = new Map();
  if (!existsSync(folder)) return files;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    const path = join(folder, name);
    if (statSync(path).isFile()) files.set(name, readFileSync(path));
  }
  return files;
}

/**
 * @param {string} wanted the folder that is right
 * @param {string} found the folder that is judged
 * @returns {string[]} one line per file that is missing, surplus or different; empty when the folders are equal
 */
export function differences(wanted, found) {
  const right = contents(wanted);
  const judged = contents(found);
  const lines = [];
  for (const [name, bytes] of right) {
    const other = judged.get(name);
    if (other === undefined) lines.push(`missing: ${name}`);
    else if (!other.equals(bytes))
      lines.push(`differs: ${name} (${other.length} bytes, ${bytes.length} wanted)`);
  }
  for (const name of judged.keys()) if (!right.has(name)) lines.push(`surplus: ${name}`);
  return lines;
}
