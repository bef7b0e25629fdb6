import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { compareWithKubectl } from "../helpers/compare-with-kubectl.js";
import { installProgram, runProgram } from "../helpers/program-under-test.js";
import { quietCluster } from "../helpers/quiet-cluster.js";
import { previousKubectl, realTool, SHORT_LIVED } from "../helpers/real-tools.js";
import { type CliResult, runCli } from "../helpers/run-cli.js";

// What kubectl 1.37.1 does in another way than 1.36.3, by its requirement. docs/kubectl-1.37.md lists it.

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl 1.37 is not compared: ${kubectl.missing}\n`);

const PROBE = "{httpGet: {path: /ready, port: 80}, initialDelaySeconds: 3}";
const crowd = (index: number): string => `---
apiVersion: v1
kind: Pod
metadata: {name: crowd-${index}}
spec: {nodeName: two, containers: [{name: web, image: web}]}
`;
const FILES: Readonly<Record<string, string>> = {
  "objects.yaml": `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  podManagementPolicy: Parallel
  selector: {matchLabels: {app: db}}
  template: {metadata: {labels: {app: db}}, spec: {containers: [{name: db, image: db, readinessProbe: ${PROBE}}]}}
---
apiVersion: v1
kind: Node
metadata: {name: one}
---
apiVersion: v1
kind: Pod
metadata: {name: web, annotations: {note: old}}
spec: {nodeName: one, containers: [{name: web, image: web}]}
---
apiVersion: v1
kind: Node
metadata: {name: two}
${Array.from({ length: 12 }, (_, index) => crowd(index)).join("")}`,
  "folder/deep/web.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n",
  "strict.yaml": "apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\nbogus: 1\n",
  "old.yaml":
    "apiVersion: kubectl.config.k8s.io/v1alpha1\nkind: Preference\noverrides:\n- command: get\n  flags: [{name: output, default: wide}]\n",
};

const UNMANAGED = /^Warning: deleting Pods that declare no controller: .*\n$/;

/** A command line, and what it prints: all of it, or a part. */
type Row = readonly [title: string, words: string, said: Partial<Record<"stdout" | "stderr", string | RegExp>>];

const refused = (message: string) => ({ stderr: `error: ${message}\n` });
const IGNORED = "it is ignored by kubectl run and will be removed in a future release\n";

const ROWS: readonly Row[] = [
  [
    "K37-200: annotate reads folders below unless told otherwise",
    "annotate --help",
    { stdout: /^ {4}-R, --recursive=true:$/m },
  ],
  ["K37-200: --proxy-url is among the global flags", "options", { stdout: /^ {4}--proxy-url='':$/m }],
  ["K37-200: explain has --max-depth", "explain --help", { stdout: /^ {4}--max-depth=0:$/m }],
  ["K37-200: explain names its operand", "explain --help", { stdout: /^ +TYPE\.FIELDNAME\[\.FIELDNAME\]$/m }],
  ["K37-200: run hides -f", "run --help", { stdout: /^(?![^]*\n {4}-f, --filename=)[^]*\nOptions:\n/ }],
  [
    "K37-201: a type that is in no group of that name",
    "get pdb.hpa",
    refused(`the server doesn't have a resource type "pdb" in group "hpa"`),
  ],
  ["K37-201: a type without a group", "get nope", refused(`the server doesn't have a resource type "nope"`)],
  [
    "K37-202: -L beside custom columns",
    "get pods -L app -o custom-columns=N:.metadata.name",
    refused("--label-columns option cannot be used with custom-columns=N:.metadata.name printer"),
  ],
  [
    "K37-203: describe spells the thresholds of probes out",
    "describe sts db",
    { stdout: /delay=3s timeout=1s period=10s successThreshold=1 failureThreshold=3\n/ },
  ],
  [
    "K37-204: describe shows service, management and retention of a StatefulSet",
    "describe sts db",
    {
      stdout:
        /^Annotations: +<none>\nService Name: +db\nPod Management Policy: +Parallel\nReplicas: [^]*Update Strategy: +RollingUpdate\n.*\nPersistent Volume Claim Retention Policy:\n {2}WhenDeleted: +Retain\n {2}WhenScaled: +Retain\nPods Status:/m,
    },
  ],
  [
    "K37-205: --max-depth without --recursive",
    "explain pods --max-depth=1",
    refused("--max-depth requires --recursive"),
  ],
  ["K37-205: a negative depth", "explain pods --max-depth=-1", refused("--max-depth must be non-negative")],
  [
    "K37-205: fields of one level",
    "explain pods --recursive --max-depth=1",
    {
      stdout:
        /\nFIELDS:\n {2}apiVersion\t<string>\n {2}kind\t<string>\n {2}metadata\t<ObjectMeta>\n {2}spec\t<PodSpec>\n/,
    },
  ],
  [
    "K37-205: fields of two levels of the older form",
    "explain pods.spec.affinity --recursive --max-depth=2 -o plaintext-openapiv2",
    {
      stdout:
        /FIELDS:\n {3}nodeAffinity\t<Object>\n {6}preferredDuring\S+\t<\[\]Object>\n {6}requiredDuring\S+\t<Object>\n {3}pod/,
    },
  ],
  [
    "K37-206: a restart policy that there is not",
    "run x --image=x --restart=Sometimes",
    refused("invalid restart policy: Sometimes, valid values are: Always, OnFailure, Never"),
  ],
  [
    "K37-206: a pull policy that there is not",
    "run x --image=x --image-pull-policy=Now",
    refused("invalid image pull policy: Now, valid values are: Always, IfNotPresent, Never"),
  ],
  ["K37-206: a port that is no number", "run x --image=x --port=http", refused("--port must be a number")],
  ["K37-206: an image's name", "run x --image=X", refused('invalid image name "X": invalid reference format')],
  ["K37-206: no hint at help", "run x --image=x --expose", refused("--port must be set when exposing a service")],
  [
    "K37-206: -f is deprecated",
    "run x --image=x --dry-run=client -o name -f objects.yaml",
    {
      stdout: "pod/x\n",
      stderr: `Flag shorthand -f has been deprecated, ${IGNORED}Flag --filename has been deprecated, ${IGNORED}`,
    },
  ],
  [
    "K37-206: run prints the pod before the service",
    "run x --image=x --port=80 --expose --dry-run=client",
    { stdout: "pod/x created (dry run)\nservice/x created (dry run)\n" },
  ],
  [
    "K37-207: annotate -f goes into folders",
    "annotate -f folder a=b --dry-run=client",
    { stdout: "pod/web annotated (dry run)\n" },
  ],
  [
    "K37-207: annotate -R=false does not",
    "annotate -f folder -R=false a=b --dry-run=client",
    { stderr: /^error: error reading \[folder\]: recognized file extensions are / },
  ],
  [
    "K37-207: annotate --list with -o",
    "annotate pod web --list -o yaml",
    refused("--list and --output may not be specified together"),
  ],
  [
    "K37-208: exec takes one word before the dashes",
    "exec web date -- ls",
    {
      stderr:
        "error: exec [POD] [COMMAND] is not supported anymore. Use exec [POD] -- [COMMAND] instead\nSee 'kubectl exec -h' for help and examples\n",
    },
  ],
  [
    "K37-209: a server's dry run of a drain by deletion ends",
    "drain one --disable-eviction --dry-run=server --force",
    { stdout: "node/one cordoned (server dry run)\nnode/one drained (server dry run)\n", stderr: UNMANAGED },
  ],
  [
    "K37-220: evictions at the same time print whole lines",
    "drain two --dry-run=server --force",
    {
      stdout:
        /^node\/two cordoned \(server dry run\)\n(?:evicting pod default\/crowd-\d+ \(server dry run\)\n){12}node\/two drained \(server dry run\)\n$/,
      stderr: UNMANAGED,
    },
  ],
  [
    "K37-210: an amount without a value",
    "set resources sts db --limits=cpu",
    refused("invalid argument syntax cpu, expected <resource>=<value>"),
  ],
  [
    "K37-211: a proxy of another scheme",
    "get pods --proxy-url=bad",
    {
      stderr:
        /^error: invalid 'proxy-url' "bad" for cluster "[^"]+": unsupported scheme "", must be http, https, or socks5\n$/,
    },
  ],
  [
    "K37-211: a proxy that is not there",
    "get pods --proxy-url=http://127.0.0.1:1",
    { stderr: /^The connection to the server / },
  ],
  [
    "K37-212: kuberc view refuses unknown fields",
    "kuberc view --kuberc strict.yaml",
    { stderr: /error: error reading kuberc file: strict decoding error: unknown field "bogus"\n$/ },
  ],
  [
    "K37-212: kuberc set refuses them too",
    "kuberc set --section defaults --command get --option output=wide --kuberc strict.yaml",
    { stderr: /error: error reading kuberc file: strict decoding error: unknown field "bogus"\n$/ },
  ],
  [
    "K37-212: a file of v1alpha1 is shown as v1beta1",
    "kuberc view --kuberc old.yaml",
    {
      stdout:
        "aliases: []\napiVersion: kubectl.config.k8s.io/v1beta1\ndefaults:\n- command: get\n  options:\n  - default: wide\n    name: output\nkind: Preference\n",
    },
  ],
  [
    "K37-215: a proxy whose filter is relaxed",
    "proxy --reject-paths= --port=1 --unix-socket=x",
    {
      stderr:
        /^W\d+ .* proxy\.go:182\] Request filter has been relaxed, your proxy may be vulnerable to attacks, please be cautious\nerror: cannot set --unix-socket and --port at the same time\n$/,
    },
  ],
  ["K37-218: kyaml cannot be turned off", "get ns default -o kyaml", { stdout: /^---\n\{\n/ }],
  ["K37-219: the version", "version --client", { stdout: "Client Version: v1.37.1\nKustomize Version: v5.8.1\n" }],
  [
    "K37-219: all of the version",
    "version --client -o yaml",
    {
      stdout:
        /gitCommit: f78e722310e50bcaca9276be22276d9e91d91308\n.*\n {2}gitVersion: v1\.37\.1\n {2}goVersion: go1\.26\.8\n/,
    },
  ],
];

describe("kubets prints what kubectl 1.37.1 prints, where 1.36.3 differs", () => {
  const folder = mkdtempSync(join(tmpdir(), "kubets-1.37-"));
  const agents: string[] = [];
  let cluster: Cluster;
  const env = {
    HOME: folder,
    KUBECONFIG: join(folder, "config"),
    PATH: "/usr/bin:/bin",
    LC_ALL: "C",
    TZ: "UTC",
    KUBECTL_KYAML: "false",
  };

  beforeAll(async () => {
    cluster = await startCluster({
      ...quietCluster,
      kubernetesVersion: "1.37",
      onRequest: ({ headers }) => agents.push(headers["user-agent"] ?? ""),
    });
    writeFileSync(env.KUBECONFIG, cluster.kubeconfig(), { mode: 0o600 });
    mkdirSync(join(folder, "folder/deep"), { recursive: true });
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    expect(await runOurs("create -f objects.yaml")).toMatchObject({ code: 0, stderr: "" });
  });
  afterAll(async () => {
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const runOurs = (words: string): Promise<CliResult> => runCli(words.split(" "), { env, cwd: folder });
  const runReal = (words: string, path = kubectl.path): Promise<CliResult> =>
    runProgram(path, words.split(" "), { cwd: folder, env: { ...SHORT_LIVED, ...env } });

  test.each(ROWS)("%s", async (_title, words, { stdout, stderr = "" }) => {
    const check = (result: CliResult): void => {
      if (stdout !== undefined)
        expect(result.stdout).toEqual(typeof stdout === "string" ? stdout : expect.stringMatching(stdout));
      expect(result.stderr).toEqual(typeof stderr === "string" ? stderr : expect.stringMatching(stderr));
      expect(result.code).toBe(stdout === undefined ? 1 : 0);
    };
    check(await runOurs(words));
    if (kubectl.missing === undefined) check(await runReal(words));
  });

  test("K37-213: cluster-info dump writes files that only their owner can read", async () => {
    const { statSync } = await import("node:fs");
    await runOurs("cluster-info dump --output-directory=dump");
    const modes = ["dump", "dump/default", "dump/nodes.json", "dump/default/pods.json"].map((name) =>
      (statSync(join(folder, name)).mode & 0o777).toString(8),
    );
    expect(modes).toEqual(["700", "700", "600", "600"]);
  });

  test("K37-214: a plugin is told the program that runs it", async () => {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    installProgram(join(bin, "kubectl"));
    const plugin = '#!/bin/sh\n"$KUBECTL_PATH" version --client\n';
    writeFileSync(join(bin, "kubectl-again"), plugin, { mode: 0o755 });
    const withPlugin = { ...env, PATH: `${bin}:${env.PATH}`, KUBECTL_PATH: "/nowhere" };
    const again = (path: string) => runProgram(path, ["again"], { cwd: folder, env: withPlugin });
    const expected = { code: 0, stdout: "Client Version: v1.37.1\nKustomize Version: v5.8.1\n", stderr: "" };
    expect(await again(join(bin, "kubectl"))).toEqual(expected);
    if (kubectl.missing === undefined) expect(await again(kubectl.path)).toEqual(expected);
  });

  test("K37-219: requests have kubectl's User-Agent", async () => {
    agents.length = 0;
    await runOurs("get pods");
    if (kubectl.missing === undefined) await runReal("get pods");
    expect(new Set(agents)).toEqual(new Set(["kubectl/v1.37.1 (linux/amd64) kubernetes/f78e722"]));
  });

  test("K37-268: this client works with a 1.36 server, and the older kubectl with a 1.37 server", async () => {
    const older = await startCluster({ ...quietCluster, kubernetesVersion: "1.36" });
    try {
      writeFileSync(join(folder, "older"), older.kubeconfig(), { mode: 0o600 });
      const { stdout } = await runOurs(`version --kubeconfig=older`);
      expect(stdout).toBe("Client Version: v1.37.1\nKustomize Version: v5.8.1\nServer Version: v1.36.3+kubets\n");
    } finally {
      await older.close();
    }
    const previous = previousKubectl();
    if (previous.missing !== undefined) return void process.stdout.write(`${previous.missing}\n`);
    expect(await runReal("version", previous.path)).toEqual({
      code: 0,
      stdout: "Client Version: v1.36.3\nKustomize Version: v5.8.1\nServer Version: v1.37.1+kubets\n",
      stderr: "",
    });
    const made = "configmap/older created\nconfigmap/older labeled\n";
    const lines = ["create cm older --from-literal=a=b", "label cm older a=b"];
    const outputs = [];
    for (const line of lines) outputs.push((await runReal(line, previous.path)).stdout);
    expect(outputs.join("")).toBe(made);
  });
});

describe.skipIf(kubectl.missing !== undefined)("kubets prints what kubectl 1.37.1 prints of scripted answers", () => {
  test("K37-217: when a StatefulSet disappears during rollout status, the error names it", async () => {
    const path = "GET /apis/apps/v1/namespaces/default/statefulsets/db";
    const found = {
      body: { kind: "StatefulSet", apiVersion: "apps/v1", metadata: { name: "db", namespace: "default" } },
    };
    const { real, ours } = await compareWithKubectl(["rollout", "history", "statefulsets/db"], {
      served: { v1: [], "apps/v1": [["statefulsets", "StatefulSet", true]] },
      answers: { [path]: [found, { code: 404, reason: "NotFound" }] },
    });
    expect(ours).toEqual(real);
    expect(real.stderr).toMatch(/failed to retrieve StatefulSet db: /);
  });

  test("K37-220: a table column is as wide as the bytes of its longest cell, including text that is cut at a line end", async () => {
    const row = (name: string, text: string) => ({
      cells: [name, text, "z"],
      object: { kind: "Thing", metadata: { name } },
    });
    const column = (name: string) => ({ name, type: "string", format: "", description: "", priority: 0 });
    const rows = [row("a", "one\nlonger line that is cut"), row("b", "äöüäöüäöüäöü")];
    const table = {
      kind: "Table",
      apiVersion: "meta.k8s.io/v1",
      metadata: {},
      columnDefinitions: ["Name", "Text", "Last"].map(column),
      rows,
    };
    for (const words of ["get things", "get things --no-headers"]) {
      const { real, ours } = await compareWithKubectl(words.split(" "), {
        served: { v1: [["things", "Thing", true]] },
        answers: { "GET /api/v1/namespaces/default/things": [{ body: table }] },
      });
      expect(ours).toEqual(real);
      if (words === "get things") expect(real.stdout).toMatch(/^NAME {3}TEXT {26}LAST\n/);
    }
  });
});
