import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
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
])("shell completion suggests %s", async (_name, words, candidates) => {
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
])("shell completion leaves it to the shell to complete files for %s", async (_name, words, stderr) => {
  expect(await complete(...words)).toEqual({ candidates: [], directive: ":0", stderr });
});

test("shell completion suggests manifest files for -f", async () => {
  expect(await complete("get", "-f", "")).toMatchObject({ candidates: ["json", "yaml", "yml"], directive: ":8" });
});

test("shell completion separates a candidate's description from it by a tab", async () => {
  const { stdout } = await runCli(["__complete", "conf"]);
  expect(stdout).toMatch(/^config\t.+\n:4\n$/);
});

test("the hidden completion command without words is an error", async () => {
  expect(await runCli(["__complete"])).toEqual({
    code: 1,
    stdout: "",
    stderr: "error: requires at least 1 arg(s), only received 0\n",
  });
});

test.each(["bash", "zsh", "fish", "powershell"])(
  "the completion script for %s calls the program by the name it was started with",
  async (shell) => {
    const { code, stdout } = await runCli(["completion", shell], { program: "kubets" });
    expect(code).toBe(0);
    expect(stdout).toContain("kubets");
    expect(stdout).not.toContain("__PROGRAM__");
  },
);

describe("shell completion of names from a kubeconfig or a server that an attacker controls", () => {
  const names = [
    "plain",
    "--all",
    "-n",
    "red\u001b[31m",
    "eight\u009b31m",
    "two\nlines",
    "a\ttab",
    "bell\u0007",
    "a b;c",
  ];
  let folder: string;
  let env: Record<string, string>;
  let close: () => unknown;

  beforeAll(async () => {
    const server = createServer((request, response) => {
      response.setHeader("content-type", "application/json");
      const [path = ""] = (request.url ?? "").split("?");
      const answers: Record<string, unknown> = {
        "/api": { kind: "APIVersions", versions: ["v1"] },
        "/apis": { kind: "APIGroupList", groups: [] },
        "/api/v1": {
          kind: "APIResourceList",
          groupVersion: "v1",
          resources: [{ name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["get", "list"] }],
        },
        "/api/v1/namespaces/default/configmaps": { items: names.map((name) => ({ metadata: { name } })) },
      };
      response.writeHead(path in answers ? 200 : 404).end(JSON.stringify(answers[path] ?? {}));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    close = () => server.close();
    folder = mkdtempSync(join(tmpdir(), "kubets-complete-"));
    const { port } = server.address() as AddressInfo;
    const config = {
      "current-context": "plain",
      clusters: [{ name: "one", cluster: { server: `http://127.0.0.1:${port}` } }],
      contexts: names.map((name) => ({ name, context: { cluster: "one", user: "" } })),
    };
    writeFileSync(join(folder, "config"), JSON.stringify(config));
    env = { HOME: folder, KUBECONFIG: join(folder, "config") };
  });
  afterAll(() => {
    close();
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["objects of a server", ["get", "configmaps", ""]],
    ["contexts as an operand", ["config", "use-context", ""]],
  ])(
    "suggests no candidate that the shell would take as a flag or that has control characters: %s",
    async (_what, words) => {
      const { stdout } = await runCli(["__complete", ...words], { env });
      expect(stdout.split("\n").slice(0, -2).sort()).toEqual(["a b;c", "plain"]);
    },
  );

  test("suggests a name that begins with a dash where no flag can stand", async () => {
    for (const words of [
      ["--context", ""],
      ["config", "use-context", "--", ""],
    ]) {
      const { stdout } = await runCli(["__complete", ...words], { env });
      expect(stdout.split("\n")).toContain("--all");
    }
  });
});

test("the completion script for PowerShell quotes texts with special characters, and escapes quotes in them", async () => {
  const { stdout } = await runCli(["completion", "powershell"], { program: "kubets" });
  const [, plain = ""] = /\$name -notmatch '([^']+)'/.exec(stdout) ?? [];
  const isPlain = new RegExp(plain.replace("\\z", "$"));
  for (const word of ["web-1", "deploy/web", "cm,deployments.apps", "a:b", "user@host", "--context=a", "1.2"]) {
    expect(isPlain.test(word), word).toBe(true);
  }
  for (const word of [
    "a b",
    "a;b",
    "a$(b)",
    "a`b",
    "a'b",
    'a"b',
    "a\u2019b",
    "a|b",
    "a&b",
    "@x",
    "#x",
    "{x}",
    "~",
    "x>y",
    "a\n",
  ]) {
    expect(isPlain.test(word), word).toBe(false);
  }
  expect(stdout).toContain("EscapeSingleQuotedStringContent($word)");
});
