import { append } from "../../base/collections/append.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import type { V2Model, V2Models } from "../../client/openapi/v2-models.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import { type TextPaint, unpainted } from "../../printers/look.js";

export interface LegacyExplanation {
  readonly kind: GroupVersionKind;
  /** The way from the kind to what is explained; none: the kind itself. */
  readonly fields: readonly string[];
  readonly recursive: boolean;
  /** How many levels of fields to list; undefined for all. */
  readonly maxDepth?: number | undefined;
  /** Set where colours are wanted. */
  readonly paint?: TextPaint | undefined;
}

/** Width of a line, its indentation included. */
const WIDTH = 80;

/** Explains a kind or one of its fields from OpenAPI v2, as kubectl's `plaintext-openapiv2` does. Throws for a missing field. */
export function explainLegacy(root: V2Model, models: V2Models, explanation: LegacyExplanation): string {
  const { kind, fields, recursive, maxDepth = Infinity } = explanation;
  const paint = explanation.paint ?? unpainted;
  const found = follow(root, fields, models);
  const { model, descriptions } = unwrap(found, models);
  const name = fields.at(-1) ?? "";
  const typed = (of: string, what: V2Model): string =>
    `${paint.heading(of)} ${paint.type(`<${typeName(what, models)}>`)}`;
  const title = [`${paint.key("KIND:")}     ${kind.kind}`, `${paint.key("VERSION:")}  ${formatGroupVersion(kind)}`, ""];
  const description = [paint.heading("DESCRIPTION:"), ...paragraphs([...descriptions, model.description])];
  const lines = [...title];
  if (model.type === "kind") {
    if (name !== "") lines.push(`${paint.key("RESOURCE:")} ${typed(name, found)}`, "");
    append(lines, description, ["", paint.heading("FIELDS:")]);
    append(
      lines,
      recursive
        ? fieldTree(model, { models, maxDepth, level: 1, seen: new Set(), paint })
        : fieldList(model, models, paint),
    );
  } else {
    if (model.type === "primitive") lines.push(`${paint.key("FIELD:")}    ${typed(name, found)}`, "");
    append(lines, description);
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** What the fields lead to; lists, maps and references on the way are passed through, and what has no fields ends it. */
function follow(model: V2Model, [name, ...rest]: readonly string[], models: V2Models): V2Model {
  if (name === undefined) return model;
  switch (model.type) {
    case "array":
    case "map":
      return follow(model.held, [name, ...rest], models);
    case "reference":
      return follow(models.target(model.name), [name, ...rest], models);
    case "kind": {
      const field = model.fields.get(name);
      if (field === undefined) {
        const error = new Error(`field ${goQuote(name)} does not exist`);
        throw withMistyped(error, () => ({ typed: name, known: model.fields.keys() }));
      }
      return follow(field, rest, models);
    }
    case "primitive":
    case "arbitrary":
      return model;
  }
}

/** The model that lists, maps and references end in, and what they say on the way. */
function unwrap(
  start: V2Model,
  models: V2Models,
): { readonly model: V2Model; readonly descriptions: readonly string[] } {
  const descriptions: string[] = [];
  let model = start;
  while (model.type === "array" || model.type === "map" || model.type === "reference") {
    descriptions.push(model.description);
    model = model.type === "reference" ? models.target(model.name) : model.held;
  }
  return { model, descriptions };
}

function paragraphs(descriptions: readonly string[]): readonly string[] {
  const lines = descriptions.flatMap((text, place) => {
    if (text === "") return [];
    return place === 0 ? indented(text, 5) : ["", ...indented(text, 5)];
  });
  return lines.length === 0 ? indented("<empty>", 5) : lines;
}

/** Empty lines stay empty. */
function indented(text: string, margin: number): readonly string[] {
  return wrapParagraphs(text, WIDTH - margin).map((line) => (line === "" ? "" : " ".repeat(margin) + line));
}

/** "string", "Object", "[]Object", "map[string]string"; "" for what may be anything. */
function typeName(model: V2Model, models: V2Models): string {
  switch (model.type) {
    case "array":
      return `[]${typeName(model.held, models)}`;
    case "map":
      return `map[string]${typeName(model.held, models)}`;
    case "kind":
      return "Object";
    case "primitive":
      return model.name;
    case "reference":
      return typeName(models.target(model.name), models);
    case "arbitrary":
      return "";
  }
}

type KindModel = Extract<V2Model, { type: "kind" }>;

function fieldsOf(kind: KindModel): readonly (readonly [string, V2Model])[] {
  return [...kind.fields].sort(([a], [b]) => compareKeys(a, b));
}

function fieldList(kind: KindModel, models: V2Models, paint: TextPaint): readonly string[] {
  return fieldsOf(kind).flatMap(([name, field]) => {
    const required = kind.required.includes(name) ? ` ${paint.heading("-required-")}` : "";
    return [
      `   ${paint.key(name)}\t${paint.type(`<${typeName(field, models)}>`)}${required}`,
      ...indented(field.description, 5),
      "",
    ];
  });
}

interface TreeContext {
  readonly models: V2Models;
  readonly maxDepth: number;
  readonly level: number;
  /** The types on the way here. */
  readonly seen: ReadonlySet<string>;
  readonly paint: TextPaint;
}

/** Fields below fields; a type that holds itself is listed once on each way down. */
function fieldTree(model: V2Model, context: TreeContext): readonly string[] {
  const { models, maxDepth, level, seen, paint } = context;
  switch (model.type) {
    case "array":
    case "map":
      return fieldTree(model.held, context);
    case "reference":
      if (seen.has(model.name)) return [];
      return fieldTree(models.target(model.name), { ...context, seen: new Set(seen).add(model.name) });
    case "kind":
      return fieldsOf(model).flatMap(([name, field]) => [
        `${" ".repeat(level * 3)}${paint.key(name)}\t${paint.type(`<${typeName(field, models)}>`)}`,
        ...(level < maxDepth ? fieldTree(field, { ...context, level: level + 1 }) : []),
      ]);
    case "primitive":
    case "arbitrary":
      return [];
  }
}

/** As Go's strings.Fields sees white space. */
const SPACES = /[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;

const BULLET = /^(?:\d+\.?|-|\*)[\t\n\f\r ]/;

/**
 * Wraps the lines of a description as the older renderer does: lines are joined and broken again at `width` bytes, except that
 * lines which end in a colon, begin a list, are indented by four spaces or are empty keep their breaks.
 */
export function wrapParagraphs(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let words: string[] = [];
  /** Empty again once a line ends, also where the word itself ended it by not fitting, and so begins the next one. */
  let lastWord = "";
  const flush = (): void => {
    if (words.length === 0) return;
    lines.push(words.join(" "));
    words = [];
    lastWord = "";
  };
  for (const source of text.split("\n")) {
    const fields = source.split(SPACES).filter((word) => word !== "");
    const isCode = source.startsWith("    ");
    if (isCode || (lines.length > 0 && fields.length === 0)) {
      flush();
      lines.push(isCode ? source : "");
      continue;
    }
    if (lastWord.endsWith(":") || fields.length === 0 || BULLET.test(trimmed(source))) flush();
    for (const word of fields) {
      lastWord = word;
      if (words.length > 0 && Buffer.byteLength([...words, word].join(" ")) > width) flush();
      words.push(word);
    }
  }
  flush();
  return lines;
}

const trimmed = (line: string): string =>
  line
    .split(SPACES)
    .filter((word) => word !== "")
    .join(" ");
