import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import { klogLine } from "../../client/klog.js";
import { validatePluginPolicy } from "../../client/auth/plugin-policy.js";
import type { Host } from "../connect/host.js";
import type { CommandLine } from "./command-line.js";
import { decodePreferences } from "./decode-preference.js";
import type { Preference, Alias, CommandDefaults, OptionDefault } from "./preference-schema.js";
import { type KubercFile, kubercError } from "./read-kuberc.js";
import { type CommandNode, findNode, type Presets } from "../command-node.js";
import { rootNode, unknownCommand } from "../dispatch.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, CommandEntry } from "../command.js";
import { invalidArgument } from "../../component/flags/flag-errors.js";
import type { Flags, FlagSpec, GivenFlag } from "../../component/flags/flag-set.js";
import { type FlagValue, parseFlagValue } from "../../component/flags/flag-value.js";

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

/**
 * Applies the user's preferences to a command line: defaults, aliases, and the policy for credential plugins. Faults of the
 * default file are only warnings. @throws ExitError with kubectl's text
 */
export async function applyKuberc(file: KubercFile, line: CommandLine): Promise<CommandLine> {
  try {
    const preference = load(file, line);
    if (preference === undefined) return line;
    validate(preference);
    const host = { ...line.host, pluginPolicy: preference.pluginPolicy };
    const { aliases, defaults } = preference;
    return await applyDefaults(await applyAlias({ ...line, host }, aliases), defaults);
  } catch (error) {
    throw kubercError(errorMessage(error));
  }
}

/** kubectl ends none of these lines with a line break. */
function load({ path, explicit, content }: KubercFile, { host, argv }: CommandLine): Preference | undefined {
  const { err } = host.streams;
  try {
    const { text } = content;
    if (text === undefined) throw new PathError("open", path, content.error);
    const decoded = decodePreferences(text, path, logger(argv, host));
    if (decoded === undefined) return undefined;
    if (decoded.strictError !== "") {
      err.write(`kuberc: ignoring strict decoding error in ${path}: ${decoded.strictError}`);
    }
    return decoded.preference;
  } catch (error) {
    const reason = errorMessage(error);
    if (explicit) throw new Error(`kuberc error kuberc: ${reason}`, { cause: error });
    err.write(`kuberc: no preferences loaded from ${path}: ${reason}`);
    return undefined;
  }
}

/** Flags are not read yet: what looks like -v=5 counts. */
function logger(argv: readonly string[], { clock, pid, streams }: Host): (source: string, line: string) => void {
  const level = /(?:^| )--?v[= ]?(\d+)(?= |$)/.exec(argv.join(" "))?.[1];
  if (Number(level ?? 0) < 5) return () => undefined;
  return (source, line) => void streams.err.write(klogLine("I", source, line, new Date(clock.now()), pid));
}

function validate({ aliases, defaults, pluginPolicy }: Preference): void {
  const seen = new Set<string>();
  for (const { name, options } of aliases) {
    if (!/^[a-zA-Z]+$/.test(name)) throw new Error("invalid alias name, can only include alphabetical characters");
    requireLongNames(options);
    if (seen.has(name)) throw new Error(`duplicate alias name ${name}`);
    seen.add(name);
  }
  for (const { options } of defaults) requireLongNames(options);
  validatePluginPolicy(pluginPolicy);
}

function requireLongNames(options: Preference["defaults"][number]["options"]): void {
  const short = options.find(({ name }) => name.startsWith("-"));
  if (short !== undefined) throw new Error(`flag name ${short.name} should be in long form without dashes`);
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

/**
 * Resolves the alias of a line: the alias becomes a command of the root, with its flags and arguments. A line that names a command stays
 * unchanged, and so does a line whose first word is no alias.
 */
export async function applyAlias(given: CommandLine, aliases: readonly Alias[]): Promise<CommandLine> {
  const line = { ...given, root: withoutYielding(given.root, aliases) };
  const tree = earlyTree(line);
  if (unknownCommand(tree, line.argv) === undefined) return line;
  const index = line.argv.findIndex((word) => !word.startsWith("-") && !word.startsWith("__complete"));
  const name = line.argv[index];
  const alias = aliases.find((one) => one.name === name);
  if (alias === undefined) return line;
  if (tree.findChild([alias.name]) !== undefined) {
    line.host.streams.err.write(
      `Warning: Setting alias ${goQuote(alias.name)} to a built-in command is not supported\n`,
    );
    return line;
  }
  const words = wordsOf(alias.command);
  const target = namedCommand(tree, words);
  if (target === undefined) {
    throw new Error(
      `command ${goQuote(alias.command)} not found to set alias ${goQuote(alias.name)}: [${words.join(" ")}]`,
    );
  }
  const entry = aliasEntry(alias, target);
  const root = { ...line.root, children: [entry, ...(line.root.children ?? [])] };
  const presets = new CommandPresets(entry);
  const node = earlyTree({ ...line, root }).child(entry);
  await node.load();
  const where = `in alias ${line.host.program}`;
  const options = presets.set(node, alias.options, line.argv, {
    unknown: (option) => `invalid alias flag ${option.name} ${where}`,
    invalid: (option, reason) =>
      `could not apply value ${option.default} to flag ${option.name} ${where} err: ${reason}`,
  });
  const argv = [...line.argv.toSpliced(index + 1, 0, ...alias.prependArgs), ...alias.appendArgs];
  const rest = argv.join(" ").replaceAll(alias.name, "");
  presets.standsFor(`${alias.command}${options}${rest === "" ? "" : ` ${rest}`}`);
  return { ...line, root, argv, presets };
}

/** The commands without those that an alias of the same name takes the place of. */
function withoutYielding(root: CommandEntry, aliases: readonly Alias[]): CommandEntry {
  const isReplaced = ({ name, yields }: CommandEntry): boolean =>
    yields === true && aliases.some((alias) => alias.name === name);
  return root.children?.some(isReplaced) === true
    ? { ...root, children: root.children.filter((child) => !isReplaced(child)) }
    : root;
}

/** The command under another name, at the root. */
function aliasEntry({ name }: Alias, { entry, path, inherited }: CommandNode): CommandEntry {
  const { load, aliases: _aliases, yields: _yields, group, ...rest } = entry;
  return {
    ...rest,
    name,
    ...(load !== undefined && { load: async () => renamed(await load(), name) }),
    ...(group !== undefined && { group: { ...group, use: usedAs(name, group.use) } }),
    standsFor: { path: path.split(" ").slice(1).join(" "), inherited },
  };
}

function renamed({ aliases: _aliases, ...command }: Command, name: string): Command {
  return { ...command, use: command.namesFlags === true ? name : usedAs(name, command.use) };
}

const usedAs = (name: string, use: string): string => (use.endsWith(" [flags]") ? `${name} [flags]` : name);

/**
 * Sets the defaults of the line's command. kubectl compares only the last words of commands: the defaults of `config view` also apply to
 * `kuberc view`. They never apply to an alias.
 */
export async function applyDefaults(line: CommandLine, defaults: readonly CommandDefaults[]): Promise<CommandLine> {
  const { argv, host } = line;
  const tree = earlyTree(line);
  if (defaults.length === 0 || unknownCommand(tree, argv) !== undefined) return line;
  const { node } = await findNode(tree, argv);
  const presets = new CommandPresets(node.entry);
  let found = false;
  for (const { command, options } of defaults) {
    const named = namedCommand(tree, wordsOf(command));
    if (named === undefined) {
      host.streams.err.write(`Warning: command ${goQuote(command)} not found to set kuberc override\n`);
      continue;
    }
    if (named.entry.name !== node.entry.name) continue;
    if (node.entry.standsFor !== undefined) {
      throw new Error(`alias ${node.entry.name} can not be overridden`);
    }
    const written = presets.set(node, options, argv, {
      unknown: (option) => `invalid flag ${option.name} for command ${command}`,
      invalid: (option, reason) =>
        `could not apply override value ${option.default} to flag ${option.name} in command ${command} err: ${reason}`,
    });
    presets.standsFor(argv.join(" ") + written);
    found = true;
  }
  return found ? { ...line, presets } : line;
}
