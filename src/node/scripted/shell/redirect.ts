import { BytePipe } from "../../byte-pipe.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { OutputTarget, ProgramIo } from "../program.js";
import { bytesOf } from "./expansion/byte-text.js";
import { CommandError } from "./control-flow.js";
import { expandWord } from "./expansion/expand.js";
import type { ExpansionScope } from "./expansion/expansion.js";
import { type ProcessSubstitutions, writerTo } from "./process-substitution.js";
import type { Descriptor, ShellStreams } from "./shell-state.js";
import type { ProcessPart, Redirect } from "./parse/syntax.js";

/** The scope in which the targets of redirections are expanded and opened. */
export interface RedirectScope extends ExpansionScope {
  readonly files: ProgramIo["files"];
  readonly cwd: string;
  /** True with set -C: > empties no file that is there. */
  readonly keepsFiles: boolean;
  readonly umask: number;
  /** Starts the commands of <(...) and >(...). */
  readonly processes: Pick<ProcessSubstitutions, "inputFrom" | "outputTo">;
}

/** What an input holds beside its bytes, and at most of its file's bytes, in bytes. */
const INPUT_BYTES = 4096;
const MOST_BUFFERED = 256 * 1024;

/** The pipes that redirections have opened. */
export interface Opened {
  /** Inputs, which are destroyed when nothing reads them any more. */
  readonly pipes: BytePipe[];
  /** Inputs of commands, which end when nothing writes to them any more. */
  readonly outputs: Map<OutputTarget, BytePipe>;
  /** Counts the bytes that they hold. */
  take(bytes: number): void;
}

/** Runs `body` with streams that the redirections change. Throws a CommandError for a target that cannot be opened. */
export async function redirected(
  redirects: readonly Redirect[],
  streams: ShellStreams,
  scope: RedirectScope,
  body: (streams: ShellStreams) => Promise<number>,
): Promise<number> {
  if (redirects.length === 0) return body(streams);
  const opened: Opened = { pipes: [], outputs: new Map(), take: (bytes) => scope.take(bytes) };
  try {
    return await body(await withRedirects(redirects, streams, scope, opened));
  } finally {
    for (const pipe of opened.pipes) pipe.destroy();
    for (const pipe of opened.outputs.values()) pipe.end();
  }
}

/** Applies redirections to the streams of a command. */
export async function withRedirects(
  redirects: readonly Redirect[],
  streams: ShellStreams,
  scope: RedirectScope,
  opened: Opened,
): Promise<ShellStreams> {
  let inner = { ...streams };
  for (const redirect of redirects) inner = await withRedirect(redirect, inner, scope, opened);
  return inner;
}

async function withRedirect(
  redirect: Redirect,
  streams: ShellStreams,
  scope: RedirectScope,
  opened: Opened,
): Promise<ShellStreams> {
  const { operator } = redirect;
  const descriptor = descriptorOf(redirect, streams, scope);
  const [first, ...more] = redirect.target;
  const withOpened = (to: Descriptor | undefined): ShellStreams => {
    const changed = withDescriptor(streams, descriptor, to);
    return operator.startsWith("&") ? withDescriptor(changed, 2, to) : changed;
  };
  if (first?.kind === "process" && more.length === 0 && OPENING.has(operator))
    return withOpened(processDescriptor(first, scope, opened));
  const target = await expandWord(redirect.target, scope);
  const named = OPENING.has(operator) ? descriptorNamed(target) : undefined;
  // The path of a process substitution is a file.
  const isFile = named !== undefined && scope.files.look(target)?.kind === "device";
  if (named !== undefined && !isFile) return withOpened(duplicate(streams, named));
  switch (operator) {
    case ">&":
    case "<&":
      return withDescriptor(streams, descriptor, duplicate(streams, target));
    case "<<":
    case "<<<":
      return withDescriptor(streams, descriptor, textInput(operator === "<<<" ? `${target}\n` : target, opened));
    case "<":
    case "<>":
      return withDescriptor(streams, descriptor, fileInput(target, operator === "<>", scope, opened));
    case "&>":
    case "&>>": {
      const output = fileOutput(target, operator === "&>>", scope);
      return { ...streams, stdout: output, stderr: output };
    }
    case ">":
    case ">>":
    case ">|": {
      const output = fileOutput(target, operator === ">>", scope, operator === ">|");
      return withDescriptor(streams, descriptor, { output });
    }
  }
}

/** The descriptor that a redirection changes. */
function descriptorOf({ descriptor, variable, target }: Redirect, streams: ShellStreams, scope: RedirectScope): number {
  if (variable === undefined) return descriptor;
  const { name, key } = variable;
  const [only] = target;
  if (only?.kind === "text" && only.text === "-") {
    const value = key === undefined ? scope.parameter(name) : scope.array(name)?.elements.get(key);
    if (value === undefined || !/^\d{1,3}$/.test(value)) throw new CommandError(`${name}: Bad file descriptor`);
    return Number(value);
  }
  let number = FIRST_NAMED;
  while (streams.others?.has(number) === true) number += 1;
  if (key === undefined) scope.assign(name, `${number}`);
  else scope.assignElement(name, key, `${number}`);
  return number;
}

/** As bash, for descriptors that get their numbers by {name}. */
const FIRST_NAMED = 10;

/** What < <(commands) or > >(commands) leads to. */
function processDescriptor({ direction, body }: ProcessPart, scope: RedirectScope, opened: Opened): Descriptor {
  if (direction === "<") {
    const input = scope.processes.inputFrom(body);
    opened.pipes.push(input);
    return { input };
  }
  const pipe = scope.processes.outputTo(body);
  const output = writerTo(pipe);
  opened.outputs.set(output, pipe);
  return { output };
}

/** The operators whose target is a file. */
const OPENING: ReadonlySet<Redirect["operator"]> = new Set(["<", "<>", ">", ">>", ">|", "&>", "&>>"]);
const NAMES: ReadonlyMap<string, string> = new Map([
  ["/dev/stdin", "0"],
  ["/dev/stdout", "1"],
  ["/dev/stderr", "2"],
]);

/** The descriptor that a path stands for: /dev/stderr, /dev/fd/3. */
const descriptorNamed = (path: string): string | undefined =>
  NAMES.get(path) ?? /^\/(?:dev|proc\/self)\/fd\/(\d{1,3})$/.exec(path)?.[1];

/** What `target` names: a descriptor, or "-" for none. */
function duplicate(streams: ShellStreams, target: string): Descriptor | undefined {
  if (target === "-") return undefined;
  if (!/^\d{1,3}$/.test(target)) throw new CommandError(`${target}: bad fd number`);
  const number = Number(target);
  if (number === 0) return { input: streams.stdin };
  if (number === 1) return { output: streams.stdout };
  if (number === 2) return { output: streams.stderr };
  const descriptor = streams.others?.get(number);
  if (descriptor === undefined) throw new CommandError(`${target}: Bad file descriptor`);
  return descriptor;
}

const nothing: OutputTarget = async () => {};

function ended(): BytePipe {
  const pipe = new BytePipe();
  pipe.end();
  return pipe;
}

/** The streams with what `number` leads to; undefined closes it. */
function withDescriptor(streams: ShellStreams, number: number, to: Descriptor | undefined): ShellStreams {
  if (number === 0) {
    const stdin = to === undefined ? ended() : "input" in to ? to.input : ended();
    return { ...streams, stdin };
  }
  if (number === 1 || number === 2) {
    const output = to !== undefined && "output" in to ? to.output : nothing;
    return number === 1 ? { ...streams, stdout: output } : { ...streams, stderr: output };
  }
  const others = new Map(streams.others);
  if (to === undefined) others.delete(number);
  else others.set(number, to);
  return { ...streams, others };
}

function textInput(text: string, opened: Opened): Descriptor {
  const bytes = bytesOf(text);
  opened.take(INPUT_BYTES + bytes.length);
  const input = new BytePipe();
  opened.pipes.push(input);
  // All of it is in the pipe at once; the promise waits for a reader where that is much.
  void input.write(bytes).catch(() => {});
  input.end();
  return { input };
}

function fileInput(target: string, creates: boolean, scope: RedirectScope, opened: Opened): Descriptor {
  const path = absolute(scope.cwd, target);
  if (creates && scope.files.look(path) === undefined) fileOutput(target, true, scope);
  const node = scope.files.look(path);
  if (node === undefined) throw new CommandError(`cannot open ${target}: No such file`);
  if (node.kind === "directory") throw new CommandError(`cannot open ${target}: Is a directory`);
  opened.take(INPUT_BYTES + (node.kind === "file" ? Math.min(node.content.size, MOST_BUFFERED) : MOST_BUFFERED));
  const input = new BytePipe();
  opened.pipes.push(input);
  void pour(scope.files.read(path), input);
  return { input };
}

function fileOutput(target: string, appends: boolean, scope: RedirectScope, isForced = false): OutputTarget {
  const path = absolute(scope.cwd, target);
  if (!appends && !isForced && scope.keepsFiles && scope.files.look(path)?.kind === "file")
    throw new CommandError(`cannot create ${target}: File exists`);
  try {
    const writer = scope.files.open(path, { append: appends, mode: 0o666 & ~scope.umask });
    return (chunk) => writer.write(chunk);
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reason = error.code === "ENOENT" ? "Directory nonexistent" : error.message;
    throw new CommandError(`cannot create ${target}: ${reason}`);
  }
}

async function pour(chunks: AsyncIterable<Uint8Array>, pipe: BytePipe): Promise<void> {
  try {
    for await (const chunk of chunks) await pipe.write(chunk);
    pipe.end();
  } catch {
    // The command reads no more.
    pipe.end();
  }
}
