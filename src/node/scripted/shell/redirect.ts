import { BytePipe } from "../../byte-pipe.js";
import { FileError } from "../files/file-error.js";
import { absolute } from "../files/file-system.js";
import type { OutputTarget, ProgramIo } from "../program.js";
import { CommandError } from "./control-flow.js";
import { expandWord, type ExpansionScope } from "./expand.js";
import type { ShellStreams } from "./shell-state.js";
import type { Redirect } from "./syntax.js";

/** Where the targets of redirections are expanded and found. */
interface RedirectScope extends ExpansionScope {
  readonly files: ProgramIo["files"];
  readonly cwd: string;
}

/** Runs `body` with streams that the redirections change. Throws a CommandError for a target that cannot be opened. */
export async function redirected(
  redirects: readonly Redirect[],
  streams: ShellStreams,
  scope: RedirectScope,
  body: (streams: ShellStreams) => Promise<number>,
): Promise<number> {
  let inner = streams;
  const opened: BytePipe[] = [];
  for (const redirect of redirects) inner = await withRedirect(redirect, inner, scope, opened);
  try {
    return await body(inner);
  } finally {
    for (const pipe of opened) pipe.destroy();
  }
}

async function withRedirect(
  redirect: Redirect,
  streams: ShellStreams,
  scope: RedirectScope,
  opened: BytePipe[],
): Promise<ShellStreams> {
  const target = await expandWord(redirect.target, scope);
  const { descriptor, operator } = redirect;
  if (operator === ">&" || operator === "<&") {
    if (target === "1" || target === "2")
      return withOutput(streams, descriptor, target === "1" ? streams.stdout : streams.stderr);
    throw new CommandError(`${target}: bad fd number`);
  }
  const path = absolute(scope.cwd, target);
  if (operator === "<") {
    const stdin = new BytePipe();
    checkReadable(path, target, scope);
    opened.push(stdin);
    void pour(scope.files.read(path), stdin);
    return { ...streams, stdin };
  }
  try {
    const writer = scope.files.open(path, { append: operator === ">>" });
    return withOutput(streams, descriptor, (chunk) => writer.write(chunk));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    const reason = error.code === "ENOENT" ? "Directory nonexistent" : error.message;
    throw new CommandError(`cannot create ${target}: ${reason}`);
  }
}

function checkReadable(path: string, target: string, { files }: RedirectScope): void {
  const node = files.look(path);
  if (node === undefined) throw new CommandError(`cannot open ${target}: No such file`);
  if (node.kind === "directory") throw new CommandError(`cannot open ${target}: Is a directory`);
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

const withOutput = (streams: ShellStreams, descriptor: number, output: OutputTarget): ShellStreams =>
  descriptor === 2 ? { ...streams, stderr: output } : { ...streams, stdout: output };
