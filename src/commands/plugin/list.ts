import { statSync } from "node:fs";
import { basename, extname, resolve } from "node:path";
import { goQuote } from "../../base/text/go-quote.js";
import { PathError } from "../../base/files/path-error.js";
import type { Command, CommandEntry, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { type InstalledPlugins, installedPlugins } from "../../cli/installed-plugins.js";
import { yieldsToPlugins } from "../../cli/plugins.js";

export interface PluginListOptions {
  readonly plugins: InstalledPlugins;
  readonly nameOnly: boolean;
  /** The commands that no plugin can take the place of. */
  readonly root: CommandEntry;
  readonly program: string;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly streams: Pick<Streams, "out" | "err">;
}

export function pluginListCommand(run = runPluginList): Command {
  return {
    use: "list [flags]",
    description: `List the plugins on PATH: the files whose names begin with "kubectl-". Warnings tell which of them would not run, and why: the
file cannot be executed, another of its name comes before it, or the name is a command of {{program}} itself.`,
    examples: `# All plugins
{{program}} plugin list

# Their names, without the folders
{{program}} plugin list --name-only`,
    flags: [{ name: "name-only", type: "bool", usage: "Print the names of the files without their folders" }],
    execute: async (factory, invocation) => run(complete(factory, invocation)),
  };
}

function complete(factory: Factory, { flags, root }: Invocation): PluginListOptions {
  const { program, cwd, platform, streams } = factory;
  const plugins = installedPlugins(factory);
  return { plugins, nameOnly: flags.bool("name-only"), root, program, cwd, platform, streams };
}

export function runPluginList(options: PluginListOptions): void {
  const { plugins, nameOnly, streams } = options;
  for (const { folder, error } of plugins.unreadable) {
    streams.err.write(`Unable to read directory ${goQuote(folder)} from your PATH: ${error.message}. Skipping...\n`);
  }
  if (plugins.files.length === 0) throw new Error("error: unable to find any kubectl plugins in your PATH\n");
  streams.out.write("The following compatible plugins are available:\n\n");
  const seen = new Map<string, string>();
  let count = 0;
  for (const file of plugins.files) {
    streams.out.write(`${nameOnly ? basename(file) : file}\n`);
    const warnings = warningsOf(file, seen, options);
    for (const warning of warnings) streams.err.write(`  - ${warning}\n`);
    count += warnings.length;
  }
  if (count === 0) return;
  throw new Error(
    count === 1 ? "error: one plugin warning was found\n" : `error: ${count} plugin warnings were found\n`,
  );
}

/** `seen` holds the plugins before it by their names. */
function warningsOf(file: string, seen: Map<string, string>, options: PluginListOptions): readonly string[] {
  const name = basename(file);
  const warnings: string[] = [];
  try {
    if (!isExecutable(file, options)) {
      warnings.push(`warning: ${file} identified as a kubectl plugin, but it is not executable`);
    }
  } catch (error) {
    const { message } = new PathError("stat", file, error);
    warnings.push(`error: unable to identify ${file} as an executable file: ${message}`);
  }
  const first = seen.get(name);
  if (first === undefined) seen.set(name, file);
  else warnings.push(`warning: ${file} is overshadowed by a similarly named plugin: ${first}`);
  const command = commandOf(name, options);
  if (command !== undefined) warnings.push(`warning: ${name} overwrites existing command: ${goQuote(command)}`);
  return warnings;
}

const WINDOWS_PROGRAMS = new Set([".bat", ".cmd", ".com", ".exe", ".ps1"]);

/** For any user, not just for the one who asks. */
function isExecutable(file: string, { cwd, platform }: PluginListOptions): boolean {
  const stat = statSync(resolve(cwd, file));
  if (platform === "win32") return WINDOWS_PROGRAMS.has(extname(file).toLowerCase());
  return !stat.isDirectory() && (stat.mode & 0o111) !== 0;
}

/** The path of the command that runs in place of a plugin of that name: the words lead as far as there are commands. */
function commandOf(name: string, { root, program }: PluginListOptions): string | undefined {
  const words = name
    .split("-")
    .slice(1)
    .filter((word) => word !== "");
  const path = [program];
  let entry = root;
  for (const word of words) {
    const child = entry.children?.find((one) => one.name === word || one.aliases?.includes(word) === true);
    if (child === undefined) break;
    if (yieldsToPlugins(child, program)) return undefined;
    path.push(child.name);
    entry = child;
  }
  return words.length > 0 && path.length === 1 ? undefined : path.join(" ");
}
