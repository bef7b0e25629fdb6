/** A piece of a word. Quoted pieces are neither split into fields nor matched against file names. */
export type Part =
  | { readonly kind: "text"; readonly text: string; readonly quoted: boolean }
  | ParameterPart
  | { readonly kind: "command"; readonly script: string; readonly quoted: boolean }
  | { readonly kind: "arithmetic"; readonly expression: Word; readonly quoted: boolean };

/** $name, ${name} or ${name:-word}. */
export interface ParameterPart {
  readonly kind: "parameter";
  readonly name: string;
  /** ":-", "-", ":=", "=", ":+", "+", ":?", "?", "%", "%%", "#", "##"; "length" for ${#name}. */
  readonly operator?: string;
  readonly word?: Word;
  readonly quoted: boolean;
}

export type Word = readonly Part[];

export interface Redirect {
  /** The descriptor that is redirected. */
  readonly descriptor: number;
  readonly operator: "<" | ">" | ">>" | ">&" | "<&";
  readonly target: Word;
}

export type Command =
  | SimpleCommand
  | CompoundCommand
  | { readonly kind: "pipeline"; readonly stages: readonly Command[]; readonly negated: boolean }
  | AndOrList
  | { readonly kind: "list"; readonly commands: readonly Command[] }
  | { readonly kind: "background"; readonly command: Command };

/** Commands joined by && and ||. */
export interface AndOrList {
  readonly kind: "and-or";
  readonly first: Command;
  readonly rest: readonly { readonly after: "success" | "failure"; readonly command: Command }[];
}

/** What redirections may follow. */
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
      readonly kind: "for";
      readonly name: string;
      /** Left out: the positional parameters. */
      readonly words: readonly Word[] | undefined;
      readonly body: Command;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly kind: "case";
      readonly subject: Word;
      readonly branches: readonly { readonly patterns: readonly Word[]; readonly body: Command }[];
      readonly redirects: readonly Redirect[];
    };

export interface SimpleCommand {
  readonly kind: "simple";
  readonly line: number;
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

/** The script is no script. `incomplete`: more lines may make it one. */
export class ShellSyntaxError extends Error {
  override readonly name = "ShellSyntaxError";

  constructor(
    message: string,
    readonly line: number,
    readonly incomplete = false,
  ) {
    super(message);
  }
}
