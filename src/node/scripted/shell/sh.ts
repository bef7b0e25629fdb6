import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import { MemoryShare } from "../limits/memory-share.js";
import type { Program, ProgramIo } from "../program.js";
import { ExitShell, Interrupted, LeaveLoop } from "./control-flow.js";
import { GrowingValue, LARGEST_VALUE, outOfSpace } from "./growing-value.js";
import { Shell } from "./shell.js";
import { type ShellStreams, Variables } from "./shell-state.js";
import { ShellSyntaxError } from "./syntax.js";

const SYNTAX_ERROR = 2;
const NOT_FOUND = 127;
const LINE_FEED = 10;

/** sh: `sh`, `sh -c SCRIPT [NAME ARG...]`, `sh FILE [ARG...]`. At a terminal it prompts. */
export const sh: Program = async (io) => {
  const { options, operands } = optionsOf(io.args);
  const command = options.has("c");
  const [script, ...positional] = operands;
  const source = command || script === undefined ? undefined : script;
  const name = (command ? positional.shift() : source) ?? io.name.split("/").at(-1) ?? "sh";
  const interactive = !command && source === undefined && (io.terminal !== undefined || options.has("i"));
  const env = { PWD: io.cwd, ...io.env };
  const state = {
    variables: new Variables(Object.entries(env), io.memory),
    exported: new Set(Object.keys(env)),
    positional,
    cwd: io.cwd,
    status: 0,
    exitsOnError: options.has("e"),
  };
  const shell = new Shell(io, state, name, interactive);
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
    if (source !== undefined) return runFile(shell, io, source, streams);
    return readCommands(shell, io, streams);
  });
};

function optionsOf(args: readonly string[]): { options: ReadonlySet<string>; operands: string[] } {
  const options = new Set<string>();
  let at = 0;
  for (; at < args.length && /^-[a-z]/.test(args[at] ?? ""); at += 1)
    for (const letter of args[at]?.slice(1) ?? "") options.add(letter);
  if (args[at] === "--" || args[at] === "-") at += 1;
  return { options, operands: args.slice(at) };
}

async function runFile(shell: Shell, io: ProgramIo, source: string, streams: ShellStreams): Promise<number> {
  let text: string;
  try {
    const content = io.files.content(absolute(io.cwd, source), LARGEST_VALUE);
    if (content === undefined) throw outOfSpace();
    text = content.toString("utf8");
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    await io.stderr.write(
      `${io.name}: 0: cannot open ${source}: ${error.code === "ENOENT" ? "No such file" : error.message}\n`,
    );
    return NOT_FOUND;
  }
  return runWhole(shell, text, streams);
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

/** Reads commands from its input, line by line, so that they may read the lines that follow them. */
async function readCommands(shell: Shell, io: ProgramIo, streams: ShellStreams): Promise<number> {
  const { interactive } = shell;
  let pending = "";
  let reading = false;
  const prompt = (): Promise<void> | undefined =>
    interactive ? io.stderr.write(pending === "" ? "# " : "> ") : undefined;
  if (interactive) {
    io.onSignal("SIGINT", () => {
      if (!reading) {
        shell.interrupt();
        return;
      }
      pending = "";
      void io.stderr.write("\n# ").catch(() => {});
    });
    io.onSignal("SIGQUIT", () => {});
    io.onSignal("SIGTERM", () => {});
  }
  for (;;) {
    await prompt();
    reading = true;
    const line = await nextLine(io);
    reading = false;
    if (line === undefined) break;
    pending += line;
    if (pending.length > LARGEST_VALUE) throw outOfSpace();
    try {
      if (await shell.runLine(pending, streams)) pending = "";
    } catch (error) {
      if (error instanceof ExitShell) throw error;
      pending = "";
      if (error instanceof ShellSyntaxError) {
        await shell.complain(error.message, streams, error.line);
        if (!interactive) return SYNTAX_ERROR;
        shell.state.status = SYNTAX_ERROR;
      } else if (error instanceof Interrupted) {
        await io.stderr.write("\n");
      } else if (!(error instanceof LeaveLoop)) throw error;
    }
  }
  if (pending.trim() !== "") {
    await shell.complain("Syntax error: end of file unexpected", streams, 1);
    return SYNTAX_ERROR;
  }
  return shell.state.status;
}

/** A line with its line feed; undefined at the end of input. */
async function nextLine(io: ProgramIo): Promise<string | undefined> {
  const held = new MemoryShare(io.memory);
  const value = new GrowingValue((bytes) => held.take(bytes));
  for (let chunk = await io.stdin.read(); chunk !== undefined; chunk = await io.stdin.read()) {
    const end = chunk.indexOf(LINE_FEED);
    if (!value.add(end < 0 ? chunk : chunk.subarray(0, end + 1))) throw outOfSpace();
    if (end < 0) continue;
    io.stdin.unread(chunk.subarray(end + 1));
    break;
  }
  held.release();
  return value.isEmpty ? undefined : value.toString();
}
