import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { startCluster } from "../../src/cluster/index.js";
import { runCli } from "../helpers/run-cli.js";
import { parseScript, rewriteScript, type Script, type Step, words } from "./script.js";

const scripts = readdirSync(import.meta.dirname).filter((file) => file.endsWith(".txtar"));

test.each(scripts)("%s", async (file) => {
  const path = join(import.meta.dirname, file);
  const text = readFileSync(path, "utf8");
  const script = parseScript(text);
  const results = await run(script);
  if (process.env["UPDATE_SCRIPTS"] !== undefined) writeFileSync(path, rewriteScript(text, results));
  else expect(results).toEqual(script.steps);
});

/** Runs the steps in one folder, one after the other, in this process. */
async function run(script: Script): Promise<readonly Step[]> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "kubets-script-")));
  const cluster = script.cluster ? await startCluster() : undefined;
  try {
    for (const [file, text] of script.files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    if (cluster !== undefined) writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
    const results: Step[] = [];
    for (const { command } of script.steps) results.push(await runStep(command, folder));
    return results;
  } finally {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runStep(command: string, folder: string): Promise<Step> {
  const [program = "", ...argv] = words(command);
  if (program === "cat") {
    return { command, stdout: readFileSync(join(folder, argv[0] ?? ""), "utf8"), stderr: "", code: 0 };
  }
  const env = { HOME: folder, KUBECONFIG: join(folder, "kubeconfig"), TZ: "UTC" };
  const { code, stdout, stderr } = await runCli(argv, { cwd: folder, env, program });
  const mask = (text: string): string => text.replaceAll(folder, "<FOLDER>");
  return { command, stdout: mask(stdout), stderr: mask(stderr), code };
}
