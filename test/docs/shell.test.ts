import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { type ProgramOutcome, programUnderTest, runProgram } from "../helpers/program-under-test.js";

// What docs/shell.md says of a link named kubectl; test/completions/installed.test.ts has what it says of completion.

const program = programUnderTest.at(-1) ?? "";

let cluster: Cluster;
let folder: string;

beforeAll(async () => {
  cluster = await startCluster();
  folder = mkdtempSync(join(tmpdir(), "kubets-link-"));
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  for (const sub of ["bin", "other", "tmp"]) mkdirSync(join(folder, sub));
  symlinkSync(program, join(folder, "bin", "kubets"));
  symlinkSync("../bin/kubets", join(folder, "other", "kubectl"));
  writeFileSync(join(folder, "bin", "show-name"), '#!/bin/sh\nbasename "$1" | tr -d 0-9\n', { mode: 0o755 });
});
afterAll(async () => {
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

type Name = "kubets" | "kubectl";

/** By a link of that name; the link named kubectl leads to the other. */
function run(name: Name, line: string, variables: Readonly<Record<string, string>> = {}): Promise<ProgramOutcome> {
  const env = {
    PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:/usr/bin:/bin`,
    HOME: folder,
    KUBECONFIG: join(folder, "kubeconfig"),
    TMPDIR: join(folder, "tmp"),
    KUBE_EDITOR: "show-name",
    ...variables,
  };
  const file = join(folder, name === "kubectl" ? "other" : "bin", name);
  return runProgram(file, line.split(" "), { cwd: folder, env });
}

/** What differs by the name the program is called by: something it says, and the words before and behind the name in it. */
const differences: readonly (readonly [what: string, line: string, stream: "stdout" | "stderr", said: RegExp])[] = [
  ["errors", "nope", "stderr", /unknown command "nope" for "(\w+)"/],
  ["hints", "get --nope", "stderr", /See '(\w+) get --help' for usage/],
  ["help", "get --help", "stdout", /Usage:\n {2}(\w+) get /],
  ["the completion script", "completion bash", "stdout", /\ncomplete -o default -F __start_\w+ (\w+)\n$/],
  ["the question of completion install", "completion install bash", "stderr", /completion of (\w+) /],
  ["the User-Agent", "get namespace default -v=8", "stderr", /User-Agent: (\w+)\/v1\./],
  ["temporary files", "edit namespace default", "stdout", /^(\w+)-edit-.yaml\n/],
];

describe("a kubets that is called kubectl by a link uses that name in", () => {
  test.each(differences)("%s", async (_what, line, stream, said) => {
    const names = await Promise.all((["kubets", "kubectl"] as const).map((name) => run(name, line)));
    expect(names.map((outcome) => said.exec(outcome[stream])?.[1])).toEqual(["kubets", "kubectl"]);
  });
});

test("KUBETS_PROGRAM=kubectl has the same effect as a link named kubectl", async () => {
  const { stderr } = await run("kubets", "nope", { KUBETS_PROGRAM: "kubectl" });
  expect(stderr).toContain('for "kubectl"');
});

describe("kubets under the name kubectl", () => {
  test("continues with what kubets created, and the reverse", async () => {
    await run("kubectl", "create configmap shared --from-literal=a=b");
    await run("kubets", "create configmap own --from-literal=a=b");
    const { stdout } = await run("kubets", "get cm -o jsonpath={.items[*].metadata.managedFields[0].manager}");
    expect(stdout.split(" ").filter((manager) => manager === "kubectl-create")).toHaveLength(2);
    expect((await run("kubets", "label configmap shared x=y")).stdout).toBe("configmap/shared labeled\n");
  });

  test("still has the commands of kubets", async () => {
    const lists = await Promise.all((["kubets", "kubectl"] as const).map((name) => run(name, "cluster list")));
    expect(lists[0]).toEqual(lists[1]);
    expect(lists[0]?.code).toBe(0);
  });
});
