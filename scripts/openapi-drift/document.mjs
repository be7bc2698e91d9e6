/** The OpenAPI document as a set of JSON schemas, with the fields that came after its date. */
import { Ajv2020 } from 'ajv/dist/2020.js';

/** @typedef {Record<string, any>} Schema */
/** @typedef {{ paths: Record<string, Record<string, any>>, components: { schemas: Record<string, any> } }} Document */
/** @typedef {{ compared: string[], drift: string[] }} Report */

const texts = { type: 'array', items: { type: 'string' } };
const count = { type: 'integer', minimum: 1 };
const pagination = {
  type: 'object',
  required: ['nextCursor', 'hasNextPage'],
  properties: { nextCursor: { type: ['string', 'null'] }, hasNextPage: { type: 'boolean' } },
};

/**
 * The document of August 2026 does not know what clients send and servers answer since: named here, and nothing else.
 * @param {Document} document
 * @returns {Document}
 */
export function withLaterFields(document) {
  const { schemas } = document.components;
  Object.assign(schemas['BaseContainerConfig'].properties, { cmd: texts, entrypoint: texts });
  Object.assign(schemas['GpuConfig'].properties, {
    vcpuCount: { type: 'number' },
    memory: { type: 'number' },
  });
  const createGpu = schemas['CreateGpuConfig'];
  Object.assign(createGpu.allOf[1].properties, { minRamPerGpu: count, minVcpuCountPerGpu: count });
  for (const list of ['Pods', 'Templates', 'NetworkVolumes', 'Registries']) {
    Object.assign(schemas[`List${list}Response`].properties, { pagination });
  }
  return document;
}

/**
 * @param {Document} document
 * @returns {(pointer: string) => import('ajv').ValidateFunction} compiles the schema at a pointer into the document
 */
export function compilerOf(document) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/);
  for (const format of ['float', 'double', 'int32', 'int64']) ajv.addFormat(format, true);
  ajv.addSchema({ $id: 'doc', ...document });
  return (pointer) => ajv.compile({ $ref: `doc#${pointer}` });
}

/**
 * @param {Document} document
 * @param {any} node
 * @returns {any} the node itself, or what its $ref names
 */
export function resolved(document, node) {
  if (typeof node?.$ref !== 'string') return node;
  const parts = node.$ref.slice(2).split('/');
  return resolved(
    document,
    parts.reduce((/** @type {any} */ at, /** @type {string} */ part) => at[part], document),
  );
}

/**
 * @param {string} word
 * @returns {string} the word as one step of a JSON pointer inside a URI
 */
export function step(word) {
  return encodeURIComponent(word.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/**
 * Fields of a value that the schema does not name; the schemas are open, so a validator alone would not see them.
 * @param {Document} document
 * @param {any} open a schema, perhaps a $ref
 * @param {any} value
 * @param {string} place
 * @returns {string[]}
 */
export function unnamedFields(document, open, value, place) {
  if (Array.isArray(value)) {
    const items = partsOf(document, open).find((part) => part.items !== undefined)?.items;
    return value.flatMap((one, i) => unnamedFields(document, items ?? {}, one, `${place}[${i}]`));
  }
  if (typeof value !== 'object' || value === null) return [];
  const parts = partsOf(document, open);
  const isMap = parts.some((part) => typeof part.additionalProperties === 'object');
  return Object.entries(value).flatMap(([name, one]) => {
    const known = parts.find((part) => part.properties?.[name] !== undefined)?.properties[name];
    if (known === undefined) return isMap ? [] : [`${place}.${name}`];
    return unnamedFields(document, known, one, `${place}.${name}`);
  });
}

/**
 * @param {Document} document
 * @param {any} open
 * @returns {any[]} the schema and everything it is composed of
 */
function partsOf(document, open) {
  const schema = resolved(document, open);
  const composed = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  return [schema, ...composed.flatMap((part) => partsOf(document, part))];
}
