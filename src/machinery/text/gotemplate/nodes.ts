import { goQuote } from "../../../base/text/go-quote.js";
import type { NumberLiteral } from "./literals.js";

/** `at` of every node: where it begins in the template, in UTF-16 units. */
interface Placed {
  readonly at: number;
}

/** A node of a template: text, an action, or a control structure. */
export type Node = TextNode | ActionNode | BranchNode | JumpNode | TemplateNode;

export interface TextNode extends Placed {
  readonly kind: "text";
  readonly text: string;
}

export interface ActionNode extends Placed {
  readonly kind: "action";
  readonly pipe: PipeNode;
}

export interface BranchNode extends Placed {
  readonly kind: "if" | "range" | "with";
  readonly pipe: PipeNode;
  readonly body: readonly Node[];
  /** undefined: there is no {{else}}. */
  readonly otherwise: readonly Node[] | undefined;
}

export interface JumpNode extends Placed {
  readonly kind: "break" | "continue";
}

export interface TemplateNode extends Placed {
  readonly kind: "template";
  readonly name: string;
  readonly pipe: PipeNode | undefined;
}

/** An operand of a command. */
export type Operand =
  | BoolNode
  | ChainNode
  | DotNode
  | FieldNode
  | IdentifierNode
  | NilNode
  | NumberNode
  | PipeNode
  | StringNode
  | VariableNode;

/** A pipeline of commands: each gets the previous result as its last argument. The variables before them keep the final result. */
export interface PipeNode extends Placed {
  readonly kind: "pipe";
  readonly variables: readonly VariableNode[];
  /** `=` rather than `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly CommandNode[];
}

export interface CommandNode extends Placed {
  readonly kind: "command";
  /** At least one: what is called or read, then its arguments. */
  readonly words: readonly [Operand, ...Operand[]];
}

export interface BoolNode extends Placed {
  readonly kind: "bool";
  readonly value: boolean;
}

/** A pipeline in parentheses or a function, and the fields that are read from its result. */
export interface ChainNode extends Placed {
  readonly kind: "chain";
  readonly of: Operand;
  readonly fields: readonly string[];
}

export interface DotNode extends Placed {
  readonly kind: "dot";
}

export interface FieldNode extends Placed {
  readonly kind: "field";
  readonly fields: readonly string[];
}

export interface IdentifierNode extends Placed {
  readonly kind: "identifier";
  readonly name: string;
}

export interface NilNode extends Placed {
  readonly kind: "nil";
}

export interface NumberNode extends Placed {
  readonly kind: "number";
  readonly text: string;
  readonly number: NumberLiteral;
}

export interface StringNode extends Placed {
  readonly kind: "string";
  /** As written. */
  readonly quoted: string;
  readonly text: string;
}

export interface VariableNode extends Placed {
  readonly kind: "variable";
  /** With its dollar sign. */
  readonly name: string;
  readonly fields: readonly string[];
}

/** The text of nodes in Go's form: parsing it again gives the same nodes, without comments and trim markers. */
export function formatNodes(nodes: readonly Node[]): string {
  return nodes.map(formatNode).join("");
}

/** Formats one node, for messages of errors. */
export function formatNode(node: Node | CommandNode | Operand): string {
  switch (node.kind) {
    case "text":
      return node.text;
    case "action":
      return `{{${formatNode(node.pipe)}}}`;
    case "if":
    case "range":
    case "with": {
      const otherwise = node.otherwise === undefined ? "" : `{{else}}${formatNodes(node.otherwise)}`;
      return `{{${node.kind} ${formatNode(node.pipe)}}}${formatNodes(node.body)}${otherwise}{{end}}`;
    }
    case "break":
    case "continue":
      return `{{${node.kind}}}`;
    case "template":
      return `{{template ${goQuote(node.name)}${node.pipe === undefined ? "" : ` ${formatNode(node.pipe)}`}}}`;
    case "pipe":
      return formatVariables(node) + node.commands.map(formatNode).join(" | ");
    case "command":
      return node.words.map(formatOperand).join(" ");
    case "bool":
      return String(node.value);
    case "chain":
      return [formatOperand(node.of), ...node.fields].join(".");
    case "dot":
      return ".";
    case "field":
      return node.fields.map((field) => `.${field}`).join("");
    case "identifier":
      return node.name;
    case "nil":
      return "nil";
    case "number":
      return node.text;
    case "string":
      return node.quoted;
    case "variable":
      return [node.name, ...node.fields].join(".");
  }
}

function formatVariables({ variables, assigns }: PipeNode): string {
  if (variables.length === 0) return "";
  return `${variables.map(formatNode).join(", ")} ${assigns ? "=" : ":="} `;
}

function formatOperand(operand: Operand): string {
  return operand.kind === "pipe" ? `(${formatNode(operand)})` : formatNode(operand);
}
