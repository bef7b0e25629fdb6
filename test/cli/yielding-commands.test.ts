import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CliResult, runCli } from "../helpers/run-cli.js";

// ctx, ns and watch are no commands of kubectl, and kubectl has had plugins of these names for years.

let folder: string;
let env: Record<string, string>;

const KUBECONFIG = { "current-context": "one", contexts: [{ name: "one", context: { cluster: "", user: "" } }] };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "kubets-yielding-"));
  mkdirSync(join(folder, "bin"));
  for (const name of ["kubectl-ctx", "kubectl-ns", "kubectl-watch", "kubectl-tree"]) {
    writeFileSync(join(folder, "bin", name), "#!/bin/sh\n", { mode: 0o755 });
  }
  writeFileSync(join(folder, "config"), JSON.stringify(KUBECONFIG));
  env = { HOME: folder, KUBECONFIG: join(folder, "config"), PATH: join(folder, "bin") };
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What the line prints, and the plugin that it ran in place of a command of the program. */
async function run(line: string, program: string, more: Record<string, string> = {}) {
  const plugins: string[] = [];
  const result = await runCli(line.split(" "), {
    program,
    env: { ...env, ...more },
    cwd: folder,
    runPlugin: (file, args) => {
      plugins.push([file.slice(folder.length + "/bin/".length), ...args].join(" "));
      return Promise.resolve(7);
    },
  });
  return { ...result, plugins };
}

const ran = (plugin: string) => ({ code: 7, stdout: "", stderr: "", plugins: [plugin] });

describe("a kubectl plugin on PATH with the name of one of our commands", () => {
  test.each([
    ["ctx", "kubectl-ctx"],
    ["ctx -", "kubectl-ctx -"],
    ["ctx dev --flag", "kubectl-ctx dev --flag"],
    ["ns shop", "kubectl-ns shop"],
    ["watch pod/web -h", "kubectl-watch pod/web -h"],
  ])("runs in place of %s under kubectl's name", async (line, plugin) => {
    expect(await run(line, "kubectl")).toEqual(ran(plugin));
  });

  test("gets kubectl's error where flags stand before its name", async () => {
    expect(await run("--context=x ctx", "kubectl")).toMatchObject({
      code: 1,
      stderr: "Error: flags cannot be placed before plugin name: --context=x\n",
    });
  });

  test("does not run in place of another command, nor under the program's own name", async () => {
    expect(await run("ctx -c", "kubets")).toEqual({ code: 0, stdout: "one\n", stderr: "", plugins: [] });
    expect((await run("tree -h", "kubectl")).plugins).toEqual([]);
  });

  test("is not needed: the command runs under kubectl's name too", async () => {
    const result = await run("ctx -c", "kubectl", { PATH: "" });
    expect(result).toEqual({ code: 0, stdout: "one\n", stderr: "", plugins: [] });
  });

  test("is listed under kubectl's name without the warning that a command overwrites it", async () => {
    const overwritten = (stderr: string): readonly string[] => stderr.match(/(?<=warning: )\S+(?= overwrites)/g) ?? [];
    expect(overwritten((await run("plugin list", "kubectl")).stderr)).toEqual(["kubectl-tree"]);
    expect(overwritten((await run("plugin list", "kubets")).stderr)).toEqual([
      "kubectl-ctx",
      "kubectl-ns",
      "kubectl-tree",
      "kubectl-watch",
    ]);
  });

  test.each(["--help", "help", "help nothing-of-this-name"])(
    "is listed by %s in place of our command",
    async (line) => {
      const listed = async (program: string): Promise<readonly string[]> => {
        const { stdout, stderr } = await run(line, program);
        const rows = (stdout + stderr).match(/^ {2}(?:ctx|ns|tree|watch) +(?:The plugin)?/gm) ?? [];
        return rows.map((row) => row.replaceAll(/ +/g, " ").trim()).sort();
      };
      expect(await listed("kubectl")).toEqual(["ctx The plugin", "ns The plugin", "tree", "watch The plugin"]);
      expect(await listed("kubets")).toEqual(["ctx", "ns", "tree", "watch"]);
    },
  );

  test("leaves the command without a help page under kubectl's name", async () => {
    expect((await run("help ctx", "kubectl")).stderr).toMatch(/^Unknown help topic \[`ctx`\]\n/);
    expect((await run("__completeNoDesc help ct", "kubectl")).stdout).toBe(":4\n");
    expect((await run("help ctx", "kubets")).stdout).toContain("kubets ctx");
    expect((await run("__completeNoDesc help ct", "kubets")).stdout).toBe("ctx\n:4\n");
  });

  test("is completed under kubectl's name", async () => {
    const complete = join(folder, "bin", "kubectl_complete-ctx");
    writeFileSync(complete, "#!/bin/sh\necho from-plugin\necho :4\n", { mode: 0o755 });
    const asked = async (program: string): Promise<string> =>
      (await run("__completeNoDesc ctx o", program, { PATH: `${env["PATH"] ?? ""}:/bin:/usr/bin` })).stdout;
    expect(await asked("kubectl")).toBe("from-plugin\n:4\n");
    expect(await asked("kubets")).toBe("one\n:4\n");
    rmSync(complete);
  });
});

test("an alias of the user's preferences takes the place of a command of its name, under either name", async () => {
  const kuberc = join(folder, "kuberc");
  const alias = { name: "ctx", command: "config current-context" };
  writeFileSync(
    kuberc,
    JSON.stringify({ apiVersion: "kubectl.config.k8s.io/v1beta1", kind: "Preference", aliases: [alias] }),
  );
  for (const program of ["kubectl", "kubets"]) {
    const { stdout, stderr } = await run("ctx", program, { KUBERC: kuberc, PATH: "" });
    expect([stdout, stderr]).toEqual(["one\n", ""]);
  }
  // Another alias leaves it alone.
  writeFileSync(
    kuberc,
    JSON.stringify({
      apiVersion: "kubectl.config.k8s.io/v1beta1",
      kind: "Preference",
      aliases: [{ name: "now", command: "ctx" }],
    }),
  );
  expect((await run("now -c", "kubectl", { KUBERC: kuberc })).stdout).toBe("one\n");
});

describe("suggestions for a mistyped command", () => {
  const suggested = async (line: string, program: string): Promise<readonly string[]> => {
    const { stderr }: CliResult = await run(line, program, { PATH: "" });
    return stderr.split("\n").filter((text) => text.startsWith("\t"));
  };

  test("leave out our own commands under kubectl's name", async () => {
    expect(await suggested("ls", "kubectl")).toEqual(["\tget", "\tlogs", "\tcp"]);
    expect(await suggested("wacth", "kubectl")).not.toContain("\twatch");
  });

  test("include our own commands under the program's own name", async () => {
    expect(await suggested("wacth", "kubets")).toContain("\twatch");
    expect(await suggested("ctxx", "kubets")).toContain("\tctx");
  });
});
