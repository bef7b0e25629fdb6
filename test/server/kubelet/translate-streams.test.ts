import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { configFromText, kubernetesClient } from "../../../src/client/index.js";
import { type RemoteCommandStreams, runRemoteCommand } from "../../../src/client/streaming/remote-command.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { kubeletCertificate } from "../../helpers/kubelet-certificate.js";
import type { ByteStream } from "../../../src/machinery/wire/streams/byte-stream.js";
import { exitStatus, type StreamType } from "../../../src/machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../../src/machinery/wire/spdy/spdy-connection.js";
import { done } from "../../helpers/admitting-server.js";
import { eventually } from "../../helpers/eventually.js";

const EXEC = "/api/v1/namespaces/default/pods/web/exec";

let cluster: Cluster;
let kubelet: Server;
/** The connections that the kubelet holds. */
const held = new Set<Duplex>();
const sizes: string[] = [];

type Streams = Partial<Record<StreamType, ByteStream>>;

/** What the commands of the test do with their streams; the answer goes to the error stream. */
const COMMANDS: Readonly<Record<string, (streams: Streams) => Promise<object | string>>> = {
  async cat({ stdin, stdout }) {
    for await (const chunk of stdin ?? []) await stdout?.write(chunk);
    return exitStatus(0);
  },
  async fail({ stdout, stderr }) {
    await stdout?.write(Buffer.from("out"));
    await stderr?.write(Buffer.from("err"));
    return exitStatus(7);
  },
  async size({ resize, stdout }) {
    for await (const chunk of resize ?? []) {
      sizes.push(Buffer.from(chunk).toString());
      if (sizes.join("").includes("99")) break;
    }
    await stdout?.write(Buffer.from("sized"));
    return exitStatus(0);
  },
  async broken() {
    return "no status";
  },
  async wait({ stdout }) {
    await stdout?.write(Buffer.from("begun"));
    return new Promise(() => {});
  },
};

async function serve(url: string, protocol: string, duplex: Duplex): Promise<void> {
  const query = new URL(url, "https://kubelet").searchParams;
  duplex.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  const connection = spdyConnection(duplex, { role: "server" });
  // A terminal has one output.
  const expected = 1 + ["input", "output", query.has("tty") ? "tty" : "error"].filter((name) => query.has(name)).length;
  const streams: Streams = {};
  for await (const incoming of connection.incoming) {
    streams[incoming.headers["streamtype"] as StreamType] = incoming.accept();
    if (Object.keys(streams).length === expected) break;
  }
  const status = await COMMANDS[query.get("command") ?? ""]?.(streams);
  await Promise.all([streams.stdout?.end(), streams.stderr?.end()]);
  await streams.error?.write(Buffer.from(typeof status === "string" ? status : JSON.stringify(status)));
  await streams.error?.end();
  await connection.close();
}

beforeAll(async () => {
  const { certificate, key } = kubeletCertificate();
  kubelet = createServer({ cert: certificate, key });
  kubelet.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    if (request.url?.includes("refused") === true) {
      socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 18\r\n\r\npod does not exist");
      return;
    }
    held.add(socket);
    socket.once("close", () => held.delete(socket));
    const [protocol = ""] = String(request.headers["x-stream-protocol-version"]).split(", ").slice(1);
    // What a client leaves is reset.
    serve(request.url ?? "", protocol, socket).catch(() => {});
  });
  await new Promise<void>((resolve) => kubelet.listen(0, "127.0.0.1", resolve));
  cluster = await startCluster();
  const api = cluster.transport();
  const { port } = kubelet.address() as AddressInfo;
  const status = {
    addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await done(api, "POST", "/api/v1/nodes", { metadata: { name: "node" }, status });
  const spec = { nodeName: "node", containers: [{ name: "c", image: "i" }] };
  await done(api, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "web" }, spec });
});

afterAll(async () => {
  await cluster.close();
  kubelet.closeAllConnections();
  kubelet.close();
});

interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly error: string | undefined;
}

async function run(command: string, streams: Partial<RemoteCommandStreams> = {}, signal?: AbortSignal): Promise<Ran> {
  const client = kubernetesClient(await configFromText(cluster.kubeconfig()));
  const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const keep = (name: "stdout" | "stderr") => (chunk: Uint8Array) => Promise.resolve(void output[name].push(chunk));
  const query = new URLSearchParams({ command, stdout: "true", stderr: "true" });
  if (streams.stdin !== undefined) query.set("stdin", "true");
  if (streams.tty === true) query.set("tty", "true");
  const given = { stdout: keep("stdout"), stderr: keep("stderr"), tty: false, ...streams };
  try {
    await runRemoteCommand(client.rest, { path: `${EXEC}?${query.toString()}`, method: "POST" }, given, {
      webSockets: true,
      signal,
    });
    return ended(undefined);
  } catch (error) {
    return ended((error as Error).message);
  } finally {
    await client.close();
  }

  function ended(error: string | undefined): Ran {
    return { stdout: Buffer.concat(output.stdout).toString(), stderr: Buffer.concat(output.stderr).toString(), error };
  }
}

test("the server translates streams of exec: input with its end reaches the command, and the output is complete", async () => {
  const text = "x".repeat(3_000_000);
  const stdin = (async function* () {
    for (let at = 0; at < text.length; at += 100_000) yield Buffer.from(text.slice(at, at + 100_000));
  })();
  const ran = await run("cat", { stdin });
  expect([ran.stdout === text, ran.error]).toEqual([true, undefined]);
});

test("the server translates streams of exec: a failing command's exit code is reported, and both outputs are separate", async () => {
  expect(await run("fail")).toEqual({ stdout: "out", stderr: "err", error: "command terminated with exit code 7" });
});

test("the server translates streams of exec: terminal sizes are passed on as they come", async () => {
  const given = (async function* () {
    yield { width: 80, height: 24 };
    yield { width: 99, height: 30 };
  })();
  expect(await run("size", { tty: true, sizes: given })).toMatchObject({ stdout: "sized", error: undefined });
  expect(sizes.join("")).toBe('{"Width":80,"Height":24}\n{"Width":99,"Height":30}\n');
});

test("the server translates streams of exec: an error stream without a Status is an internal error", async () => {
  expect((await run("broken")).error).toContain("Internal error occurred: error stream protocol error: ");
});

test("the server translates streams of exec: the kubelet's refusal is passed on in its words", async () => {
  expect((await run("refused")).error).toBe(
    "Internal error occurred: unable to upgrade connection: pod does not exist",
  );
});

test("the server translates streams of exec: when the client disconnects, the connection to the kubelet ends", async () => {
  const leaving = new AbortController();
  const stdout = (): Promise<void> => Promise.resolve(leaving.abort());
  await run("wait", { stdout }, leaving.signal);
  await eventually(async () => expect(held.size).toBe(0));
});
