import type { PosixRegexp } from "../posix-regexp.js";

/** An address: it selects the lines for a command. */
export type Address =
  | { readonly kind: "line"; readonly line: number }
  | { readonly kind: "last" }
  /** FIRST~STEP */
  | { readonly kind: "step"; readonly first: number; readonly step: number }
  /** Undefined: the regular expression that was used last. */
  | { readonly kind: "regexp"; readonly regexp: PosixRegexp | undefined }
  /** As the end of a range: +N, and ~N. */
  | { readonly kind: "more"; readonly count: number }
  | { readonly kind: "multiple"; readonly of: number };

/** A part of a replacement: a text, or a group by its number, with the change of case from there on. */
export interface ReplacementPart {
  readonly text: string;
  readonly group?: number;
  /** \L, \U or \E; and \l or \u for the next letter. */
  readonly letters?: "L" | "U" | "E";
  readonly nextLetter?: "l" | "u";
}

export interface Substitution {
  readonly regexp: PosixRegexp | undefined;
  readonly replacement: readonly ReplacementPart[];
  readonly global: boolean;
  /** Which match is the first to be replaced. */
  readonly number: number;
  readonly prints: boolean;
  readonly file: string | undefined;
}

export interface Command {
  readonly name: string;
  readonly from: Address | undefined;
  readonly to: Address | undefined;
  readonly negated: boolean;
  /** The text of a, i and c; the file of r, R, w and W; the label of ":", b, t and T. */
  readonly text: string;
  /** The exit code of q and Q, the length of l. */
  readonly number: number | undefined;
  readonly substitution: Substitution | undefined;
  readonly letters: ReadonlyMap<string, string> | undefined;
  /** Where b, t and T go on, and "{" where its lines are others. */
  target: number;
  /** Whether the range's first line has come, and which line ends it. */
  isActive: boolean;
  end: number;
}
