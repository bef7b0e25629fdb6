import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import type { main as Main } from "../../src/main.js";
import type { RunProgram } from "../../src/cli/connect/factory.js";
import { testsExecutable } from "../helpers/program-under-test.js";

export interface LineOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const require = createRequire(import.meta.url);
const BUNDLE = join(import.meta.dirname, "../../dist/cli/main.cjs");

/**
 * Runs a line in this process by the built program's own `main`: starting Node for each of thousands of lines would take
 * most of the time. Undefined for a line that needs a shell or more than one process: those start the whole program.
 */
export async function runInProcess(
  line: string,
  { cwd, env }: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<LineOutcome | undefined> {
  // Files of TLS are looked for where the process is.
  if (/ --(?:certificate-authority|client-certificate|client-key)\b/.test(line)) return undefined;
  const words = plainWords(line);
  if (words?.[0] !== "kubectl" || process.env.PARITY_PROCESSES !== undefined || testsExecutable) return undefined;
  const { main } = require(BUNDLE) as { readonly main: typeof Main };
  const [out, err] = [new PassThrough(), new PassThrough()];
  let stdout = "";
  let stderr = "";
  out.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  err.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const code = await main({
    argv: words.slice(1),
    streams: { in: Readable.from([]), out, err },
    env,
    cwd,
    program: "kubectl",
    runProgram: into(out, err, env, cwd),
    runPlugin: async (file, args) => (await into(out, err, env, cwd)(file, args)).code,
  });
  // Streams tell what was written in a later turn.
  await new Promise(setImmediate);
  return { code, stdout, stderr };
}

/** Programs that a command starts write where it does. */
function into(out: PassThrough, err: PassThrough, env: Readonly<Record<string, string>>, cwd: string): RunProgram {
  return (file, args) =>
    new Promise((resolve, reject) => {
      const child = spawn(file, [...args], { env, cwd, stdio: ["ignore", "pipe", "pipe"] });
      child.stdout.pipe(out, { end: false });
      child.stderr.pipe(err, { end: false });
      child.once("error", reject);
      child.once("close", (code, signal) => resolve({ code: code ?? -1, signal: signal ?? undefined }));
    });
}

const WORD = /^(?:[A-Za-z0-9_@%+=:,./{}\]^-]|'[^']*'|"[^"$`\\]*")+/;

/** The words of a line in which a shell has nothing to do but take off quotes; undefined for any other. */
export function plainWords(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const [word] = WORD.exec(rest) ?? [];
    if (word === undefined) return undefined;
    words.push(
      word.replace(/'([^']*)'|"([^"]*)"/g, (_quoted, single?: string, double?: string) => single ?? double ?? ""),
    );
    const after = rest.slice(word.length);
    if (after !== "" && !after.startsWith(" ")) return undefined;
    rest = after.trimStart();
  }
  return words;
}
