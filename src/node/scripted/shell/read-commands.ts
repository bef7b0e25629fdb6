import { dictionary } from "../../../base/collections/dictionary.js";
import { baseName } from "../programs/options.js";
import { MemoryShare, type ContainerMemory } from "../limits/memory-share.js";
import type { ProgramIo } from "../program.js";
import type { Terminal } from "../terminal.js";
import { ExitShell, Interrupted, LeaveLoop, ReturnFromScript } from "./control-flow.js";
import { GrowingValue, LARGEST_VALUE, outOfSpace } from "./expansion/growing-value.js";
import { type EditedLine, LineEditor } from "./line-editor.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import { ShellSyntaxError } from "./parse/syntax.js";

/** How many lines are kept, and what one takes beside its text, in bytes. */
const MOST_LINES = 500;
const LINE_BYTES = 64;

/** The lines that were typed into a shell. They count against the container's memory. */
export class History {
  readonly #lines: string[] = [];

  constructor(private readonly memory: ContainerMemory) {}

  get length(): number {
    return this.#lines.length;
  }

  /** The oldest is at 0. */
  at(index: number): string | undefined {
    return this.#lines[index];
  }

  /** Keeps a line, unless it is blank or the same as the one before. */
  add(line: string): void {
    if (line.trim() === "" || line === this.#lines.at(-1)) return;
    this.memory.take(LINE_BYTES + line.length);
    this.#lines.push(line);
    if (this.#lines.length <= MOST_LINES) return;
    const oldest = this.#lines.shift();
    this.memory.give(LINE_BYTES + (oldest?.length ?? 0));
  }
}

const SYNTAX_ERROR = 2;
const INTERRUPTED = 130;
const LINE_FEED = 10;
/** As images of Debian prompt where they have bash. */
const BASH_PROMPT = "\\u@\\h:\\w\\$ ";
/** As busybox prompts: the folder, and # for root. */
const PROMPT = "\\w \\$ ";
const MORE = "> ";

/** Where the lines of a shell come from. */
type NextLine = (prompt: string) => Promise<EditedLine>;

/** Reads commands from the shell's input, line by line, so that a command may read the lines after it. On a terminal the user can edit lines. */
export async function readCommands(shell: Shell, io: ProgramIo, streams: ShellStreams): Promise<number> {
  const { interactive } = shell;
  const { terminal } = io;
  let reading = false;
  if (interactive) {
    io.onSignal("SIGINT", () => {
      if (!reading) shell.interrupt();
    });
    io.onSignal("SIGQUIT", () => {});
    io.onSignal("SIGTERM", () => {});
  }
  const next = interactive && terminal !== undefined ? atTerminal(io, terminal) : fromInput(io, interactive);
  let pending = "";
  for (;;) {
    reading = true;
    const line = await next(pending === "" ? promptOf(shell) : (shell.parameter("PS2") ?? MORE));
    reading = false;
    if (line.kind === "interrupt") {
      pending = "";
      shell.state.status = INTERRUPTED;
      continue;
    }
    if (line.kind === "end") break;
    pending += line.text;
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
      } else if (!(error instanceof LeaveLoop) && !(error instanceof ReturnFromScript)) throw error;
    }
  }
  if (pending.trim() !== "") {
    await shell.complain("Syntax error: end of file unexpected", streams, 1);
    return SYNTAX_ERROR;
  }
  return shell.state.status;
}

function fromInput(io: ProgramIo, interactive: boolean): NextLine {
  return async (prompt) => {
    if (interactive) await io.stderr.write(prompt);
    const text = await nextLine(io);
    return text === undefined ? { kind: "end" } : { kind: "line", text };
  };
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

/** Lines that are edited key by key. Between them the terminal is in the mode in which programs expect it. */
function atTerminal(io: ProgramIo, terminal: Terminal): NextLine {
  const history = new History(io.memory);
  return async (prompt) => {
    const restore = terminal.takeKeys();
    try {
      const line = await editLine(io, new LineEditor(prompt, history, () => terminal.size.width));
      if (line.kind !== "line") return line;
      history.add(line.text);
      return { kind: "line", text: `${line.text}\n` };
    } finally {
      restore();
    }
  };
}

/** Who joins the terminal of a shell that waits sees its prompt: the client's size comes first. */
async function editLine(io: ProgramIo, editor: LineEditor): Promise<EditedLine> {
  const forget = io.onSignal("SIGWINCH", () => {
    editor.redraw();
    io.stderr.write(editor.takeOutput()).catch(() => {});
  });
  try {
    return await editKeys(io, editor);
  } finally {
    forget();
  }
}

async function editKeys(io: ProgramIo, editor: LineEditor): Promise<EditedLine> {
  await io.stderr.write(editor.takeOutput());
  for (let keys = await io.stdin.read(); keys !== undefined; keys = await io.stdin.read()) {
    for (const [index, byte] of keys.entries()) {
      const line = editor.type(byte);
      if (line === undefined) continue;
      io.stdin.unread(keys.subarray(index + 1));
      await io.stderr.write(editor.takeOutput());
      return line;
    }
    await io.stderr.write(editor.takeOutput());
  }
  return { kind: "end" };
}

/** PS1 with the escapes that busybox knows: \w, \W, \u, \h, \$ and control characters. */
function promptOf(shell: Shell): string {
  const home = shell.parameter("HOME");
  const { cwd } = shell;
  const folder =
    home !== undefined && (cwd === home || cwd.startsWith(`${home}/`)) ? `~${cwd.slice(home.length)}` : cwd;
  const meanings: Readonly<Record<string, string>> = dictionary({
    w: folder,
    W: folder === "/" ? folder : (folder.split("/").at(-1) ?? folder),
    u: "root",
    h: shell.io.container.hostname,
    H: shell.io.container.hostname,
    s: shell.name,
    $: "#",
    n: "\n",
    r: "\r",
    a: "\x07",
    e: "\x1b",
    "\\": "\\",
    "[": "",
    "]": "",
  });
  return (shell.parameter("PS1") ?? (baseName(shell.name) === "bash" ? BASH_PROMPT : PROMPT)).replace(
    /\\(0?[0-7]{3}|.)/gs,
    (whole, escape: string) =>
      /^0?[0-7]{3}$/.test(escape)
        ? String.fromCharCode(Number.parseInt(escape, 8) & 0xff)
        : (meanings[escape] ?? whole),
  );
}
