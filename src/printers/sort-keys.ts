import { errorMessage } from "../base/text/error-message.js";
import { JsonPath, relaxedJsonPath } from "../machinery/text/jsonpath/jsonpath.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { isLess, noSuchField, type SortField, type SortValue, sortValue, withNearFields } from "./sort-values.js";

/** One of several keys of --sort-by, or a descending one: kubets' own. */
export interface SortKey {
  /** As JSONPath, in braces. */
  readonly path: string;
  readonly descending: boolean;
}

/** A key that cannot be read, or that no object has. */
export class SortKeyError extends Error {
  override readonly name = "SortKeyError";
}

/**
 * The keys of "namespace,-name": paths without braces parted by commas, each descending after a minus. Undefined for what means
 * something to kubectl, which is one ascending path: it reads neither a comma nor a leading minus outside of braces.
 * Throws {@link SortKeyError}.
 */
export function parseSortKeys(text: string): readonly SortKey[] | undefined {
  if (/[{}]/.test(text)) return undefined;
  const parts = splitAtCommas(text);
  if (parts === undefined || (parts.length === 1 && !text.trimStart().startsWith("-"))) return undefined;
  return parts.map((part) => {
    const trimmed = part.trim();
    const descending = trimmed.startsWith("-");
    const path = descending ? trimmed.slice(1) : trimmed;
    if (path === "") throw new SortKeyError(`--sort-by=${text}: a key is missing`);
    return { path: readablePath(path), descending };
  });
}

function readablePath(path: string): string {
  try {
    const relaxed = relaxedJsonPath(path);
    new JsonPath(relaxed);
    return relaxed;
  } catch (error) {
    throw new SortKeyError(`--sort-by: ${path}: ${errorMessage(error)}`);
  }
}

/** Outside of brackets and quotes; undefined where those do not close. */
function splitAtCommas(text: string): readonly string[] | undefined {
  const parts = [""];
  let depth = 0;
  for (const [piece] of text.matchAll(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^]/g)) {
    if (piece === "'" || piece === '"') return undefined;
    if (piece === "[" || piece === "(") depth += 1;
    if (piece === "]" || piece === ")") depth -= 1;
    if (piece === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return depth === 0 ? parts : undefined;
}

/**
 * In the order of the first key, of the next where that is equal, and as they came where all are. Objects without a key come
 * first, last where it descends. Throws {@link SortKeyError} for a key that none has.
 */
export function sortByKeys<T>(
  items: readonly T[],
  keys: readonly SortKey[],
  inTable: boolean,
  objectOf: (item: T) => KubeObject | undefined,
): T[] {
  const fields = keys.map(({ path }): SortField => {
    return { path, inTable, parsed: new JsonPath(path, { allowMissingKeys: true }) };
  });
  const rows = items.map((item) => ({ item, values: fields.map((field) => sortValue(field, objectOf(item))) }));
  for (const [at, { path }] of fields.entries()) {
    if (rows.every(({ values }) => values[at]?.found !== true)) {
      throw withNearFields(new SortKeyError(noSuchField(path)), path, items.map(objectOf));
    }
  }
  const compare = (a: readonly SortValue[], b: readonly SortValue[]): number => {
    for (const [at, field] of fields.entries()) {
      const order = compareValues(a[at], b[at], field);
      if (order !== 0) return keys[at]?.descending === true ? -order : order;
    }
    return 0;
  };
  return rows.sort((a, b) => compare(a.values, b.values)).map(({ item }) => item);
}

function compareValues(a: SortValue | undefined, b: SortValue | undefined, field: SortField): number {
  if (a?.found !== true || b?.found !== true) return Number(a?.found === true) - Number(b?.found === true);
  if (isLess(a, b, field)) return -1;
  return isLess(b, a, field) ? 1 : 0;
}
