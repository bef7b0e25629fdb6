import { dictionary } from "../../base/collections/dictionary.js";
import { createServer, get, type Server } from "node:http";

/** How the stand-in names itself where etcd names its version. */
const VERSION = "stand-in of kubets";
const ANSWER_MS = 2000;

/** What the stand-in says of itself at /version. */
interface StandInVersion {
  readonly etcdserver: typeof VERSION;
  readonly etcdcluster: typeof VERSION;
  /** Its flag --max-request-bytes, which the API server keeps to in its place. */
  readonly maxRequestBytes: number;
}

type Answers = Readonly<Record<string, object>>;

/** What the paths that clients of a test ask answer. */
const answersOf = (maxRequestBytes: number): Answers =>
  dictionary({
    "/health": { health: "true", reason: "" },
    "/version": { etcdserver: VERSION, etcdcluster: VERSION, maxRequestBytes } satisfies StandInVersion,
  });

/**
 * Answers etcd's health check at each of the URLs, "http://127.0.0.1:2379", until the signal aborts. It stores nothing: an API
 * server that finds it in place of an etcd keeps its objects in its own memory. Rejects for a URL that is not http and for a port
 * that is in use.
 */
export async function serveEtcdStandIn(
  urls: readonly string[],
  signal: AbortSignal,
  maxRequestBytes: number,
): Promise<void> {
  const addresses = urls.map(addressOf);
  const answers = answersOf(maxRequestBytes);
  const servers: Server[] = [];
  try {
    for (const address of addresses) servers.push(await listen(address, answers));
    if (!signal.aborted) {
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
    }
  } finally {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

/** Asks the URL whether a stand-in for etcd serves there, and for its version. Undefined for a real etcd, and where nothing answers. */
export function askEtcdStandIn(url: string): Promise<StandInVersion | undefined> {
  if (!url.startsWith("http://")) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const request = get(new URL("/version", url), { timeout: ANSWER_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve(standInIn(text)));
      response.on("error", () => resolve(undefined));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

function standInIn(text: string): StandInVersion | undefined {
  try {
    const version = JSON.parse(text) as Partial<StandInVersion> | null;
    return version?.etcdserver === VERSION ? (version as StandInVersion) : undefined;
  } catch {
    return undefined;
  }
}

interface Address {
  readonly host: string;
  readonly port: number;
}

function addressOf(url: string): Address {
  const { protocol, hostname, port } = new URL(url);
  if (protocol !== "http:") {
    throw new Error(`the stand-in for etcd serves http only, not ${url}; name an etcd by TEST_ASSET_ETCD to use TLS`);
  }
  return { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port === "" ? 80 : port) };
}

function listen({ host, port }: Address, answers: Answers): Promise<Server> {
  const server = createServer(({ method, url = "" }, response) => {
    const answer = method === "GET" || method === "HEAD" ? answers[url.split("?")[0] ?? ""] : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(answer === undefined ? "404 page not found\n" : JSON.stringify(answer));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}
