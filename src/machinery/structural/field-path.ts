import { dictionary } from "../../base/collections/dictionary.js";
import { absent, isFields, object, type ReadonlyFields } from "../meta/access.js";

export interface FoundField {
  /** The names on the way. */
  readonly steps: readonly string[];
  /** As the paths of errors have it: "spec.colour", "labels[a.b]". */
  readonly text: string;
  readonly schema: ReadonlyFields | undefined;
}

/**
 * The field of a structural schema that a path such as ".spec.colour" or ".labels['a.b']" leads to, or what is wrong with it. Source:
 * apiextensions' cel.ValidFieldPath.
 */
export function fieldPath(path: string, schema: ReadonlyFields, allowBrackets = true): FoundField | string {
  const steps: string[] = [];
  let text = "";
  let at: ReadonlyFields | undefined = schema;
  const tokens = tokensOf(path);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    let name = tokens[++index];
    if (token === "[") {
      if (!allowBrackets) return "array notation is not allowed";
      if (name === undefined) return "unexpected end of JSON path";
      if (!/^'[^]*'$/.test(name) || name.length < 2) return `expected single quoted string but got ${name}`;
      const unquoted = unquote(name.slice(1, -1));
      if (unquoted.error !== undefined) return `invalid string literal: ${unquoted.error}`;
      name = unquoted.text;
    } else if (token !== ".") return `expected [ or . but got: ${token}`;
    if (name === undefined) return "unexpected end of JSON path";
    const next = stepInto(at, name);
    if (next === undefined) return "does not refer to a valid field";
    at = next.schema;
    steps.push(name);
    text += next.isKey ? `[${name}]` : text === "" ? name : `.${name}`;
    if (token !== "[") continue;
    const end = tokens[++index];
    if (end === undefined) return "unexpected end of JSON path";
    if (end !== "]") return `expected ] but got ${end}`;
  }
  return { steps, text, schema: at };
}

/** Delimiters, quoted names and what is between them. */
function tokensOf(path: string): string[] {
  return path.match(/[.[\]]|'(?:[^'\\]|\\[^])*'|[^.[\]]+/g) ?? [];
}

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
});

function unquote(quoted: string): { readonly text: string; readonly error?: string } {
  let error: string | undefined;
  const text = quoted.replaceAll(/\\(.)/g, (escape, letter: string) => {
    const plain = ESCAPES[letter];
    if (plain === undefined) error ??= `invalid escape char ${escape}`;
    return plain ?? "";
  });
  return { text, ...(error !== undefined && { error }) };
}

interface Step {
  /** undefined where any value may be. */
  readonly schema: ReadonlyFields | undefined;
  /** A key of additionalProperties. */
  readonly isKey: boolean;
}

function stepInto(schema: ReadonlyFields | undefined, name: string): Step | undefined {
  const properties = object(schema?.properties);
  if (Object.keys(properties).length > 0) {
    return Object.hasOwn(properties, name) ? { schema: object(properties[name]), isKey: false } : undefined;
  }
  const others = schema?.additionalProperties;
  if (absent(others)) return undefined;
  return { schema: isFields(others) ? others : undefined, isKey: true };
}
