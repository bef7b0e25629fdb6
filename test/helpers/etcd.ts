import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openEtcdKv } from "../../src/server/storage/etcd/etcd-kv.js";
import type { Kv } from "../../src/server/storage/kv.js";
import type { KvUnderTest } from "../suites/kv.js";
import { freePorts } from "./free-ports.js";
import { realEtcd } from "./real-tools.js";

const etcd = realEtcd();

/** Why tests with etcd are skipped; undefined when there is one. */
export const etcdMissing: string | undefined = etcd.missing;

/** Says on stdout that the tests of this file are skipped, and why. */
export function tellEtcdMissing(what: string): void {
  if (etcdMissing !== undefined) process.stdout.write(`${what} is skipped: ${etcdMissing}\n`);
}

export interface EtcdServer {
  /** "http://127.0.0.1:45678" */
  readonly endpoint: string;
  /** SIGTERM, and waits for the end. */
  stop(): Promise<void>;
  /** SIGKILL, and waits for the end. */
  kill(): Promise<void>;
  /** Connections stay, answers do not come. Resolves when no thread of it runs any more. */
  pause(): Promise<void>;
  resume(): void;
  /** After {@link stop} or {@link kill}: on the same data and ports. Resolves when it serves. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  dispose(): Promise<void>;
}

export interface EtcdOptions {
  /** PEM files; the endpoint is https then, and clients must show a certificate of the same CA. */
  readonly tls?: { readonly caFile: string; readonly certFile: string; readonly keyFile: string };
  /** More flags, such as "--quota-backend-bytes=1000000". */
  readonly flags?: readonly string[];
}

/** A member on its own, on free ports of the loopback, with its data in a folder of its own. */
export async function startEtcd(options: EtcdOptions = {}): Promise<EtcdServer> {
  const [server] = await startEtcdCluster(1, options);
  if (server === undefined) throw new Error("there is no member");
  return server;
}

/** The members of one cluster. */
export async function startEtcdCluster(members: number, options: EtcdOptions = {}): Promise<EtcdServer[]> {
  const ports = await freePorts(members * 2);
  const peers = ports.slice(members).map((port) => `http://127.0.0.1:${port}`);
  const cluster = peers.map((peer, n) => `member-${n}=${peer}`).join(",");
  return Promise.all(
    peers.map((peer, n) => startMember({ ...options, name: `member-${n}`, port: ports[n] ?? 0, peer, cluster })),
  );
}

interface MemberOptions extends EtcdOptions {
  readonly name: string;
  readonly port: number;
  readonly peer: string;
  /** "a=http://127.0.0.1:1,b=http://127.0.0.1:2" */
  readonly cluster: string;
}

async function startMember({ name, port, peer, cluster, tls, flags: more = [] }: MemberOptions): Promise<EtcdServer> {
  const directory = mkdtempSync(join(tmpdir(), "kubets-etcd-"));
  const endpoint = `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`;
  const flags = [
    `--name=${name}`,
    `--data-dir=${join(directory, "data")}`,
    `--listen-client-urls=${endpoint}`,
    `--advertise-client-urls=${endpoint}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=${cluster}`,
    "--logger=zap",
    ...(tls === undefined
      ? []
      : [
          `--trusted-ca-file=${tls.caFile}`,
          `--cert-file=${tls.certFile}`,
          `--key-file=${tls.keyFile}`,
          "--client-cert-auth",
        ]),
    ...more,
  ];
  let child = await launch(flags);
  const killAtExit = (): void => void child.kill("SIGKILL");
  process.on("exit", killAtExit);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
    // The kernel closes a process' sockets before it reports the exit. Two turns of the event loop later every client here
    // has read that, and no longer writes to a connection that is gone.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
  };
  return {
    endpoint,
    stop: () => end("SIGTERM"),
    kill: () => end("SIGKILL"),
    async pause() {
      child.kill("SIGSTOP");
      while (!isStopped(child.pid ?? 0)) await setTimeout(5);
    },
    resume: () => void child.kill("SIGCONT"),
    async restart() {
      child = await launch(flags);
    },
    async dispose() {
      process.off("exit", killAtExit);
      await end("SIGKILL");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A stop signal reaches the threads of a busy process one after the other. Without /proc it counts as done. */
function isStopped(pid: number): boolean {
  const tasks = `/proc/${pid}/task`;
  if (!existsSync(tasks)) return true;
  return readdirSync(tasks).every((task) => /\) [Tt] /.test(readFileSync(join(tasks, task, "stat"), "utf8")));
}

/** An address of the loopback where nothing listens. */
export async function deadEndpoint(): Promise<string> {
  const [port] = await freePorts(1);
  return `http://127.0.0.1:${port}`;
}

let stores = 0;

/** A store in a part of `server` that no other store of this process has. `endpoints` are the server's own, if not given. */
export function openTestKv(server: EtcdServer, options: Partial<Parameters<typeof openEtcdKv>[0]> = {}): Promise<Kv> {
  return openEtcdKv({ endpoints: [server.endpoint], root: "", prefix: `/kubets-${++stores}`, ...options });
}

/** A store for the suites, which leaves nothing behind that could still expire. */
export function etcdUnderTest(server: () => EtcdServer): KvUnderTest {
  const prefix = `/kubets-${++stores}`;
  return {
    open: () => openTestKv(server(), { prefix }),
    async dispose() {
      const kv = await openTestKv(server(), { prefix });
      const { items } = await kv.list("");
      await Promise.all(items.map(({ key, revision }) => kv.delete(key, revision)));
      await kv.close();
    },
    ownTime: { ttlSeconds: 4, pass: (milliseconds) => setTimeout(milliseconds) },
  };
}

function launch(flags: readonly string[]): Promise<ChildProcess> {
  const child = spawn(etcd.path, flags, { stdio: ["ignore", "ignore", "pipe"] });
  return new Promise((resolve, reject) => {
    let log = "";
    let ready = false;
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      if (ready) return;
      log += chunk;
      if (!/serving (insecure )?client/.test(log)) return;
      ready = true;
      resolve(child);
    });
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`etcd ended with code ${code}: ${log.slice(-2000)}`)));
  });
}
