import { Command as CommanderCommand, type ParseOptionsResult } from "commander";
import type { Command, CommandEntry } from "./command.js";
import type { Flags, FlagSpec, GivenFlag } from "../component/flags/flag-set.js";
import { FlagTable } from "../component/flags/flag-table.js";
import { helpFlag } from "./flags/global-flags.js";
import { type ParsedFlags, parseFlags } from "../component/flags/parse-flags.js";
import type { Host } from "./connect/host.js";

/** The function that a node calls once its command line is parsed. */
export type NodeAction = (node: CommandNode) => Promise<void>;

/** The data that all nodes of one command line share. */
export interface NodeContext {
  readonly globals: readonly FlagSpec[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly action: NodeAction;
  readonly presets?: Presets | undefined;
  /** Turns a flag error into the error that the boundary prints. */
  readonly flagError: (error: unknown, node: CommandNode) => Error;
}

/** The user's preferences for the command that a line names. */
export interface Presets {
  /** Returns the flags that are set before the line is parsed. */
  flagsOf(node: CommandNode): readonly GivenFlag[];
  /** Called before the command runs: with -v=1, logs the line as it would be without preferences. */
  announce(node: CommandNode, flags: Flags, host: Host): void;
}

interface FoundChild {
  readonly entry: CommandEntry;
  /** As it was typed: the name or an alias. */
  readonly name: string;
  /** The part of the command line that is left for it. */
  readonly argv: readonly string[];
}

/**
 * commander keeps the tree, the aliases and the hooks; flags and the search for the command are pflag's and cobra's.
 * Modules are loaded by the preSubcommand hook, so only the commands on the path are.
 */
export class CommandNode extends CommanderCommand {
  /** The command's module, once loaded; a pure group has none. */
  module: Command | undefined;
  parsed: ParsedFlags | undefined;
  /** The words of the command line for this node, without its name. */
  argv: readonly string[] = [];

  readonly #tables: Partial<
    Record<"full" | "bare", { readonly module: Command | undefined; readonly table: FlagTable }>
  > = {};

  constructor(
    readonly entry: CommandEntry,
    readonly context: NodeContext,
    readonly path: string,
    /** Persistent flags of the groups above. */
    readonly inherited: readonly FlagSpec[],
    /** {@link path} with aliases as they were typed. */
    readonly typedPath = path,
  ) {
    super(entry.name);
    this.helpCommand(false);
    this.helpOption(false);
    if (entry.aliases !== undefined) this.aliases([...entry.aliases]);
    this.action(() => context.action(this));
    this.hook("preSubcommand", async (_parent, child) => {
      if (child instanceof CommandNode) await child.load();
    });
  }

  async load(): Promise<void> {
    this.module ??= await this.entry.load?.();
  }

  /** The command's own flags. */
  get ownFlags(): readonly FlagSpec[] {
    const flags = this.module?.flags ?? this.entry.group?.flags ?? [];
    const isOpen = ({ gate }: FlagSpec): boolean =>
      gate === undefined || this.context.env[gate]?.toLowerCase() === "true";
    return flags.every(isOpen) ? flags : flags.filter(isOpen);
  }

  /** Returns all flags of the command: its own first, then the inherited ones. `--help` is unknown to cobra's first pass. */
  flagTable(withHelp = true): FlagTable {
    const key = withHelp ? "full" : "bare";
    // Made once for each state: before and after the module is there.
    const made = this.#tables[key];
    if (made !== undefined && made.module === this.module) return made.table;
    const table = new FlagTable(this.ownFlags, withHelp ? [helpFlag] : [], this.inherited, this.context.globals);
    this.#tables[key] = { module: this.module, table };
    return table;
  }

  /** Returns the subcommand that an argument names. */
  findChild(argv: readonly string[]): FoundChild | undefined {
    const children = this.entry.children;
    if (children === undefined) return undefined;
    const flags = this.flagTable(false);
    const name = stripFlags(argv, flags)[0];
    const entry = children.find((child) => child.name === name || child.aliases?.includes(name ?? "") === true);
    return name === undefined || entry === undefined
      ? undefined
      : { entry, name, argv: withoutOperand(argv, name, flags) };
  }

  /** Makes the node of a subcommand. */
  child(entry: CommandEntry, typed = entry.name): CommandNode {
    const persistent = this.ownFlags.filter((flag) => flag.persistent === true);
    const flags = entry.standsFor?.inherited ?? [...persistent, ...this.inherited];
    const [path, typedPath] = this.#pathsOfChildren();
    return new CommandNode(entry, this.context, `${path} ${entry.name}`, flags, `${typedPath} ${typed}`);
  }

  /** Returns the names of the children and their paths. An alias renames one command only: its subcommands keep their paths. */
  #pathsOfChildren(): readonly [path: string, typedPath: string] {
    const { standsFor } = this.entry;
    if (standsFor === undefined) return [this.path, this.typedPath];
    const real = [this.path.split(" ")[0] ?? "", standsFor.path].filter((word) => word !== "").join(" ");
    return [real, real];
  }

  /** Called by commander with what is left for this node: finds the next node or reads the flags. */
  override parseOptions(argv: string[]): ParseOptionsResult {
    const found = this.findChild(argv);
    if (found !== undefined) {
      this.addCommand(this.child(found.entry, found.name));
      return { operands: [found.entry.name], unknown: [...found.argv] };
    }
    this.argv = argv;
    this.parsed = this.#parse(argv);
    return { operands: [], unknown: [] };
  }

  #parse(argv: readonly string[]): ParsedFlags {
    try {
      if (this.module?.disableFlagParsing === true) return { ...parseFlags(this.flagTable(), []), args: argv };
      return parseFlags(this.flagTable(), argv, this.context.presets?.flagsOf(this));
    } catch (error) {
      throw this.context.flagError(error, this);
    }
  }
}

/**
 * Walks down from the root as cobra's Find does, without running anything: the last command that the words name, and
 * what is left for it.
 */
export async function findNode(
  root: CommandNode,
  argv: readonly string[],
): Promise<{ node: CommandNode; argv: readonly string[] }> {
  let node = root;
  let rest = argv;
  for (;;) {
    const found = node.findChild(rest);
    if (found === undefined) return { node, argv: rest };
    node = node.child(found.entry, found.name);
    rest = found.argv;
    await node.load();
  }
}

/**
 * Returns the operands as cobra finds them before it knows the command: every flag that it does not know takes the next argument as its
 * value. So `--save-config create ns a` asks for the command "ns".
 */
export function stripFlags(argv: readonly string[], flags: FlagTable): readonly string[] {
  const operands: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") break;
    if (takesNext(argument, flags)) {
      if (index + 2 >= argv.length) break;
      index++;
    } else if (argument !== "" && !argument.startsWith("-")) {
      operands.push(argument);
    }
  }
  return operands;
}

/** Removes the first operand that equals `name` from the command line. */
export function withoutOperand(argv: readonly string[], name: string, flags: FlagTable): readonly string[] {
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? "";
    if (argument === "--") break;
    if (takesNext(argument, flags)) index++;
    else if (argument === name) return argv.toSpliced(index, 1);
  }
  return argv;
}

function takesNext(argument: string, flags: FlagTable): boolean {
  if (argument.includes("=") || !argument.startsWith("-")) return false;
  return (argument.startsWith("--") || argument.length === 2) && !flags.standsAlone(argument);
}
