import { describe, expect, test } from "vitest";
import { etcdFlags } from "../../../src/commands/envtest/etcd.js";
import { standInComponent } from "../../../src/cluster/apiserver/component.js";
import { allSections } from "../../../src/component/component.js";
import { runCli } from "../../helpers/run-cli.js";

const run = (...argv: string[]) => runCli(["envtest", ...argv]);

describe("envtest's replacement for kube-apiserver", () => {
  test.each([
    ["a flag that there is none of", ["--bogus"], "Error: unknown flag: --bogus\n"],
    ["a letter that there is none of", ["-x"], "Error: unknown shorthand flag: 'x' in -x\n"],
    ["a flag without its value", ["--secure-port"], "Error: flag needs an argument: --secure-port\n"],
    [
      "a port that is no number",
      ["--secure-port=x"],
      'Error: invalid argument "x" for "--secure-port" flag: strconv.ParseInt: parsing "x": invalid syntax\n',
    ],
    ["an operand", ["x"], 'Error: "kube-apiserver" does not take any arguments, got ["x"]\n'],
  ])("refuses %s in kube-apiserver's words", async (_what, argv, stderr) => {
    expect(await run("kube-apiserver", ...argv)).toEqual({ code: 1, stdout: "", stderr });
  });

  test("prints its Kubernetes version", async () => {
    expect(await run("kube-apiserver", "--version")).toEqual({ code: 0, stdout: "Kubernetes v1.37.1\n", stderr: "" });
  });
});

describe("envtest's replacement for etcd", () => {
  test.each([
    ["a flag that there is none of", ["--bogus"], "flag provided but not defined: -bogus\n", 2],
    ["one with a single dash", ["-bogus=1"], "flag provided but not defined: -bogus\n", 2],
  ])("refuses %s in etcd's words", async (_what, argv, stderr, code) => {
    expect(await run("etcd", ...argv)).toEqual({ code, stdout: "", stderr });
  });
});

test.each([
  ["kube-apiserver", allSections(standInComponent()).flatMap((section) => section.flags)],
  ["etcd", etcdFlags],
] as const)(
  "--help of envtest's %s has a line that begins with each flag, because envtest looks for it",
  async (role, flags) => {
    const { code, stdout } = await run(role, "--help");
    expect(code).toBe(0);
    for (const { name, hidden } of flags) {
      if (hidden !== true && name !== "v" && name !== "help")
        expect(stdout).toMatch(new RegExp(String.raw`^\s*--${name}\b`, "m"));
    }
    expect(stdout).not.toMatch(/^\s*--insecure-port\b/m);
  },
);

describe("kubets envtest", () => {
  test.each([
    ["an operand", ["x"], "envtest takes no arguments, got x"],
    [
      "a version that it cannot behave as",
      ["--emulated-version=1.30"],
      "emulation version 1.30 is not between [1.36, 1.37]",
    ],
    ["a form that there is none of", ["-p", "overview"], 'invalid value "overview" for --print: use env or path'],
  ])("refuses %s", async (_what, argv, message) => {
    const { code, stderr } = await run(...argv);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
  });

  test("prints on Windows what to do instead", async () => {
    const { code, stderr } = await runCli(["envtest"], { platform: "win32" });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: "error: envtest needs a POSIX shell: run it, and the tests, in the Windows Subsystem for Linux\n",
    });
  });
});
