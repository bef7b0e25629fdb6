import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../helpers/run-cli.js";

const BROKEN =
  "error: error parsing app.yaml: error converting YAML to JSON: yaml: line 3: did not find expected ',' or '}'\n";

test.each([
  [
    "a terminal is told where to look",
    true,
    `${BROKEN}Look at line 4, column 1 of app.yaml, correct it and run the command again.\n`,
  ],
  ["a script sees kubectl's words alone", false, BROKEN],
])("an error about a manifest that cannot be parsed: %s", async (_name, terminal, stderr) => {
  const cwd = mkdtempSync(join(tmpdir(), "kubets-advice-"));
  writeFileSync(join(cwd, "app.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x\n");
  writeFileSync(
    join(cwd, "kubeconfig"),
    "clusters: [{name: a, cluster: {server: 'https://127.0.0.1:1'}}]\ncontexts: [{name: a, context: {cluster: a}}]\ncurrent-context: a\n",
  );
  const env = { HOME: cwd, KUBECONFIG: join(cwd, "kubeconfig"), NO_COLOR: "1" };
  const argv = ["create", "-f", "app.yaml", "--validate=false"];
  expect(await runCli(argv, { cwd, env, terminal })).toEqual({ code: 1, stdout: "", stderr });
});

test("a mistyped flag gets a hint with the similar flag on a terminal", async () => {
  const { stderr } = await runCli(["get", "pods", "--show-label"], { terminal: true, env: { NO_COLOR: "1" } });
  expect(stderr).toBe(
    `error: unknown flag: --show-label\nSee 'kubectl get --help' for usage.\nDid you mean "--show-labels"?\n`,
  );
});

test.each([
  ["rollout statsu deploy/web", `error: unknown command "statsu deploy/web"`, "rollout", "status"],
  ["create confgmap x", "error: Unexpected args: [confgmap x]", "create", "configmap"],
  ["set imag", `error: unknown command "imag"`, "set", "image"],
])(
  "a mistyped subcommand, %s, gets a hint with the similar subcommand on a terminal",
  async (line, message, group, meant) => {
    const said = `${message}\nSee 'kubectl ${group} -h' for help and examples\n`;
    const env = { NO_COLOR: "1" };
    expect((await runCli(line.split(" "), { terminal: true, env })).stderr).toBe(`${said}Did you mean "${meant}"?\n`);
    expect((await runCli(line.split(" "), { env })).stderr).toBe(said);
  },
);
