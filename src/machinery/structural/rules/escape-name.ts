import { dictionary } from "../../../base/collections/dictionary.js";

/** CEL's own words: a field of such a name is "__namespace__" in expressions. */
const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
});

const ESCAPED: ReadonlyMap<string, string> = new Map(Object.entries(ESCAPES).map(([name, escape]) => [escape, name]));

/** The name of a field in expressions; undefined for a field that they cannot name. Source: apiserver's cel.Escape. */
export function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}

/** Finds the field that a name in an expression means; undefined for a name that no field escapes to. Source: apiserver's cel.Unescape. */
export function unescapeName(escaped: string): string | undefined {
  if (!escaped.includes("__")) return escaped;
  let isName = true;
  const name = escaped.replaceAll(/__[^_]+__/g, (part) => {
    const plain = ESCAPED.get(part);
    if (plain !== undefined) return plain;
    const word = part.slice(2, -2);
    if (!RESERVED.has(word) || part.length !== escaped.length) isName = false;
    return word;
  });
  return isName ? name : undefined;
}

/** Whether a name is a reserved word of CEL. Where it names a field, it may be written without the underscores of {@link escapeName}. */
export const isReserved = (name: string): boolean => RESERVED.has(name);
