import { compareKeys } from "../../../base/collections/key-order.js";
import type { JsonValue } from "../../meta/json.js";
import { formatFloat, formatInteger, formatText, pad, type Spec } from "./format-verbs.js";
import { boxed, type Concrete, type GoValue, sliceItems, typeName, unboxed } from "./values.js";

const plain: Spec = { verb: "v", flags: "", width: undefined, precision: undefined };

/** Formats values as Go's fmt.Sprint does: each as %v, with a space between two neighbours that are not strings. */
export function sprint(values: readonly GoValue[]): string {
  let text = "";
  let afterString = true;
  for (const [index, value] of values.entries()) {
    const isString = unboxed(value).kind === "string";
    if (index > 0 && !isString && !afterString) text += " ";
    text += formatValue(value, plain);
    afterString = isString;
  }
  return text;
}

/** Formats values as Go's fmt.Sprintln does: each as %v, with a space between any two, and a newline. */
export function sprintln(values: readonly GoValue[]): string {
  return `${values.map((value) => formatValue(value, plain)).join(" ")}\n`;
}

/** Formats a value by one verb of Go's fmt; `%!d(string=x)` where the verb does not fit it. Flags apply to each part of a map or list. */
export function formatValue(value: GoValue, asked: Spec): string {
  const held = unboxed(value);
  const { verb } = asked;
  if (held.kind === "invalid") return /[vT]/.test(verb) ? pad("<nil>", asked) : `%!${verb}(<nil>)`;
  if (verb === "T") return formatText(typeName(held), { ...asked, verb: "s" }) ?? "";
  // These flags choose between forms of %v: "+" shows the names of a struct's fields, "#" is Go's syntax.
  const isV = verb === "v" || verb === "w";
  const spec = isV
    ? { ...asked, flags: asked.flags.replaceAll(/[+#]/g, ""), goSyntax: asked.flags.includes("#") }
    : asked;
  return formatConcrete(held, spec);
}

function formatConcrete(value: Concrete, spec: Spec): string {
  switch (value.kind) {
    case "bool":
      return /[tv]/.test(spec.verb) ? pad(String(value.value), spec) : badVerb(value, spec);
    case "string":
      return formatText(value.value, spec) ?? badVerb(value, spec);
    case "uint8":
      return formatInteger(value.value, goByte(spec)) ?? badVerb(value, spec);
    case "int":
    case "int64":
      return formatInteger(value.value, spec) ?? badVerb(value, spec);
    case "float64":
      return formatFloat(value.value, spec) ?? badVerb(value, spec);
    case "complex128":
      return formatComplex(value, spec) ?? badVerb(value, spec);
    case "map":
      if (spec.verb === "w") return badVerb(value, spec);
      return enclose(value, spec, formatEntries(value.entries, spec));
    case "slice":
      if (spec.verb === "w") return badVerb(value, spec);
      return enclose(value, spec, formatItems(sliceItems(value), spec));
  }
}

/** Go's syntax has unsigned integers in hexadecimal. */
function goByte(spec: Spec): Spec {
  return spec.goSyntax === true && spec.verb === "v" ? { ...spec, verb: "x", flags: `${spec.flags}#` } : spec;
}

function enclose(value: Concrete, { goSyntax }: Spec, parts: readonly string[]): string {
  if (goSyntax === true) return `${typeName(value)}{${parts.join(", ")}}`;
  return `${value.kind === "map" ? "map" : ""}[${parts.join(" ")}]`;
}

function formatItems(items: readonly JsonValue[], spec: Spec): readonly string[] {
  return items.map((item) => formatPart(boxed(item), spec));
}

function formatEntries(entries: Readonly<Record<string, JsonValue>>, spec: Spec): readonly string[] {
  return Object.entries(entries)
    .toSorted(([a], [b]) => compareKeys(a, b))
    .map(([key, held]) => `${formatPart({ kind: "string", value: key }, spec)}:${formatPart(boxed(held), spec)}`);
}

/** Nothing, inside a map or list, is `<nil>` whatever the verb and width. */
function formatPart(part: GoValue, spec: Spec): string {
  const held = unboxed(part);
  if (held.kind !== "invalid") return formatConcrete(held, spec);
  return spec.goSyntax === true ? "interface {}(nil)" : "<nil>";
}

function formatComplex({ real, imaginary }: Concrete & { kind: "complex128" }, spec: Spec): string | undefined {
  const first = formatFloat(real, spec);
  const second = formatFloat(imaginary, { ...spec, flags: `${spec.flags}+` });
  return first === undefined || second === undefined ? undefined : `(${first}${second}i)`;
}

function badVerb(value: Concrete, spec: Spec): string {
  return `%!${spec.verb}(${typeName(value)}=${formatConcrete(value, { ...spec, verb: "v" })})`;
}
