/** A piece of a word. Quoted pieces are neither split into fields nor matched against file names. */
export type Part =
  | TextPart
  | ParameterPart
  | { readonly kind: "command"; readonly body: Command; readonly quoted: boolean }
  | ProcessPart
  | { readonly kind: "arithmetic"; readonly expression: Word; readonly quoted: boolean };

/** <(commands) and >(commands): a path from which a program reads their output, or to which it writes their input. */
export interface ProcessPart {
  readonly kind: "process";
  readonly direction: "<" | ">";
  readonly body: Command;
  readonly quoted: boolean;
}

export interface TextPart {
  readonly kind: "text";
  readonly text: string;
  readonly quoted: boolean;
}

/** The index of an array's element, or of all elements. */
export type Index = "@" | "*" | Word;

/** $name, ${name}, ${name:-word}, ${name[index]}. */
export interface ParameterPart {
  readonly kind: "parameter";
  readonly name: string;
  readonly index?: Index;
  /** ${#name}, ${!name}, ${!name[@]} and ${!name*}. */
  readonly form?: "length" | "indirect" | "keys" | "names";
  /** ":-", "-", ":=", "=", ":+", "+", ":?", "?", "%", "%%", "#", "##", "/", "//", "/#", "/%", "^", "^^", ",", ",,"; ":" cuts a part out. */
  readonly operator?: string;
  readonly word?: Word;
  /** What replaces a match, or how long the part is that is cut out. */
  readonly second?: Word;
  readonly quoted: boolean;
}

export type Word = readonly Part[];

export interface Redirect {
  /** The descriptor that is redirected. */
  readonly descriptor: number;
  /** {name} or {name[1]} in its place: where it is closed, the variable has its number, else the variable gets that of a new one. */
  readonly variable?: { readonly name: string; readonly key?: string };
  /**
   * "<<" has the text of a here-document as its target, "<<<" that of a here-string; "&>" is stdout and stderr together.
   */
  readonly operator: "<" | ">" | ">|" | ">>" | ">&" | "<&" | "<>" | "<<" | "<<<" | "&>" | "&>>";
  readonly target: Word;
}

/** name=value, name+=value, name[index]=value and name=(values). */
export interface Assignment {
  readonly name: string;
  readonly index?: Word;
  readonly isAppended: boolean;
  readonly value: Word;
  /** Of an array, in the place of `value`. */
  readonly elements?: readonly ArrayElement[];
}

export interface ArrayElement {
  readonly index?: Word;
  readonly value: Word;
}

export type Command =
  | SimpleCommand
  | CompoundCommand
  | FunctionDefinition
  | { readonly kind: "pipeline"; readonly stages: readonly Command[]; readonly negated: boolean }
  | AndOrList
  | { readonly kind: "list"; readonly commands: readonly Command[] }
  | { readonly kind: "background"; readonly command: Command }
  | CoprocessCommand;

/** coproc NAME command: it runs in the background, and the array NAME gets descriptors for its input and output. */
export interface CoprocessCommand {
  readonly kind: "coprocess";
  readonly name: string;
  readonly command: Command;
}

/** Commands joined by && and ||. */
export interface AndOrList {
  readonly kind: "and-or";
  readonly first: Command;
  readonly rest: readonly { readonly after: "success" | "failure"; readonly command: Command }[];
}

export interface FunctionDefinition {
  readonly kind: "function";
  readonly name: string;
  readonly body: Command;
  /** What the body takes, in bytes. */
  readonly bytes: number;
  /** The script that has defined it. */
  readonly script?: string;
}

/** A compound command, which redirections may follow. */
export type CompoundCommand =
  | { readonly kind: "subshell" | "group"; readonly body: Command; readonly redirects: readonly Redirect[] }
  | {
      readonly kind: "if";
      readonly branches: readonly { readonly test: Command; readonly body: Command }[];
      readonly otherwise: Command | undefined;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "while";
      readonly until: boolean;
      readonly test: Command;
      readonly body: Command;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "for" | "select";
      readonly name: string;
      /** Left out: the positional parameters. */
      readonly words: readonly Word[] | undefined;
      readonly body: Command;
      readonly redirects: readonly Redirect[];
    }
  | {
      /** for ((first; test; next)) */
      readonly kind: "counting";
      readonly first: Word;
      readonly test: Word;
      readonly next: Word;
      readonly line: number;
      readonly body: Command;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "case";
      readonly subject: Word;
      readonly branches: readonly CaseBranch[];
      readonly redirects: readonly Redirect[];
    }
  | {
      /** [[ condition ]] */
      readonly kind: "condition";
      readonly condition: Condition;
      readonly line: number;
      readonly redirects: readonly Redirect[];
    }
  | {
      /** ((expression)) */
      readonly kind: "arithmetic";
      readonly expression: Word;
      readonly line: number;
      readonly redirects: readonly Redirect[];
    };

export interface CaseBranch {
  readonly patterns: readonly Word[];
  readonly body: Command;
  /** What follows its body: nothing (;;), the next body (;&), or the next patterns (;;&). */
  readonly next: "end" | "body" | "patterns";
}

export type Condition =
  | { readonly kind: "and" | "or"; readonly all: readonly Condition[] }
  | { readonly kind: "not"; readonly condition: Condition }
  | { readonly kind: "unary"; readonly operator: string; readonly word: Word }
  | { readonly kind: "binary"; readonly operator: string; readonly left: Word; readonly right: Word };

export interface SimpleCommand {
  readonly kind: "simple";
  readonly line: number;
  readonly assignments: readonly Assignment[];
  readonly words: readonly Word[];
  /** Assignments that are arguments of export, local, readonly and declare. */
  readonly declarations: readonly Assignment[];
  readonly redirects: readonly Redirect[];
}

/** The script has a syntax error, or a construct that the shell does not support. `incomplete`: further lines may complete it. */
export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";

  constructor(
    message: string,
    readonly line: number,
    readonly incomplete = false,
    /** What bash would understand, and this shell does not. */
    readonly construct?: string,
  ) {
    super(message);
  }
}
