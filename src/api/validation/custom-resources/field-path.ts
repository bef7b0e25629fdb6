import { absent, isFields, object, type ReadonlyFields } from "../../../machinery/meta/access.js";

export interface FoundField {
  /** The names on the way. */
  readonly steps: readonly string[];
  readonly schema: ReadonlyFields | undefined;
}

/** The field of a structural schema that a path such as ".spec.colour" or ".labels['a.b']" leads to, or what is wrong with it. */
export function fieldPath(path: string, schema: ReadonlyFields, allowBrackets = true): FoundField | string {
  const steps: string[] = [];
  let at: ReadonlyFields | undefined = schema;
  const tokens = tokensOf(path);
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] ?? "";
    let name = tokens[++index];
    if (token === "[") {
      if (!allowBrackets) return "array notation is not allowed";
      if (name === undefined) return "unexpected end of JSON path";
      if (!/^'[^]*'$/.test(name) || name.length < 2) return `expected single quoted string but got ${name}`;
      name = name.slice(1, -1).replaceAll(/\\(['\\])/g, "$1");
    } else if (token !== ".") return `expected [ or . but got: ${token}`;
    if (name === undefined) return "unexpected end of JSON path";
    const next = stepInto(at, name);
    if (next === "nowhere") return "does not refer to a valid field";
    at = next;
    steps.push(name);
    if (token !== "[") continue;
    const end = tokens[++index];
    if (end === undefined) return "unexpected end of JSON path";
    if (end !== "]") return `expected ] but got ${end}`;
  }
  return { steps, schema: at };
}

/** Delimiters, quoted names and what is between them. */
function tokensOf(path: string): string[] {
  return path.match(/[.[\]]|'(?:[^'\\]|\\[^])*'|[^.[\]]+/g) ?? [];
}

function stepInto(schema: ReadonlyFields | undefined, name: string): ReadonlyFields | undefined | "nowhere" {
  const properties = object(schema?.properties);
  if (Object.keys(properties).length > 0) return Object.hasOwn(properties, name) ? object(properties[name]) : "nowhere";
  const others = schema?.additionalProperties;
  if (absent(others)) return "nowhere";
  return isFields(others) ? others : undefined;
}
