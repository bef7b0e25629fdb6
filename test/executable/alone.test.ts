import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  executableMissing,
  linkExecutable,
  linkProgramsWithoutNode,
  runProgram,
} from "../helpers/program-under-test.js";

if (executableMissing !== undefined) process.stdout.write(`${executableMissing}\n`);

/** What a machine without this project and without Node has. */
let folder: string;
let program: string;
let programs: string;
const run = (words: string, env: Readonly<Record<string, string>> = {}) =>
  runProgram("/bin/sh", ["-c", words], {
    cwd: join(folder, "work"),
    env: { HOME: join(folder, "home"), PATH: `${join(folder, "bin")}:${programs}`, ...env },
  });

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-alone-"));
  for (const sub of ["bin", "home", "work"]) mkdirSync(join(folder, sub));
  program = join(folder, "bin", "kubets");
  programs = linkProgramsWithoutNode(folder);
  if (executableMissing === undefined) linkExecutable(program);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(executableMissing !== undefined)("the executable", () => {
  test("is run where there is no Node", async () => {
    expect(await run("command -v node nodejs npm npx bun; kubets version --client >/dev/null")).toEqual({
      code: 0,
      stdout: "",
      stderr: "",
    });
  });

  test("makes a cluster for a command, which finds it as kubets and as kubectl", async () => {
    writeFileSync(join(folder, "work", "map.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n");
    expect(
      await run("kubets cluster run -- sh -c 'kubets apply -f map.yaml && kubectl get -f map.yaml -o name'"),
    ).toEqual({
      code: 0,
      stdout: "configmap/a created\nconfigmap/a\n",
      stderr: "",
    });
  });

  test("keeps a cluster on disk, over a kill -9 of its process too", async () => {
    const { stdout } = await run(
      `kubets cluster start dev --detach >/dev/null
       kubets create configmap kept
       kill -9 $(kubets cluster status dev | sed -n 's/^Process: *//p')
       while kubets get configmap kept >/dev/null 2>&1; do sleep 0.1; done
       kubets cluster start dev --detach >/dev/null
       kubets get configmap kept -o name
       kubets cluster stop dev
       kubets cluster check dev | grep -o 'has no damage'
       kubets cluster delete dev`,
    );
    expect(stdout.split("\n")).toEqual([
      "configmap/kept created",
      "configmap/kept",
      'cluster "dev" stopped',
      "has no damage",
      'cluster "dev" deleted',
      "",
    ]);
  });

  test("is called kubectl by a link of that name", async () => {
    symlinkSync(program, join(folder, "bin", "kubectl"));
    const { stderr } = await run("kubectl get nonsense --help=oops");
    expect(stderr).toContain("kubectl get");
    expect((await run("kubets get nonsense --help=oops")).stderr).toContain("kubets get");
  });

  test("says which kubets it is, of which commit, and by which runtime", async () => {
    const { stdout } = await run("kubets --version && kubets --version -o json");
    expect(stdout).toMatch(
      /^kubets \d+\.\d+\.\d+\S*\n(commit [0-9a-f]{40}(-modified)? of .*\n)?Kubernetes v1\.37\.1\nbun \S+, \w+\/\w+\n\{\n/,
    );
  });

  test("has its completion scripts inside", async () => {
    const { stdout } = await run("for shell in bash zsh fish powershell; do kubets completion $shell | wc -l; done");
    expect(stdout.split("\n").filter((lines) => Number(lines) > 20)).toHaveLength(4);
  });

  test("reads no file of the runtime's that lies where it is run", async () => {
    writeFileSync(join(folder, "work", ".env"), "KUBETS_PROGRAM=kubectl\nKUBECONFIG=/nonexistent\n");
    writeFileSync(join(folder, "work", "bunfig.toml"), 'preload = ["./evil.js"]\n');
    writeFileSync(join(folder, "work", "evil.js"), 'process.stdout.write("evil\\n");\n');
    expect(await run("kubets config get-contexts -o name")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await run("kubets version --client")).stdout).toMatch(/^Client Version: v1\.37\.1\n/);
  });

  test("is not led astray by variables of the runtime", async () => {
    const variables = { BUN_OPTIONS: "--print 1", NODE_OPTIONS: "--require /nonexistent" };
    for (const [name, value] of Object.entries(variables)) {
      expect.soft({ name, ...(await run("kubets version --client", { [name]: value })) }).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^Client Version: v1\.37\.1\n/) as string,
        stderr: "",
      });
    }
  });
});
