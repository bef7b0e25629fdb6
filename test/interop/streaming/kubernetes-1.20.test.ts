import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { object, text } from "../../../src/machinery/meta/access.js";
import type { ByteStream } from "../../../src/machinery/wire/streams/byte-stream.js";
import type { NodeAgent } from "../../../src/node/node-agent.js";
import { type EtcdServer, etcdMissing, startEtcd } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { kubernetesMissing, type RealApiServer, startKubernetes } from "../../helpers/kubernetes-1.20.js";
import { type KubeletTrust, kubeletTrust, scriptedRuntime, startOutsideNode } from "../../helpers/outside-node.js";
import { installProgram } from "../../helpers/program-under-test.js";
import { realTool } from "../../helpers/real-tools.js";
import { type KubectlResult, type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

// kubectl and kubets enter pods of our node through a real kube-apiserver 1.20, which passes their upgrades on to the node.
const missing = etcdMissing ?? kubernetesMissing ?? realTool("kubectl").missing;
if (missing !== undefined) process.stdout.write(`our node behind kube-apiserver 1.20 is skipped: ${missing}\n`);

const PROTOCOLS = [
  ["WebSockets first", {}],
  ["SPDY", { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: "false", KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" }],
] as const;

const LARGE = "line\n".repeat(200_000);

/** Nothing binds pods here. */
const ON_NODE = ["--image=busybox", "--restart=Never", '--overrides={"spec":{"nodeName":"node-1"}}'];

async function echo(connection: ByteStream): Promise<void> {
  for await (const chunk of connection) await connection.write(chunk);
  await connection.end();
}

describe.skipIf(missing !== undefined)("pods of kubets node behind kube-apiserver 1.20", () => {
  let trust: KubeletTrust;
  let etcd: EtcdServer;
  let server: RealApiServer;
  let node: NodeAgent;
  const faults: unknown[] = [];

  const pod = async (name: string, containers: readonly object[]): Promise<void> => {
    const spec = { nodeName: "node-1", restartPolicy: "Never", terminationGracePeriodSeconds: 0, containers };
    const collection = "/api/v1/namespaces/default/pods";
    const created = await server.call("POST", collection, { metadata: { name, labels: { app: name } }, spec });
    expect(created.status, created.text).toBe(201);
    await eventually(async () => {
      const { status } = JSON.parse((await server.call("GET", `${collection}/${name}`)).text) as { status: unknown };
      expect(text(object(status).phase)).not.toBe("Pending");
    });
  };

  beforeAll(async () => {
    trust = kubeletTrust();
    etcd = await startEtcd();
    // No controller makes service accounts here.
    const more = [...trust.flags, "--disable-admission-plugins=ServiceAccount"];
    server = await startKubernetes({ etcd: etcd.endpoint, more });
    const images = { served: { ports: { 7: echo } }, bare: { shell: false } };
    node = await startOutsideNode(server.transport, trust.tls, scriptedRuntime(images), (error) => faults.push(error));
    await pod("web", [{ name: "main", image: "served" }]);
    await pod("pair", [
      { name: "first", image: "busybox" },
      { name: "second", image: "busybox" },
    ]);
    await pod("bare", [{ name: "main", image: "bare" }]);
    await pod("talks", [
      { name: "main", image: "busybox", command: ["sh", "-c", "echo one; echo two >&2; sleep 1000"] },
    ]);
    await pod("ended", [{ name: "main", image: "busybox", command: ["sh", "-c", "echo last; exit 3"] }]);
  });
  afterAll(async () => {
    await node?.stop();
    await server?.stop();
    await etcd?.dispose();
    trust?.[Symbol.dispose]();
  });

  test("run, and the node is ready", async () => {
    const { status, text: answer } = await server.call("GET", "/api/v1/nodes/node-1");
    expect([status, answer]).toEqual([200, expect.stringContaining('"type":"Ready","status":"True"')]);
    const ended = await eventually(async () => {
      const found = await server.call("GET", "/api/v1/namespaces/default/pods/ended");
      expect(found.at("status.phase")).toBe("Failed");
      return found;
    });
    expect(ended.at("status.containerStatuses.0.state.terminated.exitCode")).toBe(3);
  });

  describe.each(PROTOCOLS)("used by kubectl and kubets, with %s", (protocol, env) => {
    let kubectl: RealKubectl;
    let kubets: RealKubectl;
    let attached = 0;

    beforeAll(async () => {
      kubectl = await realKubectl(server, env);
      const program = join(kubectl.folder, "bin", "kubectl");
      mkdirSync(join(kubectl.folder, "bin"));
      installProgram(program);
      kubets = await realKubectl(server, env, program);
      for (const { folder } of [kubectl, kubets]) {
        mkdirSync(join(folder, "tree", "below"), { recursive: true });
        writeFileSync(join(folder, "tree", "a"), "a\n");
        writeFileSync(
          join(folder, "tree", "below", "binary"),
          Buffer.from(LARGE).map((byte, index) => byte ^ index),
        );
        chmodSync(join(folder, "tree", "a"), 0o640);
      }
    });
    afterAll(async () => {
      await kubets?.[Symbol.asyncDispose]();
      await kubectl?.[Symbol.asyncDispose]();
    });

    const LINES: readonly { readonly code: number; readonly line: readonly string[]; readonly stdin?: string }[] = [
      { code: 3, line: ["exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3"] },
      { code: 1, line: ["exec", "web", "--", "nosuch"] },
      { code: 1, line: ["exec", "bare", "--", "sh"] },
      { code: 0, line: ["exec", "pair", "--", "hostname"] },
      { code: 0, line: ["exec", "pair", "-c", "second", "-q", "--", "hostname"] },
      { code: 1, line: ["exec", "pair", "-c", "third", "--", "hostname"] },
      { code: 0, line: ["exec", "-i", "web", "--", "cat"], stdin: "hello\n" },
      { code: 0, line: ["exec", "-i", "web", "--", "cat"], stdin: LARGE },
      { code: 0, line: ["exec", "-i", "web", "--", "sha256sum"], stdin: LARGE },
      { code: 0, line: ["exec", "-it", "web", "--", "cat"], stdin: "hello\n" },
      { code: 0, line: ["exec", "-t", "web", "--", "echo", "hello"] },
      { code: 1, line: ["exec", "none", "--", "ls"] },
      { code: 1, line: ["exec", "ended", "--", "ls"] },
      { code: 0, line: ["run", "once", "-iq", "--rm", ...ON_NODE, "--", "cat"], stdin: "hello\n" },
      { code: 5, line: ["run", "once", "-iq", "--rm", ...ON_NODE, "--", "sh", "-c", "cat; exit 5"], stdin: LARGE },
      { code: 0, line: ["logs", "talks"] },
      { code: 0, line: ["logs", "talks", "--tail=1"] },
      { code: 1, line: ["logs", "talks", "-c", "none"] },
      { code: 0, line: ["logs", "ended", "-f"] },
      { code: 0, line: ["logs", "-l", "app=talks", "--prefix"] },
      { code: 1, line: ["attach", "ended"] },
      { code: 1, line: ["attach", "web", "-c", "none"] },
      { code: 0, line: ["cp", "tree/a", "web:/tmp/a"] },
      { code: 0, line: ["exec", "web", "--", "stat", "-c", "%a %s", "/tmp/a"] },
      { code: 0, line: ["cp", "tree", "pair:/tmp", "-c", "second"] },
      { code: 0, line: ["exec", "pair", "-c", "second", "--", "sha256sum", "/tmp/tree/below/binary"] },
      { code: 0, line: ["cp", "pair:/tmp/tree", "back", "-c", "second"] },
      { code: 0, line: ["cp", "web:/tmp/a", "file"] },
      { code: 1, line: ["cp", "tree/a", "bare:/tmp/a"] },
      { code: 1, line: ["cp", "tree/a", "none:/tmp/a"] },
      { code: 1, line: ["port-forward", "web", "x"] },
      { code: 1, line: ["port-forward", "ended", "80"] },
      { code: 1, line: ["port-forward", "none", "80"] },
    ];

    const titled = LINES.map((row) => ({ ...row, title: row.line.join(" ") }));

    test.each(titled)("$title: both exit with $code and print the same", async ({ code, line, stdin }) => {
      const theirs = await kubectl.run(line, stdin);
      expect(theirs.code, theirs.stderr).toBe(code);
      expect(comparable(await kubets.run(line, stdin))).toEqual(comparable(theirs));
    });

    test("cp brought back the same folder for both", async () => {
      const [theirs, ours] = await Promise.all([kubectl, kubets].map(({ folder }) => contents(join(folder, "back"))));
      expect(ours).toEqual(theirs);
      expect(Object.keys(ours ?? {}).sort()).toEqual(["a", "below/binary"]);
    });

    test("attach -i: the running program reads the input and ends", async () => {
      const attach = async (program: RealKubectl): Promise<KubectlResult> => {
        const name = `chat-${PROTOCOLS.findIndex(([one]) => one === protocol)}-${attached++}`;
        await pod(name, [{ name: "main", image: "busybox", stdin: true, stdinOnce: true, command: ["cat"] }]);
        return program.run(["attach", "-i", name], LARGE);
      };
      const theirs = await attach(kubectl);
      expect(theirs).toMatchObject({ code: 0, stdout: LARGE });
      expect(await attach(kubets)).toEqual(theirs);
    });

    test("port-forward carries connections, and ends at a port where nothing listens", async () => {
      const theirs = [await forwarded(kubectl, 7), await forwarded(kubectl, 81)];
      expect(theirs[0]).toMatchObject({ code: 0, answer: "all of it" });
      expect(theirs[1]).toMatchObject({ code: 1, answer: "0 bytes" });
      expect([await forwarded(kubets, 7), await forwarded(kubets, 81)]).toEqual(theirs);
    });
  });

  test("caused no error that the node reported", () => {
    expect(faults).toEqual([]);
  });
});

/** A program that cannot start ends the stream while kubectl may still write to it: only sometimes kubectl logs that. */
const COPY_FAILED = /^E\d{4} .* v2\.go:\d+\] "Copying stdin failed" .*\n/gm;
/** As sometimes when a connection to a port without a listener is still being read. */
const LOCAL_COPY_FAILED = /^E\d{4} .*"error copying from local connection to remote stream: .*\n/gm;

/** The ids of programs that a runtime starts are random. */
const comparable = ({ code, stdout, stderr }: KubectlResult): KubectlResult => ({
  code,
  stdout,
  stderr: stderr.replace(COPY_FAILED, "").replace(/\b[0-9a-f]{64}\b/g, "ID"),
});

async function contents(folder: string): Promise<Readonly<Record<string, string>>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile()) found[path.slice(folder.length + 1)] = await readFile(path, "latin1");
  }
  return found;
}

/** Sends LARGE through a port of "web", then interrupts a port-forward that has not ended itself. */
async function forwarded(program: RealKubectl, port: number) {
  const child = program.start(["port-forward", "web", `:${port}`, "--address=127.0.0.1"]);
  let stdout = "";
  let stderr = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk));
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const local = await eventually(() => Number(/:(\d+) ->/.exec(stdout)?.[1] ?? expect.fail(stderr)));
  const answer = await new Promise<string>((resolve) => {
    let received = "";
    const socket = connect({ port: local, host: "127.0.0.1", allowHalfOpen: true }, () => socket.end(LARGE));
    socket.on("data", (chunk) => (received += String(chunk)));
    socket.on("error", () => undefined).on("close", () => resolve(received));
  });
  if (answer !== "") child.kill("SIGINT");
  const code = await ended;
  const masked = (output: string): string =>
    output
      .replace(LOCAL_COPY_FAILED, "")
      .replaceAll(String(local), "PORT")
      .replace(/^E\d{4} [\d:.]+ +\d+ /gm, "E ");
  const told = answer === LARGE ? "all of it" : `${answer.length} bytes`;
  return { code, answer: told, stdout: masked(stdout), stderr: masked(stderr) };
}
