import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseYaml } from "../../src/machinery/text/yaml/read.js";
import { programIsBuilt, programUnderTest, runProgram } from "../helpers/program-under-test.js";
import { runCli } from "../helpers/run-cli.js";

const { version } = JSON.parse(readFileSync(join(import.meta.dirname, "../../package.json"), "utf8")) as {
  version: string;
};
const facts = {
  version,
  kubernetesVersion: expect.stringMatching(/^v1\.37\.\d+$/) as string,
  runtime: `node ${process.versions.node}`,
  platform: "linux/amd64",
};

test.each([
  ["kubets, in a pipe", { program: "kubets" }],
  ["kubets, on a terminal", { program: "kubets", terminal: true, env: { NO_COLOR: "1" } }],
  ["kubectl", { program: "kubectl" }],
  ["kubets with broken preferences", { program: "kubets", env: { KUBERC: "/nonexistent/kuberc" } }],
])("--version prints version, Kubernetes version, runtime and platform, called as %s", async (_title, surroundings) => {
  const { code, stdout, stderr } = await runCli(["--version"], surroundings);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toMatch(
    new RegExp(`^kubets ${version}\nKubernetes v1\\.37\\.\\d+\nnode ${process.versions.node}, linux/${"\\w+"}\n$`),
  );
});

test.each([["-o", "json"], ["-ojson"], ["--output=json"]])("--version %s prints JSON", async (...words) => {
  const { stdout } = await runCli(["--version", ...words.flat()]);
  expect(JSON.parse(stdout)).toEqual({ ...facts, platform: expect.stringMatching(/^linux\//) as string });
});

test("--version -o yaml prints YAML", async () => {
  const { stdout } = await runCli(["--version", "-o", "yaml"]);
  expect(parseYaml(stdout)).toMatchObject({ version });
});

test.each([
  [["--version", "get"], "error: --version stands for a command: it takes no operands, got get\n"],
  [["--version", "-o", "jsn"], "error: --output must be 'yaml' or 'json'\n"],
  [["--version", "--client"], "error: unknown flag: --client\n"],
  [["get", "--version"], "error: unknown flag: --version\nSee 'kubectl get --help' for usage.\n"],
])("%j is refused: %s", async (argv, stderr) => {
  expect(await runCli(argv)).toEqual({ code: 1, stdout: "", stderr });
});

test("the command `version` names kubets on a terminal only, so that programs can read its output", async () => {
  const run = (terminal: boolean, ...more: readonly string[]) =>
    runCli(["version", "--client", ...more], { terminal, env: { NO_COLOR: "1" } });
  const piped = await run(false);
  expect(piped.stdout).toMatch(/^Client Version: /);
  expect(await run(true)).toEqual({ ...piped, stdout: `kubets Version: ${version}\n${piped.stdout}` });
  expect(await run(true, "-o", "json")).toEqual(await run(false, "-o", "json"));
});

test("shell completion suggests --version as the first word", async () => {
  expect((await runCli(["__complete", "--versi"])).stdout).toBe("--version\tPrint which kubets this is\n:4\n");
  expect((await runCli(["__complete", "-n", "x", "--versi"])).stdout).toBe(":4\n");
  expect((await runCli(["__complete", "get", "--versi"])).stdout).toBe(":4\n");
});

test.skipIf(!programIsBuilt)("a built program knows its version, and its commit where git told it", async () => {
  const [file = "", ...words] = programUnderTest;
  const around = { cwd: tmpdir(), env: { HOME: "/nonexistent" } };
  const { stdout } = await runProgram(file, [...words, "--version", "-o", "json"], around);
  const { commit = "", ...built } = JSON.parse(stdout) as Record<string, string>;
  expect(built).toMatchObject({ version, kubernetesVersion: facts.kubernetesVersion });
  expect(commit).toMatch(/^([0-9a-f]{40}(-modified)?)?$/);
});
