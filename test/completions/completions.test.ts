import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { PATIENCE } from "../helpers/patience.js";
import { runCli } from "../helpers/run-cli.js";
import { installProgram } from "../helpers/program-under-test.js";

/** A shell that loads its completion script and is asked, without a terminal, to complete $LINE. */
interface Shell {
  readonly name: "bash" | "zsh" | "fish";
  /** Prints a candidate a line; zsh prints the line as it stands after the Tab. */
  readonly script: string;
}

/** How often zsh looks, every 50 ms, whether its inner shell has answered. */
const TRIES = PATIENCE / 50;

const SHELLS: readonly Shell[] = [
  {
    name: "bash",
    script: `source <(kubets completion bash)
shopt -s expand_aliases
alias k=kubets
complete -o default -F __start_kubets k
COMP_LINE=$LINE COMP_POINT=\${#LINE} COMP_TYPE=9 COLUMNS=200
__start_kubets
(( \${#COMPREPLY[@]} )) && printf '%s\\n' "\${COMPREPLY[@]}"`,
  },
  {
    // zsh completes in its line editor only: one runs on a pseudo-terminal, with a key that completes and reports.
    name: "zsh",
    script: `zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PROMPT=; autoload -Uz compinit; compinit -D -u; setopt noautomenu; source <(kubets completion zsh)'
zpty -w inner 'alias k=kubets'
zpty -w inner 'report() { zle complete-word; print -r -- "$BUFFER" > $OUT.part; mv $OUT.part $OUT }'
zpty -w inner 'zle -N report; bindkey "^T" report; : > $OUT.ready'
for i in {1..${TRIES}}; do [[ -e $OUT.ready ]] && break; sleep 0.05; done
zpty -w -n inner "$LINE"$'\\x14'
for i in {1..${TRIES}}; do [[ -e $OUT ]] && break; sleep 0.05; done
zpty -d inner
cat $OUT`,
  },
  {
    name: "fish",
    script: "kubets completion fish | source\nalias k kubets\ncomplete -C $LINE",
  },
];

/** A pod of two containers, and a deployment. */
const OBJECTS = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec: {containers: [{name: server, image: i}, {name: sidecar, image: i}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop, namespace: default}
spec:
  selector: {matchLabels: {app: shop}}
  template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: c, image: i}]}}
`;

let cluster: Cluster | undefined;
let folder: string;

beforeAll(async () => {
  cluster = await startCluster();
  folder = realpathSync(mkdtempSync(join(tmpdir(), "kubets-completions-")));
  for (const sub of ["bin", "out", "work"]) mkdirSync(join(folder, sub));
  for (const file of ["app.yaml", "big.json", "notes.txt"]) writeFileSync(join(folder, "work", file), "");
  writeFileSync(join(folder, "kubeconfig"), cluster.kubeconfig());
  const { stderr } = await runCli(["create", "-f", "-"], {
    env: { HOME: folder, KUBECONFIG: join(folder, "kubeconfig") },
    stdin: OBJECTS,
  });
  if (stderr !== "") throw new Error(stderr);
  installProgram(join(folder, "bin", "kubets"));
});

afterAll(async () => {
  await cluster?.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const shell of SHELLS) {
  const absent = spawnSync(shell.name, ["--version"]).error !== undefined;
  if (absent) process.stdout.write(`completion in ${shell.name} is not tested: ${shell.name} is not installed\n`);

  describe.skipIf(absent)(shell.name, () => {
    test.concurrent.each([
      ["a command", "kubets api-v", ["api-versions"]],
      ["a subcommand", "kubets config get-cl", ["get-clusters"]],
      ["several subcommands", "kubets config get-", ["get-clusters", "get-contexts", "get-users"]],
      ["a type", "kubets get dep", ["deployments.apps"]],
      ["a type behind a comma", "kubets get cm,dep", ["cm,deployments.apps"]],
      ["a name", "kubets get cm kube", ["kube-root-ca.crt"]],
      ["a name behind its type", "kubets get cm/kube", ["cm/kube-root-ca.crt"]],
      ["a type for a further word with a slash", "kubets get cm/kube-root-ca.crt conf", ["configmaps/"]],
      ["a namespace", "kubets get cm -n kube-s", ["kube-system"]],
      ["a name in a namespace in quotes", "kubets get cm -n 'kube-system' kube-r", ["kube-root-ca.crt"]],
      ["a context", "kubets config use-context ", ["kubets"]],
      ["an output format", "kubets get cm -o wi", ["wide"]],
      ["a flag", "kubets get --show-l", ["--show-labels"]],
      ["a manifest", "kubets apply -f ap", ["app.yaml"]],
      ["manifests and nothing else", "kubets apply -f ", ["app.yaml", "big.json"]],
      ["nothing of a type that nobody has", "kubets get nothing n", []],
      ["a container of a pod", "kubets logs web sid", ["sidecar"]],
      ["a container of a pod of a namespace", "kubets logs -n default web ser", ["server"]],
      ["a pod to read the log of", "kubets logs w", ["web"]],
      ["a name behind a type with a slash, of a subcommand", "kubets rollout status deploy/s", ["deploy/shop"]],
      ["a name of a command of one type", "kubets taint node nob", []],
      ["formats that begin alike", "kubets get cm -o json", ["json", "jsonpath", "jsonpath-as-json", "jsonpath-file"]],
      ["a cluster", "kubets get cm --cluster ku", ["kubets"]],
      ["a user of the kubeconfig", "kubets get cm --user ku", ["kubets"]],
      ["a context to delete", "kubets config delete-context ku", ["kubets"]],
      ["a shell", "kubets completion fi", ["fish"]],
      ["explain", "kubets expl", ["explain"]],
      ["proxy", "kubets prox", ["proxy"]],
      ["a subcommand of auth", "kubets auth can", ["can-i"]],
      ["a subcommand of certificate", "kubets certificate den", ["deny"]],
      ["a subcommand of kuberc", "kubets kuberc vi", ["view"]],
      ["a subcommand of plugin", "kubets plugin li", ["list"]],
      ["a flag of convert", "kubets convert --output-v", ["--output-version"]],
      ["a type to see as a tree", "kubets tree deployments.a", ["deployments.apps"]],
      ["a name to see as a tree", "kubets tree deploy sh", ["shop"]],
      ["a name by an alias", "k get cm kube", ["kube-root-ca.crt"]],
    ])("completes %s", async (_name, line, expected) => {
      const typed = line.split(" ").at(-1) ?? "";
      const lines = await ask(shell, line);
      const completed = line.slice(0, line.length - typed.length) + (commonStart(expected) ?? typed);
      if (shell.name === "zsh") expect(lines[0]?.trimEnd()).toBe(completed.trimEnd());
      else expect(new Set(lines.map((candidate) => candidate.split(/[\t ]/)[0]))).toEqual(new Set(expected));
    });

    test("runs no part of the line that is completed", async () => {
      await ask(shell, "kubets get cm -n $(touch ran) kube");
      await ask(shell, "kubets get cm > ran");
      expect(existsSync(join(folder, "work", "ran"))).toBe(false);
    });

    test.skipIf(shell.name === "zsh")("shows descriptions beside the candidates", async () => {
      expect((await ask(shell, "kubets config get-"))[0]).toMatch(/^get-clusters\s+\(?List the clusters\)?$/);
    });
  });
}

let asked = 0;

function ask({ name, script }: Shell, line: string): Promise<readonly string[]> {
  const child = spawn(name, name === "bash" ? ["--norc", "-c", script] : [name === "zsh" ? "-f" : "-N", "-c", script], {
    cwd: join(folder, "work"),
    env: {
      PATH: `${join(folder, "bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: folder,
      KUBECONFIG: join(folder, "kubeconfig"),
      LC_ALL: "C",
      LINE: line,
      OUT: join(folder, "out", String(asked++)),
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let stdout = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", () => resolve(stdout.split("\n").filter((candidate) => candidate !== "")));
  });
}

/** What a shell types when several candidates fit; undefined for none. */
function commonStart(candidates: readonly string[]): string | undefined {
  const [first] = candidates;
  if (first === undefined) return undefined;
  let end = first.length;
  while (!candidates.every((candidate) => candidate.startsWith(first.slice(0, end)))) end--;
  return first.slice(0, end);
}
