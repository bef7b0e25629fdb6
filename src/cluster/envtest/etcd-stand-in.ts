import { createServer, get, type Server } from "node:http";

/** How the stand-in names itself where etcd names its version. */
const VERSION = "stand-in of kubets";
const ANSWER_MS = 2000;

/** What the paths that clients of a test ask answer. */
const ANSWERS: Readonly<Record<string, object>> = {
  __proto__: null as never,
  "/health": { health: "true", reason: "" },
  "/version": { etcdserver: VERSION, etcdcluster: VERSION },
};

/**
 * Answers etcd's health check at each of the URLs, "http://127.0.0.1:2379", until the signal aborts. It stores nothing: the
 * API server that finds it in the place of an etcd keeps its objects in its own memory.
 * Rejects for a URL that is not http and for a port that is taken.
 */
export async function serveEtcdStandIn(urls: readonly string[], signal: AbortSignal): Promise<void> {
  const addresses = urls.map(addressOf);
  const servers: Server[] = [];
  try {
    for (const address of addresses) servers.push(await listen(address));
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

/** Whether a stand-in answers at the URL. False for an etcd, and where nothing answers. */
export function isEtcdStandIn(url: string): Promise<boolean> {
  if (!url.startsWith("http://")) return Promise.resolve(false);
  return new Promise((resolve) => {
    const request = get(new URL("/version", url), { timeout: ANSWER_MS }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => resolve(text === JSON.stringify(ANSWERS["/version"])));
      response.on("error", () => resolve(false));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
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

function listen({ host, port }: Address): Promise<Server> {
  const server = createServer(({ method, url = "" }, response) => {
    const answer = method === "GET" || method === "HEAD" ? ANSWERS[url.split("?")[0] ?? ""] : undefined;
    response.writeHead(answer === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(answer === undefined ? "404 page not found\n" : JSON.stringify(answer));
  });
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve(server));
  });
}
