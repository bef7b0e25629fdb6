import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { FixedClock } from "../helpers/fixed-clock.js";
import { realTool } from "../helpers/real-tools.js";
import { runCli } from "../helpers/run-cli.js";
import { seededRandom } from "../helpers/seeded-random.js";
import { parseScript, rewriteScript, type Script, type Step, words } from "./script.js";

const scripts = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith(".txtar"))
  .map((file) => {
    const path = join(import.meta.dirname, file);
    const text = readFileSync(path, "utf8");
    return { file, path, text, script: parseScript(text) };
  });
const refresh = process.env["UPDATE_SCRIPTS"] !== undefined;
const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`the scripts are not run by kubectl: ${kubectl.missing}\n`);

test.skipIf(refresh).each(scripts)("$file", { timeout: 60_000 }, async ({ script }) => {
  expect(await run(script, ours)).toEqual(script.steps);
});

/** What the scripts expect is what kubectl prints; UPDATE_SCRIPTS=1 writes down what it does. */
describe.skipIf(kubectl.missing !== undefined)("by the real kubectl", () => {
  test.each(scripts)("$file", { timeout: 60_000 }, async ({ path, text, script }) => {
    const results = await run(script, real);
    if (refresh) writeFileSync(path, rewriteScript(text, results));
    else expect(results).toEqual(script.steps);
  });
});

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs one command line called kubectl. */
type Program = (
  argv: readonly string[],
  surroundings: Surroundings,
) => Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;

const ours: Program = (argv, surroundings) => runCli(argv, { ...surroundings, program: "kubectl" });

const real: Program = (argv, { cwd, env }) =>
  new Promise((resolve, reject) => {
    // Not awaited synchronously: the cluster answers from this process.
    const child = spawn(kubectl.path, [...argv], { cwd, env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.on("error", reject);
    child.on("close", (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });

/** Runs the steps in one folder, one after the other, a minute and a half of the cluster's time apart. */
async function run(script: Script, program: Program): Promise<readonly Step[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kubets-script-")));
  const clock = new FixedClock(Date.UTC(2026, 0, 1));
  const cluster = script.cluster ? await startCluster({ clock, random: seededRandom("scripts") }) : undefined;
  try {
    for (const [file, text] of script.files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    if (cluster !== undefined) writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
    const results: Step[] = [];
    for (const { command } of script.steps) {
      results.push(await runStep(command, folder, program));
      clock.advance(90_000);
    }
    return results;
  } finally {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const KLOG_HEADER = /^([IWEF])\d{4} \d\d:\d\d:\d\d\.\d{6} +\d+ /gm;

async function runStep(command: string, folder: string, program: Program): Promise<Step> {
  const [name = "", ...argv] = words(command);
  if (name === "cat") {
    return { command, stdout: readFileSync(join(folder, argv[0] ?? ""), "utf8"), stderr: "", code: 0 };
  }
  const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), TZ: "UTC", LC_ALL: "C" };
  const { code, stdout, stderr } = await program(argv, { cwd: folder, env });
  const mask = (text: string): string => text.replaceAll(folder, "<FOLDER>").replace(KLOG_HEADER, "$1<KLOG> ");
  return { command, stdout: mask(stdout), stderr: mask(stderr), code };
}
