import { dictionary } from "../../base/collections/dictionary.js";
import { errorMessage } from "../../base/text/error-message.js";
import { holdsControls, inertText } from "../../base/text/inert-text.js";
import type { CommandEntry, Completer, Completion } from "../command.js";
import { type CommandNode, findNode } from "../command-node.js";
import { invocationOf, type MakeFactory, rootNode, unknownCommand } from "../dispatch.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { FlagTable } from "../../component/flags/flag-table.js";
import { helpFlag } from "../flags/global-flags.js";
import { type ParsedFlags, parseFlags, type ParsedFlagSet } from "../../component/flags/parse-flags.js";
import type { Host } from "../connect/host.js";
import type { CommandLine } from "../kuberc/command-line.js";
import { DEFAULT, directiveNames, FILTER_FILE_EXT, NO_FILE_COMP } from "./directive.js";
import { colourChoices } from "../terminal/colour.js";
import { withPlugins } from "./plugin-commands.js";
import { completeWords } from "./resource-completers.js";
import { completeClusters, completeContexts, completeNamespaces, completeUsers } from "./global-completers.js";
import { bareValue } from "../../component/flags/flag-value.js";

/** Answers `__complete WORDS... LAST`: candidates, then `:directive`, on stdout; what happened, for people, on stderr. */
export async function runComplete(given: CommandLine, makeFactory: MakeFactory): Promise<void> {
  const { argv, host } = given;
  const [request, ...words] = argv;
  if (words.length === 0) throw new Error("requires at least 1 arg(s), only received 0");
  const line = withPlugins(given, words);
  if (line.isOfPlugin) host.streams.err.write("[Debug] Cleared global flags for plugin completion\n");
  const { completion, problem, node } = await completeLine(line, words, makeFactory);
  if (problem !== undefined) host.streams.err.write(`[Debug] [Error] ${problem}\n`);
  for (const candidate of completion.candidates) {
    const [name = "", ...description] = candidate.split("\t");
    // cobra cuts such a name at the end of its first line, which is the name of something else.
    if (holdsControls(name)) continue;
    const shown = request === "__completeNoDesc" ? [name] : [name, ...description.map(firstLine)];
    host.streams.out.write(`${shown.join("\t").trim()}\n`);
  }
  host.streams.out.write(`:${completion.directive}\n`);
  // A command that is its own help writes nothing to stderr, this line included.
  const last = node?.module?.selfExplaining === true ? host.streams.out : host.streams.err;
  last.write(`Completion ended with directive: ${directiveNames(completion.directive)}\n`);
}

/** What a program may show of a text beside a candidate: the shells' lists take control sequences as they are. */
const firstLine = (text: string): string => inertText(text.split("\n")[0] ?? "");

interface Answer {
  readonly completion: Completion;
  readonly problem?: string;
  /** The command the line names, where it could be read. */
  readonly node?: CommandNode;
}

const failed = (problem: string): Answer => ({ completion: { candidates: [], directive: DEFAULT }, problem });

/** Completes a line as cobra's getCompletions does. Its steps and their order are cobra's, because scripts rely on the directives. */
async function completeLine(
  { root, host, globals, presets }: CommandLine,
  words: readonly string[],
  makeFactory: MakeFactory,
): Promise<Answer> {
  const line = words.slice(0, -1);
  const tree = rootNode(root, host, globals, undefined, presets);
  if (unknownCommand(tree, line) !== undefined) {
    return failed(`unable to find a command for arguments: [${line.join(" ")}]`);
  }
  const { node, argv } = await findNode(tree, line);
  const last = words.at(-1) ?? "";
  const value = readsFlags(node) ? valueCompletion(node.flagTable(), argv, last) : { argv, toComplete: last };
  const read = parse(node, value.argv);
  if (typeof read === "string") return failed(read);
  // After `--` (and only then) a further `--` would be an operand.
  const afterDash = read.argsLenAtDash >= 0;
  if (value.unknownFlag !== undefined && !afterDash) {
    return failed(`Subcommand '${node.entry.name}' does not support flag '${value.unknownFlag}'`);
  }
  if (read.flags.bool("help")) return { completion: { candidates: [], directive: NO_FILE_COMP }, node };
  return { completion: await candidates(node, read, value, { root, host, makeFactory, afterDash, globals }), node };
}

const readsFlags = ({ module }: CommandNode): boolean => module?.disableFlagParsing !== true;

function parse(node: CommandNode, argv: readonly string[]): ParsedFlags | string {
  try {
    if (!readsFlags(node)) return { ...parseFlags(node.flagTable(), []), args: argv };
    return parseFlags(node.flagTable(), argv, node.context.presets?.flagsOf(node));
  } catch (error) {
    const reason = errorMessage(error);
    return `Error while parsing flags from args [${argv.join(" ")}]: ${reason}`;
  }
}

interface Surroundings {
  readonly root: CommandEntry;
  readonly host: Host;
  readonly makeFactory: MakeFactory;
  readonly afterDash: boolean;
  readonly globals: readonly FlagSpec[];
}

async function candidates(
  node: CommandNode,
  read: ParsedFlags,
  { flag, toComplete }: { readonly flag?: FlagSpec; readonly toComplete: string },
  around: Surroundings,
): Promise<Completion> {
  if (flag !== undefined && !around.afterDash) {
    const completer = flagCompleter(node, flag);
    return completer === undefined
      ? { candidates: [], directive: DEFAULT }
      : await ask(completer, node, read, toComplete, around);
  }
  if (readsFlags(node) && toComplete.startsWith("-") && !toComplete.includes("=") && !around.afterDash) {
    const required = requiredFlags(node, read, toComplete);
    const offered = required.length > 0 ? required : flagNames(node, read, toComplete, around.globals);
    return { candidates: offered, directive: NO_FILE_COMP };
  }
  const names = subcommandNames(node, read, toComplete);
  const first = [...(names ?? []), ...requiredFlags(node, read, toComplete)];
  const completer = node.module?.completeArgs;
  if (completer === undefined) return { candidates: first, directive: names === undefined ? DEFAULT : NO_FILE_COMP };
  const more = await ask(completer, node, read, toComplete, around);
  // A name that a server or a file chose is an operand: where it begins with a dash the command would take it for a flag.
  const operands = more.candidates.filter((name) => !name.startsWith("-") || around.afterDash || !readsFlags(node));
  return { candidates: [...first, ...operands], directive: more.directive };
}

/** The flags the command needs and has not got yet, offered before anything else. */
function requiredFlags(node: CommandNode, read: ParsedFlags, toComplete: string): readonly string[] {
  const missing = node.ownFlags.filter((flag) => flag.required === true && !read.flags.changed(flag.name));
  return flagNameCandidates([], missing, read.flags, toComplete);
}

/** The names of subcommands that fit; undefined where none can stand. */
function subcommandNames(node: CommandNode, read: ParsedFlags, toComplete: string): readonly string[] | undefined {
  const children = node.entry.children ?? [];
  const ownGiven = node.ownFlags.some((flag) => flag.persistent !== true && read.flags.changed(flag.name));
  if (children.length === 0 || read.args.length > 0 || ownGiven) return undefined;
  return children
    .filter((child) => (child.hidden !== true || child.name === "help") && child.name.startsWith(toComplete))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((child) => `${child.name}\t${child.summary}`);
}

function flagNames(
  node: CommandNode,
  read: ParsedFlags,
  toComplete: string,
  globals: readonly FlagSpec[],
): readonly string[] {
  const own = new FlagTable(node.ownFlags, [helpFlag]);
  const inherited = new FlagTable(node.inherited, globals).all().filter((flag) => own.named(flag.name) === undefined);
  // At the root the global flags are its own, so help stands among them.
  if (node.parent === null && node.path.split(" ").length === 1) {
    const inPlaceOfCommand = read.flags.order.length === 0 ? [versionFlag] : [];
    return flagNameCandidates([], [...inherited, ...own.all(), ...inPlaceOfCommand], read.flags, toComplete);
  }
  return flagNameCandidates(inherited, own.all(), read.flags, toComplete);
}

/** It is a flag of no command: `dispatch` looks for it as the first word. */
const versionFlag: FlagSpec = { name: "version", type: "bool", usage: "Print which kubets this is" };

const GLOBAL_COMPLETERS: Readonly<Record<string, Completer>> = dictionary({
  namespace: completeNamespaces,
  context: completeContexts,
  cluster: completeClusters,
  user: completeUsers,
  color: completeWords(colourChoices),
});

function flagCompleter(node: CommandNode, flag: FlagSpec): Completer | undefined {
  const own = node.module?.completeFlags?.[flag.name];
  if (own !== undefined) return own;
  if (node.ownFlags.includes(flag)) return flag.name === "filename" ? manifestFiles : undefined;
  return GLOBAL_COMPLETERS[flag.name];
}

/** -f takes files with these endings. */
const manifestFiles: Completer = () =>
  Promise.resolve({ candidates: ["json", "yaml", "yml"], directive: FILTER_FILE_EXT });

/** Calls a completer. One that fails offers nothing, because a shell must not show errors while a line is typed. */
async function ask(
  completer: Completer,
  node: CommandNode,
  read: ParsedFlags,
  toComplete: string,
  { root, host, makeFactory }: Surroundings,
): Promise<Completion> {
  const factory = makeFactory(host, read, node.path);
  try {
    return await completer(factory, invocationOf(node, read, root, host), toComplete);
  } catch {
    return { candidates: [], directive: NO_FILE_COMP };
  } finally {
    await factory.close();
  }
}

/** Describes the last word of a line: the value of a flag, or another word. */
export interface ValueCompletion {
  readonly flag?: FlagSpec;
  /** The line without the flag whose value is being typed. */
  readonly argv: readonly string[];
  /** The part of the value that is typed already. */
  readonly toComplete: string;
  /** The flag of the line that the command does not have. */
  readonly unknownFlag?: string;
}

/** Finds the flag whose value is being completed (`--flag=va`, `--flag va`, `-f=va`, `-abf va`), as cobra does. */
export function valueCompletion(table: FlagTable, argv: readonly string[], last: string): ValueCompletion {
  const find = (name: string): FlagSpec | undefined =>
    name.length === 1 ? (table.short(name) ?? table.named(name)) : table.named(name);
  if (last.startsWith("-")) {
    const equals = last.indexOf("=");
    if (equals < 0) return { argv, toComplete: last };
    const name = last.startsWith("--") ? last.slice(2, equals) : last.slice(equals - 1, equals);
    const flag = find(name);
    if (flag === undefined) return { argv, toComplete: last, unknownFlag: name };
    return { flag, argv, toComplete: last.slice(equals + 1) };
  }
  const previous = argv.at(-1) ?? "";
  if (!/^(--.|-[^-])/.test(previous) || previous.includes("=")) return { argv, toComplete: last };
  const name = previous.startsWith("--") ? previous.slice(2) : previous.slice(-1);
  const flag = find(name);
  if (flag === undefined) return { argv, toComplete: last, unknownFlag: name };
  // A flag that may stand alone does not take the next word.
  if (bareValue(flag) !== undefined) return { argv, toComplete: last };
  return { flag, argv: argv.slice(0, -1), toComplete: last };
}

/** Returns the flag names that match, the inherited ones first. Flags that the line has are left out unless they may repeat. */
export function flagNameCandidates(
  inherited: readonly FlagSpec[],
  own: readonly FlagSpec[],
  given: ParsedFlagSet,
  toComplete: string,
): readonly string[] {
  const sorted = (flags: readonly FlagSpec[]): readonly FlagSpec[] =>
    flags.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return [...sorted(inherited), ...sorted(own)]
    .filter((flag) => flag.hidden !== true && flag.deprecated === undefined)
    .filter((flag) => !given.changed(flag.name) || flag.type === "stringSlice" || flag.type === "stringArray")
    .flatMap((flag) =>
      [`--${flag.name}`, ...(flag.short === undefined ? [] : [`-${flag.short}`])].map((name) => ({ flag, name })),
    )
    .filter(({ name }) => name.startsWith(toComplete))
    .map(({ flag, name }) => `${name}\t${flag.usage}`);
}
