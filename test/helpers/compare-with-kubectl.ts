import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runProgram } from "./program-under-test.js";
import { realTool, SHORT_LIVED } from "./real-tools.js";
import { type CliResult, runCli } from "./run-cli.js";
import { type Served, startToldServer, type Told } from "./told-server.js";

/** What there is to compare of one command line. */
export interface Outcome extends CliResult {
  readonly requests: readonly string[];
}

export interface ToldCase {
  readonly served: Served;
  readonly answers: Readonly<Record<string, readonly Told[]>>;
  /** Of the folder the command runs in. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Runs the words with the real kubectl and with ours, each against a server of its own that is told the same. */
export async function compareWithKubectl(
  words: readonly string[],
  told: ToldCase,
): Promise<{ readonly real: Outcome; readonly ours: Outcome }> {
  return {
    real: await outcome(words, told, (argv, folder, env) => runReal(argv, folder, env)),
    ours: await outcome(words, told, (argv, cwd, env) => runCli(argv, { cwd, env })),
  };
}

type Run = (argv: readonly string[], folder: string, env: Readonly<Record<string, string>>) => Promise<CliResult>;

async function outcome(
  words: readonly string[],
  { served, answers, files = {} }: ToldCase,
  run: Run,
): Promise<Outcome> {
  const folder = await mkdtemp(join(tmpdir(), "kubets-told-"));
  await using server = await startToldServer(served, answers);
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    const env = { HOME: folder, KUBECONFIG: join(folder, "none"), PATH: "/usr/bin:/bin" };
    const result = await run(["-s", server.url, ...words], folder, env);
    return { ...result, requests: server.requests };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runReal(argv: readonly string[], cwd: string, env: Readonly<Record<string, string>>): Promise<CliResult> {
  return runProgram(realTool("kubectl").path, argv, { cwd, env: { ...SHORT_LIVED, ...env } });
}
