import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { startCluster } from "../../src/cluster/index.js";
import type { OwnFilter } from "../../src/cluster/server.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { programUnderTest, runProgram, testsExecutable } from "../helpers/program-under-test.js";
import { realTool, SHORT_LIVED } from "../helpers/real-tools.js";
import { runCli } from "../helpers/run-cli.js";
import { seededRandom } from "../helpers/seeded-random.js";
import { parseScript, type Script, type Step, words } from "./script.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

/** Every session of this folder. */
export const scripts = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".txtar"))
  .map((file) => {
    const path = join(import.meta.dirname, file);
    const text = readFileSync(path, "utf8");
    return { file, path, text, script: parseScript(text) };
  });

/** With it the sessions are not compared but written anew, as kubectl (of kubets' own features: kubets) prints them. */
export const refresh = process.env["UPDATE_SCRIPTS"] !== undefined;

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs one command line called kubectl. */
export type Program = (
  argv: readonly string[],
  surroundings: Surroundings,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

export const ours: Program = (argv, surroundings) => {
  const [file = ""] = programUnderTest;
  return testsExecutable
    ? runProgram(file, argv, { ...surroundings, argv0: "kubectl" })
    : runCli(argv, { ...surroundings, program: "kubectl" });
};

export const real: Program = (argv, { cwd, env }) =>
  runProgram(realTool("kubectl").path, argv, { cwd, env: { ...SHORT_LIVED, ...env } });

/** Runs the steps in one folder, one after the other, a minute and a half of the cluster's time apart. */
export async function runScript(script: Script, program: Program): Promise<readonly Step[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kubets-script-")));
  const clock = new FixedClock(Date.UTC(2026, 0, 1));
  const waiting = new WaitingClients();
  const cluster = script.cluster
    ? await startCluster({ clock, random: seededRandom("scripts"), ...quietCluster, filters: [waiting.filter] })
    : undefined;
  try {
    for (const [file, text] of script.files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    if (cluster !== undefined) writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
    const results: Step[] = [];
    for (const { command } of script.steps) {
      results.push(await runStep(command, waiting, (line) => runCommand(line, folder, program)));
      clock.advance(90_000);
    }
    return results;
  } finally {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of a pod on a node that is described: by the clock of whoever asks, which is not the cluster's. */
const AGE_ON_NODE = /(?<=%\) {2,})\w+$/gm;

const KLOG_HEADER = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ /gm;

/** Names of temporary files, and the times that diff prints of them. */
const TEMPORARY = /\b(kubectl-edit-|LIVE-|MERGED-)\d+/g;
const FILE_TIME = /^((?:---|\+\+\+) .*\t)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{9} /gm;

/** Says when a client of the server waits for a change: it watches, or reads the same path again. */
class WaitingClients {
  readonly #read = new Set<string>();
  #tell = (): void => {};

  readonly filter: OwnFilter = {
    name: "waiting-clients",
    filter: (next) => async (request) => {
      const { uri } = request.exchange;
      const isWatch = /[?&]watch=(?:true|1)/.test(uri);
      if (!isWatch && this.#read.has(uri)) this.#tell();
      this.#read.add(uri);
      const answered = next(request);
      if (isWatch) this.#tell();
      await answered;
    },
  };

  /** Resolves when a client waits that comes from now on. */
  next(): Promise<void> {
    this.#read.clear();
    return new Promise((resolve) => (this.#tell = resolve));
  }
}

/** What stands before `&` runs as soon as the rest waits for a change; nothing of it is shown. */
async function runStep(
  command: string,
  waiting: WaitingClients,
  run: (command: string) => Promise<Omit<Step, "command">>,
): Promise<Step> {
  const [later, main] = command.includes(" & ") ? command.split(" & ") : ["", command];
  const isWaiting = waiting.next();
  const running = run(main ?? "");
  if (later !== "") await Promise.race([isWaiting, running]).then(() => run(later ?? ""));
  const { code, stdout, stderr } = await running;
  return { command, code, stdout, stderr };
}

/** `$(...)` stands for what a command prints. */
async function substituted(command: string, folder: string, program: Program): Promise<string> {
  const inner = /\$\(([^()]*)\)/.exec(command);
  if (inner === null) return command;
  const { stdout } = await runCommand(inner[1] ?? "", folder, program);
  return substituted(
    command.replace(inner[0], () => stdout),
    folder,
    program,
  );
}

/** `> FILE` behind a command puts there what it prints. */
async function runCommand(given: string, folder: string, program: Program): Promise<Step> {
  const [, redirected, file] = /^(.*) > (\S+)$/.exec(given) ?? [];
  if (redirected !== undefined && file !== undefined) {
    const step = await runCommand(redirected, folder, program);
    writeFileSync(join(folder, file), step.stdout);
    return { ...step, stdout: "" };
  }
  const command = await substituted(given, folder, program);
  const [variables, [name = "", ...argv]] = splitVariables(words(command));
  if (name === "cat") {
    return { command, stdout: readFileSync(join(folder, argv[0] ?? ""), "utf8"), stderr: "", code: 0 };
  }
  const env = {
    HOME: folder,
    KUBECONFIG: join(folder, "kubeconfig"),
    TZ: "UTC",
    LC_ALL: "C",
    PATH: "/usr/bin:/bin",
    TMPDIR: folder,
    // Without one, vi would wait for somebody.
    EDITOR: "false",
    ...variables,
  };
  const { code, stdout, stderr } = await program(argv, { cwd: folder, env });
  const mask = (text: string): string =>
    text
      .replaceAll(folder, "<FOLDER>")
      .replace(TEMPORARY, "$1<RANDOM>")
      .replace(FILE_TIME, "$1<TIME> ")
      .replace(KLOG_HEADER, "$1<KLOG> ")
      .replace(AGE_ON_NODE, "<AGE>");
  return { command, stdout: mask(stdout), stderr: mask(stderr), code };
}

/** Words like NAME=value that stand before the command are its environment. */
function splitVariables(all: readonly string[]): [Readonly<Record<string, string>>, readonly string[]] {
  const start = all.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const pairs = all
    .slice(0, start)
    .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]);
  return [Object.fromEntries(pairs) as Record<string, string>, all.slice(start)];
}
