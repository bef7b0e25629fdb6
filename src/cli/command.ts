import type { Factory } from "./factory.js";
import type { FlagSpec, Flags } from "./flags/flag-set.js";

/** One parsed command line, as a command sees it. */
export interface Invocation {
  /** What the program was called as, then the path: "kubectl get", "kubets config view". */
  readonly commandPath: string;
  /** Operands; those after `--` included. */
  readonly args: readonly string[];
  /** How many operands stood before `--`, or -1 without one. */
  readonly argsLenAtDash: number;
  readonly flags: Flags;
  /** Aborts on SIGINT, SIGTERM and a closed stdout. */
  readonly signal: AbortSignal;
}

/** cobra's shell completion directives, a bit set. */
export const enum Directive {
  Default = 0,
  Error = 1,
  NoSpace = 2,
  NoFileComp = 4,
  FilterFileExt = 8,
  FilterDirs = 16,
  KeepOrder = 32,
}

export interface Completion {
  /** Candidates, each optionally followed by a tab and a description. */
  readonly candidates: readonly string[];
  readonly directive: number;
}

export type Completer = (factory: Factory, invocation: Invocation, toComplete: string) => Promise<Completion>;

/** A command that runs. Its module is loaded only when it is run, helped or completed. */
export interface Command {
  /** cobra's Use line below the program name, e.g. "get [(-o|--output=)json|yaml] (TYPE [NAME]) [flags]". Interface: exact. */
  readonly use: string;
  readonly aliases?: readonly string[];
  /** Our own prose. */
  readonly description: string;
  /** Lines as shown, `kubectl` written as "{{program}}". */
  readonly examples: string;
  readonly flags: readonly FlagSpec[];
  /** cobra's Args: throws a usage error; absent means any. */
  readonly validateArgs?: (invocation: Invocation) => void;
  /** complete -> validate -> run; throws errors for the boundary to print. */
  readonly execute: (factory: Factory, invocation: Invocation) => Promise<void>;
  readonly completeArgs?: Completer;
  readonly completeFlags?: Readonly<Record<string, Completer>>;
  /** See {@link https://pkg.go.dev/github.com/spf13/cobra#Command}: passes everything after the name as operands. */
  readonly disableFlagParsing?: boolean;
}

/** What root.ts lists of each command: enough for help and completion without loading it. */
export interface CommandEntry {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** One line of our own prose, shown in the parent's help. */
  readonly summary: string;
  /** Title of the help section in the root's help ("Basic Commands (Beginner):"). */
  readonly section?: string;
  readonly hidden?: boolean;
  /** A leaf. */
  readonly load?: () => Promise<Command>;
  /** A group such as `config`; it may also carry `load` when it runs by itself. */
  readonly children?: readonly CommandEntry[];
  /** For groups: the Use line and prose of the group itself. */
  readonly group?: { readonly use: string; readonly description: string; readonly flags?: readonly FlagSpec[] };
}
