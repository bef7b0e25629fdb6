import { mkdtempSync, rmSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../../src/main.js";
import { done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";
import { type LocalKubelet, startLocalKubelet } from "../../helpers/local-kubelet.js";
import { realTool } from "../../helpers/real-tools.js";
import { type RealKubectl, realKubectl } from "../../helpers/run-real-kubectl.js";

const { missing } = realTool("kubectl");
if (missing !== undefined) process.stdout.write(`port-forward beside kubectl is skipped: ${missing}\n`);

/** Ports of the pods. */
const HTTP = 8080;
const ECHO = 7;
const UPPER = 9;
const CLOSED = 81;

let root: string;
let kubelet: LocalKubelet;
let kubectl: RealKubectl;
let busy: Server;
const servers: Server[] = [];

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "kubets-forward-"));
  const http = createHttpServer((request, response) => void request.pipe(response));
  const echo = createServer({ allowHalfOpen: true }, (socket) => socket.on("error", () => {}).pipe(socket));
  // Answers only once its client has sent everything.
  const upper = createServer({ allowHalfOpen: true }, (socket) => {
    let text = "";
    socket.on("error", () => {}).on("data", (chunk) => (text += String(chunk)));
    socket.on("end", () => socket.end(text.toUpperCase()));
  });
  busy = createServer();
  servers.push(http, echo, upper, busy);
  for (const server of servers) await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  kubelet = await startLocalKubelet({
    folder: root,
    ports: { [HTTP]: portOf(http), [ECHO]: portOf(echo), [UPPER]: portOf(upper) },
  });
  const web = [
    { name: "http", containerPort: HTTP },
    { name: "echo", containerPort: ECHO },
    { name: "dns", containerPort: 53, protocol: "UDP" },
  ];
  await kubelet.pod("web", { labels: { app: "web" }, containers: [{ name: "c", ports: web }] });
  await kubelet.pod("plain");
  await kubelet.pod("pending", { phase: "Pending" });
  const api = kubelet.cluster.transport();
  const ports = [
    { name: "www", port: 80, targetPort: "http" },
    { name: "echo", port: 700, targetPort: ECHO },
    { name: "same", port: UPPER },
    { name: "missing", port: 5, targetPort: "none" },
    { name: "udp", port: 53, protocol: "UDP" },
  ];
  for (const [name, spec] of [
    ["web", { selector: { app: "web" }, ports }],
    ["headless", { selector: { app: "web" }, clusterIP: "None", ports }],
    ["blind", { ports: [{ port: 80 }] }],
    ["empty", { selector: { app: "none" }, ports: [{ port: 80 }] }],
  ] as const) {
    await done(api, "POST", "/api/v1/namespaces/default/services", { metadata: { name }, spec });
  }
  await done(api, "POST", "/api/v1/namespaces/default/configmaps", { metadata: { name: "config" } });
  kubectl = await realKubectl(kubelet.cluster);
});

afterAll(async () => {
  await kubectl[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  for (const server of servers) server.close();
  rmSync(root, { recursive: true });
});

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** A command that forwards until it is stopped. */
class Forward implements AsyncDisposable {
  stdout = "";
  stderr = "";
  readonly ended: Promise<number>;
  readonly #stop = new AbortController();

  constructor(argv: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const [out, err] = [new PassThrough(), new PassThrough()];
    out.on("data", (chunk) => (this.stdout += String(chunk)));
    err.on("data", (chunk) => (this.stderr += String(chunk)));
    this.ended = main({
      argv: ["port-forward", ...argv],
      streams: { in: new PassThrough(), out, err },
      env: { HOME: kubectl.folder, KUBECONFIG: join(kubectl.folder, "kubeconfig"), ...env },
      cwd: kubectl.folder,
      program: "kubectl",
      signal: this.#stop.signal,
    });
  }

  /** The local port that the `index`th line names, once it is there. */
  async port(index = 0): Promise<number> {
    const line = await eventually(() => {
      const found = this.stdout.split("\n").filter((text) => text.startsWith("Forwarding from 127.0.0.1:"))[index];
      expect(found, this.stderr).toBeDefined();
      return found ?? "";
    });
    return Number(/:(\d+) ->/.exec(line)?.[1]);
  }

  async stop(signal = "SIGINT"): Promise<number> {
    this.#stop.abort(new Error(signal));
    return this.ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

const get = async (port: number, body = "hello"): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, headers: { connection: "close" } })).text();

async function dial(port: number): Promise<Socket> {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return socket;
}

/** Resolves once the other end sends no more. */
const overOf = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => socket.on("error", resolve).once("end", resolve).resume());

async function readAll(socket: Socket): Promise<string> {
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  return text;
}

describe("port-forward refuses the command lines that kubectl refuses, with its messages", () => {
  const lines = [
    "",
    "web",
    "web 0",
    "web x",
    "web 80:x",
    "web x:80",
    "web 80:",
    "web :",
    "web 70000",
    "web 80:70000",
    "web -- -1",
    "web +1",
    "web 53",
    "web :dns",
    "web 80 --address=here",
    "web 80 --address=",
    "web 80 --pod-running-timeout=0",
    "none 80",
    "pod/none 80",
    "pending 80",
    "plain http",
    "configmap/config 80",
    "service/none 80",
    "service/blind 80",
    "service/empty 80 --pod-running-timeout=1ms",
    "service/web 81",
    "service/web nothing",
    "service/web missing",
    "service/web 53",
    "service/web :udp",
    "service/web 80 x",
    "nothing/web 80",
    "web BUSY:80",
    "web BUSY:80 --address=127.0.0.1",
    "web 80 --address=203.0.113.9",
    "web 80 -n other",
  ];

  it.skipIf(missing !== undefined).each(lines)("%s", async (line) => {
    const argv = line === "" ? [] : line.replace("BUSY", String(portOf(busy))).split(" ");
    // Where a port is taken at one of two addresses, kubectl goes on with the other.
    if (line === "web BUSY:80") argv.push("--address=localhost,127.0.0.1");
    const ours = new Forward(argv);
    const [theirs, code] = await Promise.all([kubectl.run(["port-forward", ...argv]), ours.ended]);
    expect({ code, stdout: ours.stdout, stderr: ours.stderr }).toEqual({ ...theirs });
  });
});

describe("port-forward forwards as kubectl does", () => {
  const rows = [
    { line: "web :8080", at: 0 },
    { line: "pod/web :http", at: 0 },
    { line: "service/web :80", at: 0 },
    { line: "svc/web :www", at: 0 },
    { line: "svc/headless :8080 --address=127.0.0.1", error: "Service headless does not have a service port 8080" },
    { line: "web :8080 :7 --address=127.0.0.1", at: 0 },
    { line: "web :8080 --address=127.0.0.1,::1", at: 0 },
  ] as const;

  it.skipIf(missing !== undefined).each(rows)("with the command line $line", async (row) => {
    const child = kubectl.start(["port-forward", ...row.line.split(" ")]);
    let theirs = "";
    child.stdout?.on("data", (chunk) => (theirs += String(chunk)));
    child.stderr?.on("data", (chunk) => (theirs += String(chunk)));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    await using ours = new Forward(row.line.split(" "));
    if ("error" in row) {
      expect(await ended).toBe(await ours.ended);
      expect(ours.stderr).toBe(theirs);
      expect(theirs).toContain(row.error);
      return;
    }
    const portless = (text: string): string => text.replaceAll(/:\d+ ->|for \d+/g, "PORT");
    const port = await ours.port(row.at);
    const theirPort = await eventually(() => Number(/127\.0\.0\.1:(\d+) ->/.exec(theirs)?.[1] ?? expect.fail(theirs)));
    expect(await get(port)).toBe("hello");
    expect(await get(theirPort)).toBe("hello");
    await eventually(() => expect(portless(ours.stdout)).toBe(portless(theirs)));
    child.kill("SIGINT");
    expect(await ours.stop()).toBe(await ended);
    expect(portless(ours.stdout + ours.stderr)).toBe(portless(theirs));
  });

  it.skipIf(missing !== undefined)("to a port of the pod on which nothing listens", async () => {
    const argv = ["web", `:${CLOSED}`, "--address=127.0.0.1"];
    const child = kubectl.start(["port-forward", ...argv]);
    let theirs = "";
    let theirErrors = "";
    child.stdout?.on("data", (chunk) => (theirs += String(chunk)));
    child.stderr?.on("data", (chunk) => (theirErrors += String(chunk)));
    const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
    const ours = new Forward(argv);
    const theirPort = await eventually(() => Number(/127\.0\.0\.1:(\d+) ->/.exec(theirs)?.[1] ?? expect.fail(theirs)));
    const port = await ours.port();
    for (const one of [port, theirPort]) expect(await readAll(await dial(one)).catch(() => "")).toBe("");
    expect(await ours.ended).toBe(await ended);
    const timeless = (text: string): string =>
      text.replaceAll(/^E\d+ [\d:.]+ +\d+ /gm, "E ").replaceAll(/\d{4,5} ->|(?<=localPort=)\d+/g, "PORT");
    expect(timeless(ours.stderr)).toBe(timeless(theirErrors));
    expect(ours.stderr).toMatch(/error: lost connection to pod\n$/);
  });
});

describe("connections through port-forward", () => {
  it("can end in one direction and continue in the other", async () => {
    await using forward = new Forward(["web", `:${UPPER}`]);
    const socket = await dial(await forward.port());
    socket.write("half ");
    socket.end("closed");
    expect(await readAll(socket)).toBe("HALF CLOSED");
  });

  it("use SPDY alone where WebSockets are turned off", async () => {
    await using forward = new Forward(["web", `:${HTTP}`], { KUBECTL_PORT_FORWARD_WEBSOCKETS: "false" });
    expect(await get(await forward.port(), "spdy")).toBe("spdy");
  });

  it("may be a hundred at the same time", async () => {
    await using forward = new Forward(["web", `:${ECHO}`]);
    const port = await forward.port();
    const sockets = await Promise.all(Array.from({ length: 100 }, () => dial(port)));
    const texts = await Promise.all(
      sockets.map((socket, index) => {
        socket.end(`number ${index} `.repeat(1000));
        return readAll(socket);
      }),
    );
    expect(texts).toEqual(texts.map((_, index) => `number ${index} `.repeat(1000)));
  });

  it.each(["a WebSocket", "SPDY alone"])(
    "carry any amount of data, and those that are not read wait, over %s",
    async (transport) => {
      const webSockets = String(transport === "a WebSocket");
      await using forward = new Forward(["web", `:${ECHO}`], { KUBECTL_PORT_FORWARD_WEBSOCKETS: webSockets });
      const port = await forward.port();
      const stuck = await Promise.all([dial(port), dial(port)]);
      for (const one of stuck) one.on("error", () => {}).pause();
      // Networks hold four megabytes of a connection: what comes behind them waits where the forwarded ones share a connection.
      for (const one of stuck) one.write(Buffer.alloc(12 << 20));
      const large = await dial(port);
      large.end(Buffer.alloc(8 << 20, "x"));
      let length = 0;
      for await (const chunk of large) length += (chunk as Buffer).length;
      expect(length).toBe(8 << 20);
      for (const one of stuck) one.destroy();
    },
  );

  it.each([
    { signal: "SIGINT", program: "ends with code 0" },
    { signal: "SIGTERM", program: "dies of it" },
  ])("are closed by $signal, and the program $program", async ({ signal }) => {
    await using forward = new Forward(["web", `:${ECHO}`]);
    const port = await forward.port();
    const socket = await dial(port);
    const closed = overOf(socket);
    await eventually(() => expect(forward.stdout).toContain("Handling"));
    expect(await forward.stop(signal)).toBe(0);
    await closed;
    expect(await echoes(port)).toBe(false);
  });

  it("end when the connection to the pod ends", async () => {
    await using forward = new Forward(["web", `:${ECHO}`]);
    const socket = await dial(await forward.port());
    const closed = overOf(socket);
    await eventually(() => expect(forward.stdout).toContain("Handling"));
    kubelet.cutAll();
    await closed;
    expect(await forward.ended).toBe(1);
    expect(forward.stderr).toBe("error: lost connection to pod\n");
  });
});

describe("port-forward with options that kubectl does not have", () => {
  it("--reconnect continues with another pod on the same local port", async () => {
    await kubelet.pod("first", { labels: { app: "rolling" } });
    const api = kubelet.cluster.transport();
    const spec = { selector: { app: "rolling" }, ports: [{ port: HTTP }] };
    await done(api, "POST", "/api/v1/namespaces/default/services", { metadata: { name: "rolling" }, spec });
    await using forward = new Forward(["svc/rolling", `:${HTTP}`, "--reconnect"]);
    const port = await forward.port();
    expect(await get(port)).toBe("hello");
    await kubelet.pod("second", { labels: { app: "rolling" } });
    await done(api, "DELETE", "/api/v1/namespaces/default/pods/first?gracePeriodSeconds=0");
    kubelet.cutAll();
    await eventually(() => expect(forward.stderr).toContain("Connected again, to pod/second\n"));
    expect(forward.stderr).toMatch(/^Lost connection to pod\/first, connecting again\n/);
    expect(await get(port)).toBe("hello");
  });

  it("--reconnect holds new connections while there is no pod, and prints the reason once", async () => {
    await kubelet.pod("lonely");
    const api = kubelet.cluster.transport();
    await using forward = new Forward(["lonely", `:${HTTP}`, "--reconnect"]);
    const port = await forward.port();
    await done(api, "DELETE", "/api/v1/namespaces/default/pods/lonely?gracePeriodSeconds=0");
    kubelet.cutAll();
    await eventually(() => expect(forward.stderr).toContain('Cannot connect yet: pods "lonely" not found\n'));
    const answer = get(port, "patience");
    await kubelet.pod("lonely");
    expect(await answer).toBe("patience");
    expect(forward.stderr.match(/Cannot connect yet: pods/g)).toHaveLength(1);
  });

  it("--reconnect ends no other connections when one fails", async () => {
    await using forward = new Forward(["web", `:${ECHO}`, `:${CLOSED}`, "--reconnect", "--address=127.0.0.1"]);
    const socket = await dial(await forward.port());
    await readAll(await dial(await forward.port(1))).catch(() => "");
    await eventually(() => expect(forward.stderr).toContain("An error occurred forwarding"));
    socket.end("still here");
    expect(await readAll(socket)).toBe("still here");
  });

  it("forwards to several targets, and names the one that is lost", async () => {
    await using forward = new Forward(["svc/web", ":www", "pod/plain", `:${UPPER}`, "--address=127.0.0.1"]);
    await forward.port(1);
    const lines = forward.stdout.split("\n").sort();
    const [www, upper] = [
      lines.find((line) => line.endsWith(`pod/web:${HTTP}`)),
      lines.find((line) => line.endsWith(`pod/plain:${UPPER}`)),
    ];
    const portIn = (line = ""): number => Number(/:(\d+) ->/.exec(line)?.[1]);
    expect(await get(portIn(www))).toBe("hello");
    const socket = await dial(portIn(upper));
    socket.end("two");
    expect(await readAll(socket)).toBe("TWO");
    kubelet.cutAll();
    expect(await forward.ended).toBe(1);
    expect(forward.stderr).toMatch(/^error: lost connection to pod\/(web|plain)\n$/);
  });
});

/** Whether what listens at a port sends back what it gets. Another test may have been given the port meanwhile. */
async function echoes(port: number): Promise<boolean> {
  const socket = await dial(port).catch(() => undefined);
  if (socket === undefined) return false;
  const answer = await new Promise<string>((resolve) => {
    socket.once("data", (data) => resolve(String(data))).once("close", () => resolve(""));
    socket.on("error", () => undefined).write("are you there?");
    setTimeout(() => resolve(""), 1000).unref();
  });
  socket.destroy();
  return answer === "are you there?";
}
