import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.js";

const NO_FILES = "Completion ended with directive: ShellCompDirectiveNoFileComp\n";
const FILES = "Completion ended with directive: ShellCompDirectiveDefault\n";

async function complete(
  ...words: string[]
): Promise<{ candidates: readonly string[]; directive: string; stderr: string }> {
  const folder = mkdtempSync(join(tmpdir(), "kubets-complete-"));
  const entries = (section: string, field: string): string =>
    `${section}: [{name: one, ${field}: {}}, {name: other, ${field}: {}}]\n`;
  writeFileSync(
    join(folder, "config"),
    entries("contexts", "context") + entries("clusters", "cluster") + entries("users", "user"),
  );
  const { stdout, stderr } = await runCli(["__completeNoDesc", ...words], {
    env: { HOME: folder, KUBECONFIG: join(folder, "config") },
  });
  const lines = stdout.trimEnd().split("\n");
  return { candidates: lines.slice(0, -1), directive: lines.at(-1) ?? "", stderr };
}

test.each([
  ["a command", ["conf"], ["config"]],
  ["help is offered too", ["hel"], ["help"]],
  ["a subcommand", ["config", "get-c"], ["get-clusters", "get-contexts"]],
  [
    "a flag by its long name, the global ones first",
    ["version", "--cl"],
    ["--client-certificate", "--client-key", "--cluster", "--client"],
  ],
  ["a flag given already is left out", ["version", "--client", "--client"], ["--client-certificate", "--client-key"]],
  ["a flag by its letter", ["version", "-o"], ["-o"]],
  ["a context", ["config", "use-context", "on"], ["one"]],
  ["a context for the global flag", ["version", "--context", ""], ["one", "other"]],
  ["a cluster after =", ["version", "--cluster=ot"], ["other"]],
  ["a user", ["config", "delete-user", "o"], ["one", "other"]],
  ["nothing after the only operand", ["config", "use-context", "one", ""], []],
  ["a shell", ["completion", "z"], ["zsh"]],
  ["a command to be helped with", ["help", "config", "set-"], ["set-cluster", "set-context", "set-credentials"]],
  ["nothing beside --help", ["version", "--help", ""], []],
])("%s", async (_name, words, candidates) => {
  expect(await complete(...words)).toEqual({ candidates, directive: ":4", stderr: NO_FILES });
});

test.each([
  ["the value of a flag that has no list", ["version", "-o", ""], FILES],
  ["operands after --", ["version", "--", "-"], FILES],
  [
    "a flag nobody has",
    ["version", "--nope", ""],
    `[Debug] [Error] Error while parsing flags from args [--nope]: unknown flag: --nope\n${FILES}`,
  ],
  [
    "a command nobody has",
    ["nope", ""],
    `[Debug] Cleared global flags for plugin completion\n[Debug] [Error] unable to find a command for arguments: [nope]\n${FILES}`,
  ],
])("files are completed for %s", async (_name, words, stderr) => {
  expect(await complete(...words)).toEqual({ candidates: [], directive: ":0", stderr });
});

test("-f takes manifests", async () => {
  expect(await complete("get", "-f", "")).toMatchObject({ candidates: ["json", "yaml", "yml"], directive: ":8" });
});

test("descriptions follow a tab", async () => {
  const { stdout } = await runCli(["__complete", "conf"]);
  expect(stdout).toMatch(/^config\t.+\n:4\n$/);
});

test("a request without words is refused", async () => {
  expect(await runCli(["__complete"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: requires at least 1 arg(s), only received 0\n",
  });
});

test.each(["bash", "zsh", "fish", "powershell"])(
  "the script for %s is made out to the program's name",
  async (shell) => {
    const { code, stdout } = await runCli(["completion", shell], { program: "kubets" });
    expect(code).toBe(0);
    expect(stdout).toContain("kubets");
    expect(stdout).not.toContain("__PROGRAM__");
  },
);
