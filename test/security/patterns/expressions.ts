import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vitest/node";

/** A regular expression that stands in a source file. */
export interface Expression {
  /** From src. */
  readonly file: string;
  readonly pattern: RegExp;
}

const SOURCES = join(import.meta.dirname, "../../../src");
/** Files in which one can stand are parsed. */
const MAY_HAVE_ONE = /RegExp\(|(?:[=(,:[!&|?;{}\n]|return|=>)\s*\/(?![/*])/;

interface TreeNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly regex?: { readonly pattern: string; readonly flags: string };
  readonly callee?: { readonly name?: string };
  readonly arguments?: readonly TreeNode[];
  readonly name?: string;
  readonly value?: unknown;
  readonly id?: TreeNode;
  readonly init?: TreeNode;
  readonly tag?: TreeNode;
  readonly quasi?: TreeNode;
  readonly quasis?: readonly { readonly value: { readonly raw: string; readonly cooked: string } }[];
  readonly expressions?: readonly TreeNode[];
}

/**
 * All literals in the sources, with the calls that make an expression of constant texts of their file, and the other calls, as they
 * are written.
 */
export function expressionsInSources(): { readonly literals: Expression[]; readonly calls: string[] } {
  const literals: Expression[] = [];
  const calls: string[] = [];
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).map((path) => path.replaceAll("\\", "/"));
  for (const file of files.filter((path) => path.endsWith(".ts")).sort()) {
    const text = readFileSync(join(SOURCES, file), "utf8");
    if (!MAY_HAVE_ONE.test(text)) continue;
    const tree: unknown = parseAst(text, { lang: "ts" });
    const constants = new Map<string, TreeNode>();
    visit(tree, ({ type, id, init }) => {
      if (type === "VariableDeclarator" && id?.name !== undefined && init) constants.set(id.name, init);
    });
    visit(tree, ({ regex, callee, start, end, arguments: given = [] }) => {
      if (regex !== undefined) literals.push({ file, pattern: new RegExp(regex.pattern, regex.flags) });
      if (callee?.name !== "RegExp") return;
      const [source, flags = ""] = given.map((argument) => constantText(argument, constants));
      if (source !== undefined && (given.length === 1 || flags !== "")) {
        literals.push({ file, pattern: new RegExp(source, flags) });
      } else calls.push(`${file}: ${text.slice(start, end).replaceAll(/\s+/g, " ")}`);
    });
  }
  return { literals, calls };
}

function visit(value: unknown, see: (node: TreeNode) => void): void {
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && "start" in value) see(value as TreeNode);
  for (const held of Object.values(value)) visit(held, see);
}

/** The text of a string, a template or a constant of them; undefined where it depends on anything else. */
function constantText(node: TreeNode, constants: ReadonlyMap<string, TreeNode>): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type === "Identifier") {
    const held = constants.get(node.name ?? "");
    return held && constantText(held, constants);
  }
  const template = node.type === "TaggedTemplateExpression" ? node.quasi : node;
  if (template?.type !== "TemplateLiteral") return undefined;
  const held = template.expressions?.map((expression) => constantText(expression, constants)) ?? [];
  if (held.includes(undefined)) return undefined;
  const parts = template.quasis?.map(({ value }) => (template === node ? value.cooked : value.raw)) ?? [];
  return parts.map((part, index) => part + (held[index] ?? "")).join("");
}
