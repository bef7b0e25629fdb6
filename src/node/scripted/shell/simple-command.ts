import { ForkError } from "../limits/errors.js";
import { ArithmeticError } from "./expansion/arithmetic.js";
import { type Assigned, expandAssignment } from "./assignment.js";
import type { BuiltinCall } from "./builtins/builtin.js";
import { quoted } from "./builtins/builtin-output.js";
import { BUILTINS } from "./builtins/builtins.js";
import { CommandError, ExitShell, FatalError } from "./control-flow.js";
import { expandWords } from "./expansion/expand.js";
import { type Opened, redirected, withRedirects } from "./redirect.js";
import type { Shell } from "./shell.js";
import type { ShellStreams } from "./shell-state.js";
import type { SimpleCommand } from "./parse/syntax.js";
import { detached } from "./variables.js";

/** Runs a function, a builtin or a program, or sets variables. Where the code is `tested`, a failure does not end the shell. */
export async function runSimple(
  shell: Shell,
  command: SimpleCommand,
  streams: ShellStreams,
  tested: boolean,
): Promise<number> {
  const { held } = shell;
  const { open } = shell.processes;
  shell.line = command.line;
  if (shell.state.options.has("noexec") && !shell.interactive) return 0;
  try {
    const words = await expandWords(command.words, shell);
    const [name] = words;
    if (name === undefined) return await assign(shell, command, streams);
    if (name === "exec" && words.length === 1) return await redirectShell(shell, command, streams);
    if (command.redirects.length === 0) return await call({ shell, command, words, streams, outer: streams, tested });
    return await redirected(command.redirects, streams, shell, async (inner) => {
      try {
        return await call({ shell, command, words, streams: inner, outer: streams, tested });
      } catch (error) {
        // What it says goes where its own redirections lead.
        return await failed(shell, error, inner, command.line);
      }
    });
  } catch (error) {
    if (error instanceof ForkError) return shell.forking(streams, () => Promise.reject(error));
    return await failed(shell, error, streams, command.line);
  } finally {
    shell.giveBackTo(held);
    shell.processes.closeTo(open);
  }
}

/** Reports why a command could not run, and returns its exit code. Rethrows an error that is not about the command. */
export async function failed(shell: Shell, error: unknown, streams: ShellStreams, line: number): Promise<number> {
  const failure = failureOf(error);
  if (failure === undefined) throw error;
  if (error instanceof CommandError && error.construct !== undefined) shell.lacks(error.construct);
  await shell.complain(failure.message, streams, line);
  // A script cannot go on where a shell could not make sense of it.
  if (!shell.interactive && error instanceof FatalError) throw new ExitShell(failure.code);
  return failure.code;
}

function failureOf(error: unknown): { readonly message: string; readonly code: number } | undefined {
  if (error instanceof CommandError) return error;
  if (error instanceof ArithmeticError || error instanceof FatalError) return { message: error.message, code: 2 };
  return undefined;
}

/** A command that is nothing but assignments and redirections: its code is that of the last $(...). */
async function assign(shell: Shell, command: SimpleCommand, streams: ShellStreams): Promise<number> {
  const before = shell.substitutions;
  const traced: string[] = [];
  for (const one of command.assignments) {
    const assigned = await expandAssignment(one, shell);
    assigned.apply();
    traced.push(tracedAssignment(assigned, shell));
  }
  if (shell.state.options.has("xtrace")) await traceAssignments(shell, traced, streams);
  return redirected(command.redirects, streams, shell, async () =>
    shell.substitutions > before ? shell.state.status : 0,
  );
}

/** `exec` without a program: its redirections are those of all commands that follow. */
async function redirectShell(shell: Shell, { redirects }: SimpleCommand, streams: ShellStreams): Promise<number> {
  let held = 0;
  const take = (bytes: number): void => {
    held += bytes;
    shell.io.memory.take(bytes);
  };
  const opened: Opened = { pipes: [], outputs: new Map(), take };
  Object.assign(streams, await withRedirects(redirects, streams, shell, opened));
  shell.processes.keep(opened.outputs, streams);
  for (const { descriptor } of redirects) shell.holdInput(descriptor, held / redirects.length);
  return 0;
}

interface Call {
  readonly shell: Shell;
  readonly command: SimpleCommand;
  readonly words: readonly string[];
  readonly streams: ShellStreams;
  /** Without the command's own redirections. */
  readonly outer: ShellStreams;
  readonly tested: boolean;
}

async function call({ shell, command, words, streams, outer, tested }: Call): Promise<number> {
  const [name = "", ...args] = words;
  const assigned: Assigned[] = [];
  for (const one of command.assignments) assigned.push(await expandAssignment(one, shell));
  const declarations = command.declarations.length === 0 ? NONE : await declarationsOf(command, args, shell);
  if (shell.state.options.has("xtrace")) {
    const assignments = assigned.map((one) => tracedAssignment(one, shell));
    const called = words.map((word) => tracedWord(word, shell));
    called.push(...declarations.map((one) => tracedAssignment(one, shell)));
    if (!shell.call.isBash) await trace(shell, [...assignments, ...called], outer);
    else {
      await traceAssignments(shell, assignments, outer);
      await trace(shell, called, outer);
    }
  }
  const definition = shell.state.functions.get(name);
  const builtin = BUILTINS[name];
  if (definition !== undefined) {
    return withVariables(shell, assigned, () =>
      shell.nesting(name, definition.script, () =>
        shell.locals.call(name, args, () => shell.run(definition.body, streams, tested)),
      ),
    );
  }
  const { line } = command;
  if (builtin !== undefined) {
    const called: BuiltinCall = { shell, args, streams, line, tested, declarations };
    return assigned.length === 0 ? builtin(called) : withVariables(shell, assigned, async () => builtin(called));
  }
  const run = async (): Promise<number> => shell.spawn(words.map(detached), streams, shell.environment, line);
  return withVariables(shell, assigned, run);
}

const NONE: readonly Assigned[] = [];

async function declarationsOf(
  { declarations }: SimpleCommand,
  args: readonly string[],
  shell: Shell,
): Promise<readonly Assigned[]> {
  const becomesAssociative = args.some((arg) => /^-[a-z]*A/.test(arg));
  const expanded: Assigned[] = [];
  for (const one of declarations) expanded.push(await expandAssignment(one, shell, becomesAssociative));
  return expanded;
}

/** Sets and exports variables for one command. */
async function withVariables(
  shell: Shell,
  assigned: readonly Assigned[],
  body: () => Promise<number>,
): Promise<number> {
  if (assigned.length === 0) return body();
  const { variables, exported } = shell.state;
  const before = assigned.map(({ name }) => ({
    name,
    value: variables.saved(name),
    isExported: exported.has(name),
  }));
  try {
    for (const one of assigned) {
      one.apply();
      exported.add(one.name);
    }
    return await body();
  } finally {
    for (const { name, value, isExported } of before.toReversed()) {
      variables.restore(name, value);
      if (!isExported) exported.delete(name);
    }
  }
}

/** bash traces assignments one by one, and words so that a shell can read them again; dash does neither. */
async function traceAssignments(shell: Shell, assignments: readonly string[], streams: ShellStreams): Promise<void> {
  if (assignments.length === 0) return;
  const lines = shell.call.isBash ? assignments.map((one) => [one]) : [assignments];
  for (const line of lines) await trace(shell, line, streams);
}

const tracedWord = (word: string, shell: Shell): string => (shell.call.isBash ? quoted(word) : word);

const tracedAssignment = ({ name, text }: Assigned, shell: Shell): string =>
  `${name}=${text === "" ? "" : tracedWord(text, shell)}`;

async function trace(shell: Shell, words: readonly string[], streams: ShellStreams): Promise<void> {
  const prefix = shell.parameter("PS4") ?? "+ ";
  const depth = shell.call.isBash ? shell.call.traceDepth : 0;
  const line = `${prefix.slice(0, 1).repeat(depth)}${prefix}${words.join(" ")}\n`;
  await streams.stderr(Buffer.from(line), shell.io.signal);
}
