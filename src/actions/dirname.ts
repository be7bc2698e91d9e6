/** Gives the bundle the `__dirname` that ssh2's cipher loader asks for at import: the entry must import this file first. */
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

const scope: { __dirname?: string } = globalThis;
scope.__dirname ??= dirname(fileURLToPath(import.meta.url));
