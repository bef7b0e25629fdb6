import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import { endsAtImageFile } from "../missing.js";
import type { Program, ProgramIo } from "../program.js";
import { setNamedOption, setOptions } from "./builtins/builtin-options.js";
import { CommandError, LeaveLoop } from "./control-flow.js";
import { LARGEST_VALUE, outOfSpace } from "./expansion/growing-value.js";
import { readCommands } from "./read-commands.js";
import { Shell } from "./shell.js";
import type { ShellOption, ShellState, ShellStreams } from "./shell-state.js";
import { ShellSyntaxError } from "./parse/syntax.js";
import { Variables } from "./variables.js";

const SYNTAX_ERROR = 2;
const NOT_FOUND = 127;
const UMASK = 0o022;
const BASH = /^#!\s*\S*\/(?:env\s+(?:-S\s+)?)?bash\b/;

/** sh: `sh`, `sh -c SCRIPT [NAME ARG...]`, `sh FILE [ARG...]`. At a terminal it prompts. */
export const sh: Program = async (io) => {
  const called = io.name.split("/").at(-1) ?? "sh";
  const options = new Set<ShellOption>();
  let given: ReturnType<typeof argumentsOf>;
  try {
    given = argumentsOf(io.args, options);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    await io.stderr.write(`${called}: 0: ${error.message}\n`);
    return SYNTAX_ERROR;
  }
  const { letters, operands } = given;
  const command = letters.has("c");
  const [script, ...positional] = operands;
  const source = command || script === undefined || letters.has("s") ? undefined : script;
  if (letters.has("s") && !command && script !== undefined) positional.unshift(script);
  const name = (command ? positional.shift() : source) ?? called;
  const interactive = !command && source === undefined && (io.terminal !== undefined || letters.has("i"));
  const content = source === undefined ? "" : await contentOf(io, source);
  if (content === undefined) return NOT_FOUND;
  const isBash = called.includes("bash") || BASH.test(content);
  const call = { name, interactive, isBash, script: source ?? name, traceDepth: 0 };
  const state = stateOf(io, options, positional);
  // A script that bash runs has to ask for them.
  if (!isBash || interactive) state.shopts.add("expand_aliases");
  const shell = new Shell(io, state, call);
  const streams: ShellStreams = {
    stdin: undefined,
    stdout: (chunk) => io.stdout.write(chunk),
    stderr: (chunk) => io.stderr.write(chunk),
  };
  if (command && script === undefined) {
    await io.stderr.write(`${name}: 0: -c requires an argument\n`);
    return SYNTAX_ERROR;
  }
  return shell.untilExit(streams, async () => {
    if (command) return runWhole(shell, script ?? "", streams);
    if (source !== undefined) return runWhole(shell, content, streams);
    return readCommands(shell, io, streams);
  });
};

function stateOf(io: ProgramIo, options: Set<ShellOption>, positional: readonly string[]): ShellState {
  const env = { PWD: io.cwd, ...io.env };
  return {
    variables: new Variables([...Object.entries(env), ["OPTIND", "1"]], io.memory),
    exported: new Set(Object.keys(env)),
    constants: new Set(),
    functions: new Map(),
    aliases: new Map(),
    options,
    shopts: new Set(),
    umask: UMASK,
    scopes: [],
    positional,
    cwd: io.cwd,
    status: 0,
    pipeStatus: [0],
  };
}

/** The letters that are no options of `set`, and the operands. Throws a CommandError for an option that there is not. */
function argumentsOf(
  args: readonly string[],
  options: Set<ShellOption>,
): { readonly letters: ReadonlySet<string>; readonly operands: string[] } {
  const letters = new Set<string>();
  let at = 0;
  for (; at < args.length && /^(?:[-+][A-Za-z]|--[a-z])/.test(args[at] ?? ""); at += 1) {
    const word = args[at] ?? "";
    // Of bash: --login, --norc and their like read no files here.
    if (word.startsWith("--")) continue;
    for (const letter of word.slice(1)) {
      if (letter === "o") setNamedOption(options, args[(at += 1)] ?? "", word.startsWith("-"));
      else if ("csil".includes(letter)) letters.add(letter);
      else setOptions(options, letter, word.startsWith("-"), "sh");
    }
  }
  if (args[at] === "--" || args[at] === "-") at += 1;
  return { letters, operands: args.slice(at) };
}

/** The text of a script's file; undefined where it cannot be read, which is said. */
async function contentOf(io: ProgramIo, source: string): Promise<string | undefined> {
  try {
    const content = await io.files.whole(absolute(io.cwd, source), LARGEST_VALUE);
    if (content === undefined) throw outOfSpace();
    return content.toString("utf8");
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    if (endsAtImageFile(io, source)) return undefined;
    const reason = error.code === "ENOENT" ? "No such file" : error.message;
    await io.stderr.write(`${io.name}: 0: cannot open ${source}: ${reason}\n`);
    return undefined;
  }
}

async function runWhole(shell: Shell, text: string, streams: ShellStreams): Promise<number> {
  try {
    return await shell.runScript(text, streams);
  } catch (error) {
    if (error instanceof LeaveLoop) return 0;
    if (!(error instanceof ShellSyntaxError)) throw error;
    await shell.complain(error.message, streams, error.line);
    return SYNTAX_ERROR;
  }
}
