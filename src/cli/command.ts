import type { Factory } from "./connect/factory.js";
import type { FlagSpec, Flags } from "../component/flags/flag-set.js";

/** One parsed command line, as a command sees it. */
export interface Invocation {
  /** The name by which the program was called, then the path: "kubectl get", "kubets config view". */
  readonly commandPath: string;
  /** The same with aliases as they were typed: "kubectl set sa". */
  readonly typedPath: string;
  /** Operands; those after `--` included. */
  readonly args: readonly string[];
  /** How many operands stood before `--`, or -1 without one. */
  readonly argsLenAtDash: number;
  readonly flags: Flags;
  /** Aborts on SIGINT, SIGTERM and a closed stdout. */
  readonly signal: AbortSignal;
  /** From now on the command ends by itself when {@link signal} aborts: see {@link Command.handlesSignals}. */
  readonly handleSignals: () => void;
  /** The whole tree, for commands about commands (help, options, completion). */
  readonly root: CommandEntry;
  /** The flags every command takes. */
  readonly globalFlags: readonly FlagSpec[];
  /** Writes the command's own help to stdout, as some commands do before they complain about their operands. */
  readonly printHelp: () => Promise<void>;
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
  /** True for `options`, whose output is its help: -h prints nothing, and a flag error says to run it without flags. */
  readonly selfExplaining?: boolean;
  /**
   * True for a command that cleans up when its signal aborts: the program then waits for `execute` to settle. Without
   * it SIGINT and SIGTERM end the program at once, as they end kubectl. A function when the flags decide.
   */
  readonly handlesSignals?: boolean | ((invocation: Invocation) => boolean);
  /**
   * The exit code of its failures, where 1 has another meaning (`diff`: there are differences). Flag errors then read as other usage errors
   * do. Default: 1.
   */
  readonly failureCode?: number;
  /** The "[flags]" at the end of {@link use} is the command's own; cobra adds the others', whatever the command is called. */
  readonly namesFlags?: boolean;
  /**
   * With {@link handlesSignals}: the exit code is the command's own also after a signal, or after those of a list. Without it, a command
   * that ends well after a signal dies of it.
   */
  readonly ownExitCode?: boolean | readonly NodeJS.Signals[];
  /** The exit code after a second signal, which ends the program at once. Default: the program dies of that signal. */
  readonly secondSignalCode?: number;
  /**
   * Whether it fails when its output cannot be written, to a full disk for instance. Default, as in kubectl: where -o or --raw asks for
   * what programs read; tables and messages are lost unnoticed.
   */
  readonly outputMustArrive?: boolean;
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
  /** Wrong names for which this command is suggested ("ls" for get). */
  readonly suggestFor?: readonly string[];
  /** A leaf. */
  readonly load?: () => Promise<Command>;
  /** A group such as `config`; it may also carry `load` when it runs by itself. */
  readonly children?: readonly CommandEntry[];
  /** For groups: the Use line and prose of the group itself. */
  readonly group?: CommandGroup;
  /**
   * True for a command that kubectl does not have, and whose name plugins of kubectl have: an alias of that name in the user's preferences
   * takes its place, and under kubectl's name a plugin does. It is not suggested under kubectl's name.
   */
  readonly yields?: boolean;
  /** For an alias out of the user's preferences: where the command really is. */
  readonly standsFor?: RealPlace;
}

/** The properties of a command that depend on its place in the tree, not on the alias or plugin name that the user typed. */
export interface RealPlace {
  /** The command's path without the program, by which its subcommands are found. */
  readonly path: string;
  /** Persistent flags of the groups above. */
  readonly inherited: readonly FlagSpec[];
}

export interface CommandGroup {
  readonly use: string;
  readonly description: string;
  readonly examples?: string;
  readonly flags?: readonly FlagSpec[];
  /** Where its help goes, and the exit code, when it is run without a subcommand. Default: stderr and 1. */
  readonly bare?: {
    readonly stream: "out" | "err";
    readonly code: number;
    /** True when an unknown subcommand is no error: its help is printed all the same. */
    readonly takesOperands?: boolean;
  };
}
