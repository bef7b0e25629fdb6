import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { type ServedCluster, startByProgram } from "../helpers/cluster-under-test.js";
import { executableMissing, linkExecutable } from "../helpers/program-under-test.js";
import { realTool } from "../helpers/real-tools.js";
import { type KubectlResult, realKubectl, type RealKubectl } from "../helpers/run-real-kubectl.js";

const kubectl = realTool("kubectl");
if (kubectl.missing !== undefined) process.stdout.write(`kubectl does not judge the executable: ${kubectl.missing}\n`);

const SPDY = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false", KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" };
const PROGRAMS = [
  { client: "the executable", missing: executableMissing },
  { client: "kubectl 1.37.1", missing: executableMissing ?? kubectl.missing },
];
const CLIENTS = PROGRAMS.flatMap((program) => [
  { ...program, over: "WebSockets", env: {} },
  { ...program, over: "SPDY", env: SPDY },
]);

/** One command line, and how it ends. A text is the whole of what is written. */
interface Row {
  readonly argv: string | readonly string[];
  readonly stdin?: string;
  readonly code?: number;
  readonly stdout: string | RegExp;
  readonly stderr?: string | RegExp;
}

const ATTACHED = /^All commands and output .*\nIf you don't see a command prompt, try pressing enter\.\n$/;
const LARGE = "0123456789abcde\n".repeat(200_000);

const script = (text: string): readonly string[] => ["sh", "-c", text];

const ROWS: readonly Row[] = [
  { argv: "logs web", stdout: "started\nto stderr\n" },
  { argv: "logs web --timestamps --tail=1", stdout: /^\d{4}-\d\d-\d\dT\S+Z to stderr\n$/ },
  { argv: "logs web --limit-bytes=5 --since=1h", stdout: "start" },
  { argv: "logs -l run=web --prefix", stdout: "[pod/web/web] started\n[pod/web/web] to stderr\n" },
  { argv: "logs crash -p", stdout: "attempt\n" },
  {
    argv: "logs web -p",
    code: 1,
    stdout: "",
    stderr: 'Error from server (BadRequest): previous terminated container "web" in pod "web" not found\n',
  },
  { argv: "exec web -- cat /etc/hostname", stdout: "web\n" },
  {
    argv: ["exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3"],
    code: 3,
    stdout: "out\n",
    stderr: "err\ncommand terminated with exit code 3\n",
  },
  { argv: "exec -i web -- cat", stdin: LARGE, stdout: LARGE },
  // Patterns whose flags count.
  {
    argv: [
      "exec",
      "web",
      "--",
      ...script("echo Kubets | grep -io KU; echo Kubets | sed 's/KUB/b/I'; echo ab | grep -oE 'a|ab'"),
    ],
    stdout: "Ku\nbets\nab\n",
  },
  {
    argv: "exec web -- no-such-program",
    code: 1,
    stdout: "",
    stderr: /exec: "no-such-program": executable file not found in \$PATH/,
  },
  {
    argv: "exec web -c none -- true",
    code: 1,
    stdout: "",
    stderr: /container none(?: not found in pod web_default| is not valid for pod web)/,
  },
  // kubectl in a container is the executable's own command line.
  {
    argv: ["exec", "web", "--", ...script("kubectl auth whoami -o jsonpath={.status.userInfo.username} | tr a-z A-Z")],
    stdout: /^SYSTEM:SERVICEACCOUNT:\S+:DEFAULT$/,
  },
  {
    argv: "exec web -- kubectl get pod web",
    code: 1,
    stdout: "",
    stderr:
      /^Error from server \(Forbidden\): pods "web" is forbidden: User "system:serviceaccount:\S+:default" cannot get resource "pods" .*\ncommand terminated with exit code 1\n$/,
  },
  {
    argv: "exec web -- kubectl apply -f /etc/passwd",
    code: 1,
    stdout: "",
    stderr: 'error: the path "/etc/passwd" does not exist\ncommand terminated with exit code 1\n',
  },
  { argv: "attach -i chat", stdin: "hello\n", stdout: "hello\n", stderr: ATTACHED },
  {
    argv: "run once -i --rm --image=busybox --restart=Never -- cat",
    stdin: "hello\n",
    stdout: /^hello\npod "once" deleted from \S+ namespace\n$/,
    stderr: ATTACHED,
  },
  {
    argv: ["debug", "-i", "web", "--image=busybox", "-c", "debugger", "--", ...script("read line; echo $line")],
    stdin: "hello\n",
    stdout: /^(?:pod\/web gets .*\n)?hello\n$/,
    stderr: ATTACHED,
  },
  {
    argv: ["debug", "-i", "node/node-1", "--image=busybox", "--", ...script("read line; echo $line")],
    stdin: "hello\n",
    stdout: /^Creating debugging pod .*\nhello\n$/,
    stderr: ATTACHED,
  },
  { argv: "get --raw /api/v1/nodes/node-1/proxy/healthz", stdout: "ok" },
  { argv: "get --raw /api/v1/nodes/node-1/proxy/containerLogs/NAMESPACE/web/web", stdout: "started\nto stderr\n" },
  { argv: "get --raw /api/v1/nodes/node-1/proxy/stats/summary", stdout: /^\{"node":\{"nodeName":"node-1",/ },
  {
    argv: "get --raw /api/v1/namespaces/NAMESPACE/pods/web:8080/proxy/",
    code: 1,
    stdout: "",
    stderr:
      /^Error from server \(ServiceUnavailable\): error trying to reach service: dial tcp \S+:8080: connect: connection refused\n$/,
  },
  {
    argv: "get --raw /api/v1/namespaces/NAMESPACE/services/web:80/proxy/",
    code: 1,
    stdout: "",
    stderr:
      /^Error from server \(ServiceUnavailable\): error trying to reach service: dial tcp \S+:8080: connect: connection refused\n$/,
  },
  { argv: "top pod web --no-headers", stdout: /^web +\d+m +\d+Mi *\n$/ },
  { argv: "top node node-1 --no-headers", stdout: /^node-1 +\d+m +\d+% +\d+Mi +\d+% *\n$/ },
];

const pod = (name: string, command: readonly string[], container: object = {}, spec: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { run: name } },
  spec: { terminationGracePeriodSeconds: 0, ...spec, containers: [{ name, image: "busybox", command, ...container }] },
});
const OBJECTS = [
  pod("web", script("echo started; echo to stderr >&2; sleep 1h")),
  pod("crash", script("echo attempt; exit 3")),
  pod("chat", ["cat"], { stdin: true, stdinOnce: true }, { restartPolicy: "Never" }),
  pod(
    "counts",
    script("echo one; while [ ! -e /tmp/go ]; do sleep 0.05; done; echo two"),
    {},
    { restartPolicy: "Never" },
  ),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web" },
    spec: { selector: { run: "web" }, ports: [{ port: 80, targetPort: 8080 }] },
  },
];

/** The text of a process' output once it matches; throws all of it when the process ends before. */
function shown(child: ChildProcess, wanted: RegExp): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        text += chunk;
        const found = wanted.exec(text);
        if (found !== null) resolve(found);
      });
    }
    child.once("close", (code) => reject(new Error(`ended with ${String(code)}: ${text}`)));
  });
}

async function read(url: string): Promise<string> {
  const [response] = (await once(get(url, { agent: false }), "response")) as [AsyncIterable<Buffer>];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return text;
}

describe.skipIf(executableMissing !== undefined)("pods of a cluster that the executable runs without Node", () => {
  let folder: string;
  let cluster: ServedCluster;
  let executable: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "kubets-pods-"));
    executable = join(folder, "kubets");
    linkExecutable(executable);
    cluster = await startByProgram([executable]);
  });
  afterAll(async () => {
    await cluster?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe.each(CLIENTS)("for $client over $over", ({ client, over, missing, env }) => {
    if (missing !== undefined) return test.skip(missing, () => {});
    const namespace = `${client}-${over}`.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
    let user: RealKubectl;
    const inNamespace = (text: string): string => text.replaceAll("NAMESPACE", namespace);

    beforeAll(async () => {
      const path = client === "the executable" ? executable : kubectl.path;
      user = await realKubectl(cluster, env, path);
      await user.ok(`create namespace ${namespace}`);
      await user.ok(`config set-context --current --namespace=${namespace}`);
      // A pod needs its account, which a controller makes.
      await eventually(() => user.ok("get serviceaccount default"));
      await user.ok("apply -f -", JSON.stringify({ apiVersion: "v1", kind: "List", items: OBJECTS }));
      await user.ok("wait pod/web pod/chat pod/counts --for=condition=Ready --timeout=100s");
      await user.ok([
        "wait",
        "pod/crash",
        "--for=jsonpath={.status.containerStatuses[0].lastState.terminated.exitCode}=3",
        "--timeout=100s",
      ]);
      await user.ok(["wait", "endpoints/web", "--for=jsonpath={.subsets[0].ports[0].port}=8080", "--timeout=100s"]);
    });
    afterAll(async () => {
      await user?.[Symbol.asyncDispose]();
    });

    test.each(ROWS)("run commands: $argv", async ({ argv, stdin = "", code = 0, stdout, stderr = "" }) => {
      const words = (typeof argv === "string" ? argv.split(" ") : argv).map(inNamespace);
      expectOutcome(await user.run(words, stdin), { code, stdout, stderr });
    });

    test("are followed by logs -f until the container ends", async () => {
      const following = user.start("logs -f counts");
      const whole = shown(following, /^one\ntwo\n$/);
      await shown(following, /^one\n/);
      // It may end before the command does that ends the container.
      const closed = once(following, "close");
      await user.ok("exec counts -- touch /tmp/go");
      const [code] = await closed;
      await whole;
      expect(code).toBe(0);
    });

    test("exchange a folder with cp", async () => {
      const there = join(user.folder, "there");
      mkdirSync(join(there, "below"), { recursive: true });
      writeFileSync(join(there, "below", "text"), "text\n");
      writeFileSync(join(there, "bytes"), Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251)));
      await user.ok("cp there web:/tmp/there");
      expect(await user.ok("exec web -- ls /tmp/there")).toBe("below\nbytes\n");
      await user.ok("cp web:/tmp/there back");
      const names = (of: string): readonly string[] =>
        readdirSync(of, { recursive: true, encoding: "utf8" }).toSorted();
      expect(names(join(user.folder, "back"))).toEqual(names(there));
      for (const name of ["bytes", "below/text"]) {
        expect(readFileSync(join(user.folder, "back", name)).equals(readFileSync(join(there, name)))).toBe(true);
      }
    });

    test("are reached by port-forward, which refuses a port where nothing listens", async () => {
      const forward = user.start("port-forward pod/web :8080");
      const refusal = shown(forward, /error forwarding port 8080 to pod \S+, uid : .*connection refused/);
      const [, port = ""] = await shown(forward, /^Forwarding from 127\.0\.0\.1:(\d+) -> 8080\n/m);
      const socket = connect(Number(port), "127.0.0.1");
      await Promise.all([
        refusal,
        once(
          socket.resume().on("error", () => {}),
          "close",
        ),
      ]);
      forward.kill("SIGINT");
      await once(forward, "close");
    });

    test("are copied by debug", async () => {
      await user.ok(["debug", "web", "--copy-to=copy", "--container=web", "--", ...script("echo copied; sleep 1h")]);
      await user.ok("wait pod/copy --for=condition=Ready --timeout=100s");
      expect(await user.ok("logs copy")).toBe("copied\n");
    });

    test("serve logs and exec through proxy", async () => {
      const proxy = user.start(["proxy", "--port=0", "--reject-paths=^$"]);
      const [, address = ""] = await shown(proxy, /^Starting to serve on (\S+)\n/);
      try {
        const pods = `http://${address}/api/v1/namespaces/${namespace}/pods`;
        expect(await read(`${pods}/web/log`)).toBe("started\nto stderr\n");
        const through = ["--kubeconfig=/dev/null", `--server=http://${address}`, `--namespace=${namespace}`];
        expect(await user.ok([...through, "exec", "-i", "web", "--", "cat"], "hello\n")).toBe("hello\n");
      } finally {
        proxy.kill("SIGINT");
        await once(proxy, "close");
      }
    });
  });
});

function expectOutcome(found: KubectlResult, { code, stdout, stderr }: Required<Omit<Row, "argv" | "stdin">>): void {
  const like = (text: string | RegExp): string =>
    typeof text === "string" ? text : (expect.stringMatching(text) as string);
  expect(found).toEqual({ code, stdout: like(stdout), stderr: like(stderr) });
}
