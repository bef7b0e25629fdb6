import { goQuote } from "../../base/text/go-quote.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import { invalidArgument } from "../../component/flags/flag-errors.js";
import type { Flags, FlagSpec, GivenFlag } from "../../component/flags/flag-set.js";
import { type FlagValue, parseFlagValue } from "../../component/flags/flag-value.js";
import type { CommandEntry } from "../command.js";
import type { CommandNode, Presets } from "../command-node.js";
import type { Host } from "../connect/host.js";
import { rootNode, unknownCommand } from "../dispatch.js";
import type { OptionDefault } from "./preference-schema.js";

/** A command line and its context; the preferences of kuberc turn it into another one. */
export interface CommandLine {
  /** The tree of commands, with the alias that the line uses, if any. */
  readonly root: CommandEntry;
  readonly globals: readonly FlagSpec[];
  readonly argv: readonly string[];
  readonly host: Host;
  readonly presets?: Presets;
}

/** Returns the tree of commands while preferences are applied: cobra adds `help` later. */
export function earlyTree({ root, host, globals }: Omit<CommandLine, "argv">): CommandNode {
  const children = root.children?.filter(({ name, standsFor }) => name !== "help" || standsFor !== undefined);
  return rootNode({ ...root, ...(children !== undefined && { children }) }, host, globals);
}

/** Returns the last command that the words name, without loading a module; undefined when the first word names none. */
export function namedCommand(tree: CommandNode, words: readonly string[]): CommandNode | undefined {
  if (unknownCommand(tree, words) !== undefined) return undefined;
  let node = tree;
  for (let rest = words; ; ) {
    const found = node.findChild(rest);
    if (found === undefined) return node;
    node = node.child(found.entry, found.name);
    rest = found.argv;
  }
}

export const wordsOf = (command: string): readonly string[] => command.split(/\s+/).filter((word) => word !== "");

/** Makes the texts of the errors that one option can have. */
export interface OptionErrors {
  readonly unknown: (option: OptionDefault) => string;
  readonly invalid: (option: OptionDefault, reason: string) => string;
}

/** Applies preferences to the command that a line names. */
export class CommandPresets implements Presets {
  readonly #flags: { readonly isOwn: boolean; readonly given: GivenFlag }[] = [];
  readonly #values = new Map<FlagSpec, FlagValue>();
  #original: string | undefined;

  constructor(private readonly entry: CommandEntry) {}

  /**
   * Sets the options that the line does not have, and returns them as they would be typed, each after a space. @throws the errors of
   * `errors`
   */
  set(node: CommandNode, options: readonly OptionDefault[], words: readonly string[], errors: OptionErrors): string {
    let written = "";
    for (const option of options) {
      const spec = earlyFlag(node, option.name);
      if (spec === undefined) throw new Error(errors.unknown(option));
      if (isMentioned(spec, words)) continue;
      try {
        this.#values.set(spec, parseFlagValue(spec, option.default, this.#values.get(spec)));
      } catch (error) {
        throw new Error(errors.invalid(option, invalidArgument(spec, option.default, error).message), { cause: error });
      }
      const isOwn = spec.persistent !== true && node.ownFlags.includes(spec);
      this.#flags.push({ isOwn, given: { name: spec.name, text: option.default } });
      written += ` --${option.name}=${option.default}`;
    }
    return written;
  }

  standsFor(original: string): void {
    this.#original = original;
  }

  /** Returns the flags that preferences set. Persistent flags of a command are also set for its subcommands. */
  flagsOf(node: CommandNode): readonly GivenFlag[] {
    if (node.entry === this.entry) return this.#flags.map(({ given }) => given);
    const handedDown = this.#flags.filter(({ isOwn, given }) => !isOwn && !node.flagTable().isOwn(given.name));
    return handedDown.map(({ given }) => given);
  }

  announce(node: CommandNode, flags: Flags, { program, streams, clock, pid }: Host): void {
    if (this.#original === undefined || node.entry !== this.entry || flags.number("v") < 1) return;
    const message = `original command: ${goQuote(`${program} ${this.#original}`)}`;
    streams.err.write(klogLine("I", "cmd.go:371", message, new Date(clock.now()), pid));
  }
}

/** klog's flags, which kubectl adds only when it has applied the preferences. */
const LATE: ReadonlySet<string> = new Set(["v", "vmodule", "log-flush-frequency"]);

/** Returns the flag of a command that preferences may set: neither --help nor a flag of logging. */
function earlyFlag(node: CommandNode, name: string): FlagSpec | undefined {
  const spec = node.flagTable(false).named(name);
  return spec === undefined || LATE.has(spec.name) ? undefined : spec;
}

/** Returns whether a word of the line looks like the flag: preferences then do not set it. Words are not parsed as pflag parses them. */
function isMentioned({ name, short }: FlagSpec, words: readonly string[]): boolean {
  return words.some(
    (word) =>
      word === `--${name}` ||
      word.startsWith(`--${name}=`) ||
      (short !== undefined && (word.startsWith(`-${short}`) || (/^-[a-zA-Z]+$/.test(word) && word.includes(short)))),
  );
}
