import { posix, win32 } from "node:path";
import { goQuote } from "../base/text/go-quote.js";
import { withMistyped } from "../base/text/mistyped.js";
import type { Look } from "../printers/look.js";
import { lookOf } from "./terminal/colour.js";
import type { Command, CommandEntry, CommandGroup, Invocation } from "./command.js";
import { CommandNode, type NodeContext, type Presets, stripFlags } from "./command-node.js";
import { ExitError, silentExit, UsageError, usageError } from "./errors.js";
import type { OwnedFactory } from "./connect/create-factory.js";
import type { FlagSpec } from "../component/flags/flag-set.js";
import { FlagError } from "../component/flags/flag-errors.js";
import { globalFlags } from "./flags/global-flags.js";
import type { ParsedFlags } from "../component/flags/parse-flags.js";
import type { Host } from "./connect/host.js";
import type { CommandLine } from "./kuberc/command-line.js";
import { isKubercDisabled, readKuberc, withoutKuberc } from "./kuberc/read-kuberc.js";

export type MakeFactory = (host: Host, parsed: ParsedFlags, commandPath: string, look?: Look) => OwnedFactory;

/** Runs one command line. Returns when the command is done; throws what the error boundary prints. */
export async function dispatch(
  commands: CommandEntry,
  words: readonly string[],
  surroundings: Host,
  makeFactory: MakeFactory,
): Promise<void> {
  if (words[0] === VERSION) {
    const { printOwnVersion } = await import("./own-version.js");
    return await printOwnVersion(words.slice(1), surroundings);
  }
  const line = await withPreferences(commands, words, surroundings);
  const { root, argv, host, globals, presets } = line;
  if (COMPLETION_REQUESTS.has(argv[0] ?? "")) {
    const { runComplete } = await import("./completion/run-complete.js");
    return await runComplete(line, makeFactory);
  }
  const tree = rootNode(root, host, globals, (node) => run(node, root, host, makeFactory), presets);
  const unknown = unknownCommand(tree, argv);
  if (unknown !== undefined) return await runUnknown(unknown, root, argv, host);
  await runPluginInstead(tree, argv, host);
  await runSubcommandPlugin(tree, argv, host);
  try {
    await tree.parseAsync([...argv], { from: "user" });
  } catch (error) {
    throw error instanceof FlagError ? await advised(error, host) : error;
  }
}

/** Applies the user's preferences to the line. Without preferences this costs one look for their file. */
async function withPreferences(root: CommandEntry, argv: readonly string[], host: Host): Promise<CommandLine> {
  const globals = globalFlags(defaultCacheDir(host));
  if (isKubercDisabled(host.env)) {
    const children = withoutKuberc(root.children ?? []);
    return { root: { ...root, children }, argv, host, globals: withoutKuberc(globals) };
  }
  const line = { root, argv, host, globals };
  const file = readKuberc(argv, host);
  if (file === undefined) return line;
  const { applyKuberc } = await import("./kuberc/apply-kuberc.js");
  return await applyKuberc(file, line);
}

/** Returns the error, on a terminal with a line that says what was probably meant. */
async function advised(error: unknown, host: Host, factory?: OwnedFactory): Promise<unknown> {
  if (host.streams.err.isTTY !== true || !(error instanceof Error) || "advice" in error) return error;
  const { adviceOn } = await import("./advice/advice.js");
  const advice = await adviceOn(error, factory, host.signal);
  return advice === undefined ? error : Object.assign(error, { advice });
}

/** In the place of a command: kubectl has no such flag. */
const VERSION = "--version";

/** How completion scripts ask: cobra's protocol. */
const COMPLETION_REQUESTS: ReadonlySet<string> = new Set(["__complete", "__completeNoDesc"]);

/** Makes the tree of commands for one command line; `action` runs on the node that the line names. */
export function rootNode(
  root: CommandEntry,
  { program, env, cwd, platform }: Pick<Host, "program" | "env" | "cwd" | "platform">,
  globals: readonly FlagSpec[],
  action: NodeContext["action"] = () => Promise.resolve(),
  presets?: Presets,
): CommandNode {
  return new CommandNode(root, { globals, env, cwd, platform, action, flagError, presets }, program, []);
}

/** Returns the first word of a line that names no command; undefined when it names one or has no words. */
export function unknownCommand(tree: CommandNode, argv: readonly string[]): string | undefined {
  return tree.findChild(argv) === undefined ? stripFlags(argv, tree.flagTable(false))[0] : undefined;
}

/** Runs the plugin of that name. Without one it throws cobra's error with suggestions. */
async function runUnknown(typed: string, root: CommandEntry, argv: readonly string[], host: Host): Promise<void> {
  const { findPlugin } = await import("./plugins.js");
  const plugin = findPlugin(argv, host);
  if (plugin !== undefined) throw new ExitError(await host.runPlugin(plugin.file, plugin.args));
  const { unknownCommandMessage } = await import("./advice/suggestions.js");
  throw new Error(unknownCommandMessage(typed, host.program, root.children ?? []));
}

/** Under kubectl's name, runs a plugin in place of a command of the same name that kubectl does not have. */
async function runPluginInstead(tree: CommandNode, argv: readonly string[], host: Host): Promise<void> {
  const found = tree.findChild(argv);
  if (found?.entry.yields !== true) return;
  const { findPlugin, yieldsToPlugins } = await import("./plugins.js");
  if (!yieldsToPlugins(found.entry, host.program)) return;
  if (findPlugin([found.entry.name, ...found.argv], host) === undefined) return;
  // Where flags stand before the name, this throws kubectl's error.
  const plugin = findPlugin(argv, host);
  if (plugin !== undefined) throw new ExitError(await host.runPlugin(plugin.file, plugin.args));
}

/** Runs the plugin that adds a subcommand to `create`: `kubectl-create-thing` where a line begins with `create thing`. */
async function runSubcommandPlugin(tree: CommandNode, argv: readonly string[], host: Host): Promise<void> {
  const found = tree.findChild(argv);
  const [word] = found?.argv ?? [];
  if (found?.entry.name !== "create" || word === undefined || word.startsWith("-")) return;
  const isOwn = ({ name, aliases }: CommandEntry): boolean => name === word || aliases?.includes(word) === true;
  if (found.entry.children?.some(isOwn) === true) return;
  const { findPlugin } = await import("./plugins.js");
  const plugin = findPlugin(argv, host, argv.length - found.argv.length + 1);
  if (plugin !== undefined) throw new ExitError(await host.runPlugin(plugin.file, plugin.args));
}

/** What ends the command by its own code keeps it. */
function withExitCode(error: unknown, { failureCode }: Command): unknown {
  if (failureCode === undefined || error instanceof ExitError || !(error instanceof Error)) return error;
  return Object.assign(error, { exitCode: failureCode });
}

function flagError(error: unknown, node: CommandNode): Error {
  if (!(error instanceof FlagError)) return error instanceof Error ? error : new Error(String(error));
  if (node.module?.failureCode !== undefined) {
    return Object.assign(usageError({ commandPath: node.path }, error.message), { exitCode: node.module.failureCode });
  }
  const hint =
    node.module?.selfExplaining === true ? `Run '${node.path}' without flags.` : `See '${node.path} --help' for usage.`;
  const { typed } = error;
  const explained = new FlagError(`${error.message}\n${hint}`, typed);
  if (typed === undefined) return explained;
  return withMistyped(explained, () => ({
    typed,
    known: visible(node.flagTable().all()),
    suggest: (name) => `--${name}`,
  }));
}

const visible = (flags: readonly FlagSpec[]): readonly string[] =>
  flags.filter((flag) => flag.hidden !== true).map((flag) => flag.name);

async function run(node: CommandNode, root: CommandEntry, host: Host, makeFactory: MakeFactory): Promise<void> {
  const { module, parsed } = node;
  if (parsed === undefined) throw new Error(`${node.path} ran before its flags were read`);
  host.colours.choose(parsed.flags.string("color"));
  for (const notice of parsed.notices) host.streams.err.write(`${notice}\n`);
  if (parsed.flags.bool("help")) return showHelp(node, host, "out");
  const invocation = invocationOf(node, parsed, root, host);
  node.context.presets?.announce(node, parsed.flags, host);
  try {
    if (module === undefined) return await runGroup(node, invocation, host);
    const look = await lookOf(host.streams.out, host.colours, { fit: parsed.flags.bool("fit") });
    await runCommand(module, invocation, makeFactory(host, parsed, node.path, look), host);
  } catch (error) {
    throw error instanceof UsageError ? await withNearCommands(error, node, invocation, host) : error;
  }
}

/** Adds to the error, on a terminal, the name of a subcommand that the first operand nearly is. */
async function withNearCommands(
  error: UsageError,
  { entry: { children = [] } }: CommandNode,
  { args: [typed] }: Invocation,
  { streams }: Host,
): Promise<unknown> {
  if (streams.err.isTTY !== true || typed === undefined || "advice" in error) return error;
  const { suggestCommands } = await import("./advice/suggestions.js");
  const names = suggestCommands(typed, children).map(goQuote);
  return names.length === 0 ? error : Object.assign(error, { advice: `Did you mean ${names.join(", ")}?` });
}

/** Makes the {@link Invocation} of a parsed command line, for commands and completers. */
export function invocationOf(node: CommandNode, parsed: ParsedFlags, root: CommandEntry, host: Host): Invocation {
  return {
    commandPath: node.path,
    typedPath: node.typedPath,
    args: parsed.args,
    argsLenAtDash: parsed.argsLenAtDash,
    flags: parsed.flags,
    signal: host.signal,
    handleSignals: () => host.onHandlesSignals?.(),
    root,
    globalFlags: node.context.globals,
    printHelp: () => showHelp(node, host, "out"),
  };
}

async function runCommand(command: Command, invocation: Invocation, factory: OwnedFactory, host: Host): Promise<void> {
  command.validateArgs?.(invocation);
  if (!command.flags.some(({ name }) => name === "profile")) checkProfile(invocation);
  requireFlags(command, invocation);
  const { handlesSignals = false, ownExitCode = false } = command;
  const handled = typeof handlesSignals === "function" ? handlesSignals(invocation) : handlesSignals;
  const { outputMustArrive = isForPrograms(invocation.flags) } = command;
  const { secondSignalCode } = command;
  host.onCommand?.({
    handled,
    ownExitCode,
    outputMustArrive,
    ...(secondSignalCode !== undefined && { secondSignalCode }),
  });
  try {
    await loadForFlags(command, invocation);
    await command.execute(factory, invocation);
  } catch (error) {
    const log = await factory.log();
    if (log !== undefined) (await import("./connect/log-errors.js")).logError(error, log);
    throw withExitCode(await advised(error, host, factory), command);
  } finally {
    await factory.close();
  }
  const warnings = invocation.flags.bool("warnings-as-errors") ? factory.warningCount() : 0;
  if (warnings > 0) throw new Error(`${warnings} warning${warnings === 1 ? "" : "s"} received`);
}

function isForPrograms(flags: Invocation["flags"]): boolean {
  if (flags.has("raw") && flags.changed("raw")) return true;
  return flags.has("output") && /^(?:json|yaml|kyaml|go-template|template)/i.test(flags.string("output"));
}

/** Runs a group without a subcommand: prints its help, or throws an error that names the operand. */
async function runGroup(node: CommandNode, invocation: Invocation, host: Host): Promise<void> {
  const bare: NonNullable<CommandGroup["bare"]> = node.entry.group?.bare ?? { stream: "err", code: 1 };
  if (node.parent !== null && invocation.args.length > 0 && bare.takesOperands !== true) {
    throw usageError(invocation, `unknown command ${goQuote(invocation.args.join(" "))}`);
  }
  checkProfile(invocation);
  await showHelp(node, host, bare.stream);
  if (bare.code !== 0) throw silentExit(bare.code);
}

async function showHelp(node: CommandNode, host: Host, stream: "out" | "err"): Promise<void> {
  if (node.module?.selfExplaining === true) return;
  const { helpStyle, helpText } = await import("./help/index.js");
  const out = host.streams[stream];
  out.write(helpText(node, await helpStyle(out, host.colours)));
}

/** cobra looks at them last of all, and names them in the order of the alphabet. */
function requireFlags({ flags: specs }: Command, { flags }: Invocation): void {
  const missing = specs
    .filter(({ required, name }) => required === true && !flags.changed(name))
    .map(({ name }) => name);
  if (missing.length > 0) throw new Error(`required flag(s) ${missing.toSorted().map(goQuote).join(", ")} not set`);
}

async function loadForFlags({ flags: specs }: Command, { flags }: Invocation): Promise<void> {
  for (const { name, load } of specs) {
    if (load !== undefined && flags.changed(name)) await load(flags.string(name));
  }
}

const PROFILES = new Set(["none", "cpu", "heap", "goroutine", "threadcreate", "block", "mutex", "trace"]);

function checkProfile({ flags }: Invocation): void {
  const profile = flags.string("profile");
  if (!PROFILES.has(profile)) throw new Error(`unknown profile '${profile}'`);
}

/** Where answers of servers are kept when nothing says otherwise. */
function defaultCacheDir({ env, platform }: Host): string {
  const { join } = platform === "win32" ? win32 : posix;
  const home = (platform === "win32" ? env["USERPROFILE"] : undefined) ?? env["HOME"] ?? "";
  return env["KUBECACHEDIR"] || join(home, ".kube", "cache");
}
