import { spawn } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import type { Duplex } from "node:stream";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { kubeletCertificate } from "./kubelet-certificate.js";
import type { ByteStream } from "../../src/machinery/wire/streams/byte-stream.js";
import { exitStatus } from "../../src/machinery/wire/streams/remote-command.js";
import { spdyConnection } from "../../src/machinery/wire/spdy/spdy-connection.js";
import { done } from "./admitting-server.js";

export interface LocalKubeletOptions {
  /** Where programs run. */
  readonly folder: string;
  /** What the pods' ports lead to: ports of this machine. Others have no listener. */
  readonly ports?: Readonly<Record<number, number>>;
  /** Called with each program; cuts its output after so many bytes where it answers a number, and the connection with "cut". */
  readonly limit?: (
    command: readonly string[],
  ) => { readonly bytes: number; readonly broken: "end" | "cut" } | undefined;
}

/** A cluster whose node runs the programs of containers on this machine. */
export interface LocalKubelet extends AsyncDisposable {
  readonly cluster: Cluster;
  /** The programs that were run. */
  readonly commands: (readonly string[])[];
  /** Ends every connection. */
  cutAll(): void;
  /** Makes a pod of the node, with status Running unless told otherwise. */
  pod(name: string, more?: PodDetails): Promise<void>;
}

export interface PodDetails {
  readonly containers?: readonly { readonly name: string; readonly ports?: readonly object[] }[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly phase?: string;
}

/**
 * A kubelet of real programs: each exec starts one of this machine in a folder, so that the container's tar is GNU's. Reached as every
 * kubelet is, by the API server of a cluster, over SPDY.
 */
export async function startLocalKubelet(options: LocalKubeletOptions): Promise<LocalKubelet> {
  const { certificate, key } = kubeletCertificate();
  const commands: (readonly string[])[] = [];
  const sockets = new Set<Duplex>();
  const server = createServer({ cert: certificate, key, requestCert: true, rejectUnauthorized: false });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    sockets.add(socket.on("error", () => {}).once("close", () => sockets.delete(socket)));
    if (head.length > 0) socket.unshift(head);
    const url = new URL(request.url ?? "/", "https://kubelet");
    const [protocol = ""] = String(request.headers["x-stream-protocol-version"]).split(", ");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
    );
    const serving = url.pathname.startsWith("/exec/")
      ? serveExec(url, socket, options, commands)
      : forward(socket, options);
    serving.catch(() => socket.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port: Port } = server.address() as AddressInfo;
  const cluster = await startCluster();
  const api = cluster.transport();
  const daemonEndpoints = { kubeletEndpoint: { Port } };
  const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
  await done(api, "POST", "/api/v1/nodes", { metadata: { name: "local" }, status: { addresses, daemonEndpoints } });
  return {
    cluster,
    commands,
    cutAll: () => sockets.forEach((socket) => socket.destroy()),
    async pod(name, { containers = [{ name: "c" }], annotations = {}, labels = {}, phase = "Running" } = {}) {
      const spec = { nodeName: "local", containers: containers.map((container) => ({ image: "i", ...container })) };
      const path = "/api/v1/namespaces/default/pods";
      await done(api, "POST", path, { metadata: { name, annotations, labels }, spec });
      const ready = [{ type: "Ready", status: phase === "Running" ? "True" : "False" }];
      const status = { phase, conditions: ready };
      await done(api, "PATCH", `${path}/${name}/status`, { status }, "application/merge-patch+json");
    },
    async [Symbol.asyncDispose]() {
      await cluster.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

async function serveExec(
  url: URL,
  socket: Duplex,
  { folder, limit }: LocalKubeletOptions,
  commands: (readonly string[])[],
): Promise<void> {
  const connection = spdyConnection(socket, { role: "server" });
  const given = (name: string): boolean => url.searchParams.get(name) === "1";
  const wanted = new Set(["error"]);
  for (const [parameter, stream] of [
    ["input", "stdin"],
    ["output", "stdout"],
    ["error", "stderr"],
  ] as const) {
    if (given(parameter)) wanted.add(stream);
  }
  const streams: Partial<Record<string, ByteStream>> = {};
  for await (const incoming of connection.incoming) {
    const type = incoming.headers["streamtype"] ?? "";
    streams[type] = incoming.accept();
    wanted.delete(type);
    if (wanted.size === 0) break;
  }
  const command = url.searchParams.getAll("command");
  commands.push(command);
  const [file = "", ...args] = command;
  const child = spawn(file, args, { cwd: folder, env: { PATH: process.env["PATH"], LC_ALL: "C.UTF-8" } });
  const ended = new Promise<number>((resolve) => {
    child.on("error", () => resolve(127)).on("close", (code) => resolve(code ?? 137));
  });
  void connection.closed.then(() => child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  if (streams["stdin"] === undefined) child.stdin.end();
  else void copy(streams["stdin"], child.stdin).catch(() => {});
  const limited = limit?.(command);
  const output = pump(child.stdout, streams["stdout"], limited?.bytes);
  // What a program says of an output that was cut is a chance of time.
  const errors = pump(child.stderr, limited === undefined ? streams["stderr"] : undefined);
  const outcome = Promise.allSettled([output, errors]);
  void output.then(
    (cut) => {
      if (!cut) return;
      child.kill("SIGKILL");
      if (limited?.broken === "cut") socket.destroy();
    },
    () => child.kill("SIGKILL"),
  );
  const code = await ended;
  const [{ status, ...result }] = await outcome;
  const cut = status === "fulfilled" && "value" in result && result.value === true;
  await Promise.all([streams["stdout"]?.end(), streams["stderr"]?.end()]);
  await streams["error"]?.write(Buffer.from(JSON.stringify(exitStatus(cut ? 0 : code))));
  await streams["error"]?.end();
  await connection.close();
}

async function copy(from: AsyncIterable<Uint8Array>, to: NodeJS.WritableStream): Promise<void> {
  for await (const chunk of from) if (!to.write(chunk)) await once(to, "drain");
  to.end();
}

/** True where it wrote no more than `most` of what there was. */
async function pump(from: AsyncIterable<Uint8Array>, to: ByteStream | undefined, most = Infinity): Promise<boolean> {
  let left = most;
  for await (const chunk of from) {
    await to?.write(chunk.subarray(0, left));
    left -= chunk.length;
    if (left < 0) return true;
  }
  return false;
}

async function forward(socket: Duplex, { ports = {} }: LocalKubeletOptions): Promise<void> {
  const connection = spdyConnection(socket, { role: "server" });
  const errors = new Map<string, ByteStream>();
  for await (const incoming of connection.incoming) {
    const { streamtype, requestid = "", port = "" } = incoming.headers;
    const stream = incoming.accept();
    if (streamtype === "error") errors.set(requestid, stream);
    else void dial(Number(port), ports, stream, errors.get(requestid));
  }
}

async function dial(
  port: number,
  ports: Readonly<Record<number, number>>,
  data: ByteStream,
  error: ByteStream | undefined,
): Promise<void> {
  const socket = connect({ port: ports[port] ?? 1, host: "127.0.0.1", allowHalfOpen: true });
  try {
    await once(socket, "connect");
  } catch {
    await error?.write(
      Buffer.from(
        `failed to connect to localhost:${port} inside namespace "x", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused`,
      ),
    );
    await Promise.all([error?.end(), data.end()]);
    return;
  }
  socket.on("error", () => data.destroy());
  const toPod = copy(data, socket).catch(() => socket.destroy());
  await pump(socket, data).catch(() => socket.destroy());
  await Promise.all([data.end(), error?.end()]);
  await toPod;
  socket.destroy();
}
