import { type Node, needsQuotes, resolve } from "./node.js";

/** Writes a node as goyaml v3 does with kustomize's indentation, with a line break at the end; members keep their order. */
export const nodeText = (node: Node): string => new NodeWriter(node).text;

/** Writes nodes, and records on which line, counted from one, each node begins. */
export class NodeWriter {
  readonly #lines: string[] = [""];
  readonly #places = new Map<Node, number>();

  constructor(node: Node) {
    this.#write(node, 0, "root");
    if (this.#lines.at(-1) !== "") this.#lines.push("");
  }

  get text(): string {
    return this.#lines.join("\n");
  }

  lineOf(node: Node): number {
    return this.#places.get(node) ?? 1;
  }

  #put(text: string): void {
    this.#lines[this.#lines.length - 1] += text;
  }

  #newLine(indent: number): void {
    this.#lines.push(" ".repeat(indent));
  }

  #mark(node: Node): void {
    if (!this.#places.has(node)) this.#places.set(node, this.#lines.length);
  }

  /** `place`: behind what it stands. */
  #write(node: Node, indent: number, place: "root" | "key" | "dash"): void {
    this.#mark(node);
    if (isInline(node)) {
      if (place !== "root") this.#put(" ");
      this.#put(flowText(node));
      return;
    }
    if (node.kind === "scalar") {
      this.#block(node, place === "root" ? 2 : indent, place);
      return;
    }
    const isList = node.kind === "sequence";
    if (place === "dash") this.#put(" ");
    if (place === "key") this.#newLine(isList ? indent - 2 : indent);
    const column = place === "key" && isList ? indent - 2 : indent;
    const entries = isList ? node.items.map((item) => [undefined, item] as const) : node.pairs;
    for (const [index, [key, value]] of entries.entries()) {
      if (index > 0) this.#newLine(column);
      if (key === undefined) this.#put("-");
      else {
        this.#mark(key);
        this.#put(`${flowText(key)}:`);
      }
      this.#write(value, column + 2, key === undefined ? "dash" : "key");
    }
  }

  #block({ value, style }: Node, indent: number, place: "root" | "key" | "dash"): void {
    if (place !== "root") this.#put(" ");
    const hint = /^[\n ]/.test(value) ? "2" : "";
    const chomp = value.endsWith("\n") ? (/^\n$|\n\n$/.test(value) ? "+" : "") : "-";
    this.#put(`${style.endsWith("folded") ? ">" : "|"}${hint}${chomp}`);
    const body = value.endsWith("\n") ? value.slice(0, -1) : value;
    for (const line of body.split("\n")) this.#lines.push(line === "" ? "" : `${" ".repeat(indent)}${line}`);
  }
}

/** On one line: what is in brackets, what is empty, and scalars but for blocks. */
function isInline(node: Node): boolean {
  if (node.kind === "mapping") return node.style === "flow" || node.pairs.length === 0;
  if (node.kind === "sequence") return node.style === "flow" || node.items.length === 0;
  return node.kind !== "scalar" || !isBlock(node);
}

/** Blocks cannot hold every text; what has blanks before its line breaks is quoted. */
function isBlock({ value, style }: Node): boolean {
  const wanted = style === "literal" || style === "folded" || (style === "" && value.includes("\n"));
  return wanted && value !== "" && !/ \n|[^\n\t -~\u00a0-\uffff]|\r/.test(value);
}

function flowText(node: Node): string {
  if (node.kind === "mapping") {
    const members = node.pairs.map(([key, value]) => `${flowText(key)}: ${inFlow(value)}`);
    return `{${members.join(", ")}}`;
  }
  if (node.kind === "sequence") return `[${node.items.map(inFlow).join(", ")}]`;
  return node.kind === "none" ? "null" : scalarText(node);
}

const inFlow = (node: Node): string => (node.kind === "scalar" && node.value === "" ? "''" : flowText(node));

/** A scalar on one line. */
function scalarText(node: Node): string {
  const { tag, value, style } = node;
  const isText = tag === "" || tag === "!!str";
  if (style.startsWith("tagged")) return `${tag} ${quoted(value, style.replace(/^tagged ?/, ""))}`;
  const forced = tag === "!!str" && style === "" && resolve(value).tag !== "!!str";
  if (forced || value.includes("\n")) return quoted(value, "double");
  if (style === "literal" || style === "folded") return quoted(value, "double");
  return isText || style !== "" ? quoted(value, style) : value;
}

function quoted(value: string, style: string): string {
  if (style === "double" || !/^[ -~\u00a0-\uffff]*$/.test(value)) return JSON.stringify(value);
  if (style === "single" || !canBePlain(value)) return `'${value.replaceAll("'", "''")}'`;
  return value;
}

function canBePlain(value: string): boolean {
  if (value === "") return true;
  if (/^[\s,[\]{}#&*!|>'"%@`]|^[-?:](?:\s|$)|^---|^\.\.\./.test(value)) return false;
  return !/: |:$| #|\s$|\n/.test(value);
}

/** Writes a scalar on its own, quoted where a YAML reader would not take it for text. */
export const valueText = (value: string): string => (needsQuotes(value) ? JSON.stringify(value) : quoted(value, ""));
