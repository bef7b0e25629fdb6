import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runCli } from "../helpers/run-cli.js";

describe("a command line without a known command, or with a misused one", () => {
  test.each([
    ["gte", 'error: unknown command "gte" for "kubectl"\n\nDid you mean this?\n\tget\n'],
    ["ls", 'error: unknown command "ls" for "kubectl"\n\nDid you mean this?\n\tget\n\tlogs\n\tcp\n'],
    ["qqqq", 'error: unknown command "qqqq" for "kubectl"\n'],
    ["--nope", "error: unknown flag: --nope\nSee 'kubectl --help' for usage.\n"],
    ["get -z", "error: unknown shorthand flag: 'z' in -z\nSee 'kubectl get --help' for usage.\n"],
    ["config view --nope", "error: unknown flag: --nope\nSee 'kubectl config view --help' for usage.\n"],
    ["options --nope", "error: unknown flag: --nope\nRun 'kubectl options' without flags.\n"],
    ["config vieww", "error: unknown command \"vieww\"\nSee 'kubectl config -h' for help and examples\n"],
    ["config -- view", "error: unknown command \"view\"\nSee 'kubectl config -h' for help and examples\n"],
    ["--profile=x version", "error: unknown profile 'x'\n"],
    ["-n x gte", "Error: flags cannot be placed before plugin name: -n\n"],
    ["--namespace", "error: flag needs an argument: --namespace\nSee 'kubectl --help' for usage.\n"],
    ["completion", "error: Shell not specified.\nSee 'kubectl completion -h' for help and examples\n"],
    [
      "version -h=x",
      'error: invalid argument "x" for "-h, --help" flag: strconv.ParseBool: parsing "x": invalid syntax\nSee \'kubectl version --help\' for usage.\n',
    ],
  ])("fails with kubectl's error: %s", async (line, stderr) => {
    expect(await runCli(line.split(" "))).toEqual({ code: 1, stdout: "", stderr });
  });
});

describe("the help of the program", () => {
  test("is on stderr with a failure for a group without a subcommand", async () => {
    const { code, stdout, stderr } = await runCli(["config"]);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain("\nAvailable Commands:\n  current-context ");
  });

  test.each([[[]], [["-h"]], [["--help", "get"]], [["help"]], [["--", "gte"]]])(
    "is on stdout for the root command, asked for by %j",
    async (argv) => {
      const { code, stdout, stderr } = await runCli(argv);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout.match(/^.*:$/gm)).toEqual([
        "Basic Commands (Beginner):",
        "Basic Commands (Intermediate):",
        "Deploy Commands:",
        "Cluster Management Commands:",
        "Troubleshooting and Debugging Commands:",
        "Advanced Commands:",
        "Settings Commands:",
        "Subcommands provided by plugins:",
        "Other Commands:",
        "Usage:",
      ]);
    },
  );

  test("is on stderr without a failure for an unknown command, with the root's sections", async () => {
    const { code, stderr } = await runCli(["help", "nope"]);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Unknown help topic \[`nope`\]\n\n\nBasic Commands/);
  });

  test("has for a command the layout of kubectl's", async () => {
    const { stdout } = await runCli(["version", "-h"]);
    expect(
      stdout
        .split("\n")
        .filter((line) => /^\S|^ {4}-/.test(line))
        .slice(1),
    ).toEqual([
      "Examples:",
      "Options:",
      "    --client=false:",
      "    -o, --output='':",
      "Usage:",
      'Use "kubectl options" for a list of global command-line options (applies to all commands).',
    ]);
  });
});

describe("the name that the program prints for itself", () => {
  test("is the one that it was called by", async () => {
    const { stderr } = await runCli(["gte"], { program: "kubets" });
    expect(stderr).toContain('for "kubets"');
  });

  test("is kubectl with KUBETS_PROGRAM=kubectl", async () => {
    const env = { HOME: "/nonexistent", KUBETS_PROGRAM: "kubectl" };
    const { stdout } = await runCli(["options", "-h"], { env });
    expect(stdout).toBe("");
  });
});

describe("running a plugin from PATH", () => {
  test("takes the longest matching name, writes dashes of a word as underscores, and exits with the plugin's code", async () => {
    const folder = mkdtempSync(join(tmpdir(), "kubets-plugins-"));
    for (const name of ["kubectl-my_tool", "kubectl-my_tool-sub"]) {
      writeFileSync(join(folder, name), "#!/bin/sh\n");
      chmodSync(join(folder, name), 0o755);
    }
    const calls: unknown[] = [];
    const result = await runCli(["my-tool", "sub", "x", "--flag"], {
      env: { PATH: folder },
      runPlugin: async (file, args) => {
        calls.push([file, args]);
        return 42;
      },
    });
    expect(calls).toEqual([[join(folder, "kubectl-my_tool-sub"), ["x", "--flag"]]]);
    expect(result).toEqual({ code: 42, stdout: "", stderr: "" });
  });
});

describe("the command `version`", () => {
  test("sends no request with --client", async () => {
    expect(await runCli(["version", "--client"])).toEqual({
      code: 0,
      stdout: "Client Version: v1.37.1\nKustomize Version: v5.8.1\n",
      stderr: "",
    });
  });

  test("prints the client's version before the error when no server answers", async () => {
    const { code, stdout, stderr } = await runCli(["version", "--server=http://127.0.0.1:1"]);
    expect([code, stdout]).toEqual([1, "Client Version: v1.37.1\nKustomize Version: v5.8.1\n"]);
    expect(stderr).toBe(
      "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?\n",
    );
  });
});

describe("errors and help on a terminal", () => {
  test("suggest the similar flag for a mistyped one in a second line", async () => {
    const { stderr } = await runCli(["version", "--cleint"], { terminal: true, env: { NO_COLOR: "1" } });
    expect(stderr).toBe(
      "error: unknown flag: --cleint\nSee 'kubectl version --help' for usage.\nDid you mean \"--client\"?\n",
    );
  });

  test("contain only kubectl's text in a pipe", async () => {
    const { stderr } = await runCli(["version", "--cleint"]);
    expect(stderr).toBe("error: unknown flag: --cleint\nSee 'kubectl version --help' for usage.\n");
  });

  test("fold help text to the terminal's width", async () => {
    const { stdout } = await runCli(["options"], { terminal: true });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});
