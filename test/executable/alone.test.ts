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

describe.skipIf(executableMissing !== undefined)("the single-file executable of kubets", () => {
  test("runs on a machine without Node", async () => {
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

  test("keeps a cluster on disk, also when its process is killed by kill -9", async () => {
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

  test("runs as kubectl by a link of that name", async () => {
    symlinkSync(program, join(folder, "bin", "kubectl"));
    const { stderr } = await run("kubectl get nonsense --help=oops");
    expect(stderr).toContain("kubectl get");
    expect((await run("kubets get nonsense --help=oops")).stderr).toContain("kubets get");
  });

  test("prints its version, commit and runtime", async () => {
    const { stdout } = await run("kubets --version && kubets --version -o json");
    expect(stdout).toMatch(
      /^kubets \d+\.\d+\.\d+\S*\n(commit [0-9a-f]{40}(-modified)? of .*\n)?Kubernetes v1\.37\.1\nbun \S+, \w+\/\w+\n\{\n/,
    );
  });

  test("contains its completion scripts", async () => {
    const { stdout } = await run("for shell in bash zsh fish powershell; do kubets completion $shell | wc -l; done");
    expect(stdout.split("\n").filter((lines) => Number(lines) > 20)).toHaveLength(4);
  });

  test("reads no configuration file of its runtime from the working directory", async () => {
    writeFileSync(join(folder, "work", ".env"), "KUBETS_PROGRAM=kubectl\nKUBECONFIG=/nonexistent\n");
    writeFileSync(join(folder, "work", "bunfig.toml"), 'preload = ["./evil.js"]\n');
    writeFileSync(join(folder, "work", "evil.js"), 'process.stdout.write("evil\\n");\n');
    expect(await run("kubets config get-contexts -o name")).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await run("kubets version --client")).stdout).toMatch(/^Client Version: v1\.37\.1\n/);
  });

  test("ignores environment variables of its runtime", async () => {
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
