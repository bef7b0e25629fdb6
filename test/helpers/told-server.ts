import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** One answer: 200 and JSON, or a Status of that code and reason. */
export type Told = { readonly body: object } | { readonly code: number; readonly reason: string };

/** A server that says what it is told. For the cases that no server can be brought to otherwise: who lost a race, who is denied. */
export interface ToldServer extends AsyncDisposable {
  readonly url: string;
  /** "METHOD path", discovery left out. */
  readonly requests: readonly string[];
}

/** What it serves, by group version, "v1" first: [plural, kind, namespaced]. */
export type Served = Readonly<Record<string, readonly (readonly [string, string, boolean])[]>>;

/** `answers` by "METHOD path": each is given once, the last of them for ever. What nobody thought of is not found. */
export async function startToldServer(
  served: Served,
  answers: Readonly<Record<string, readonly Told[]>>,
): Promise<ToldServer> {
  const left = new Map(Object.entries(answers).map(([key, told]) => [key, [...told]]));
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    const known = discoveryAnswer(path, served);
    const key = `${request.method} ${path}`;
    if (known === undefined) requests.push(key);
    const queue = left.get(key) ?? [];
    const told = known ?? (queue.length > 1 ? queue.shift() : queue[0]) ?? { code: 404, reason: "NotFound" };
    const [code, body] = "body" in told ? [200, told.body] : [told.code, statusOf(told, key)];
    request.resume().on("end", () => {
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const statusOf = ({ code, reason }: { readonly code: number; readonly reason: string }, key: string) => ({
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Failure",
  message: `${reason} is the answer to ${key}`,
  reason,
  code,
});

function discoveryAnswer(path: string, served: Served): Told | undefined {
  const [core, ...named] = Object.keys(served);
  if (path === "/api") return { body: { kind: "APIVersions", versions: [core] } };
  if (path === "/apis") return { body: { kind: "APIGroupList", apiVersion: "v1", groups: named.map(group) } };
  const groupVersion = path === "/api/v1" ? "v1" : /^\/apis\/([^/]+\/[^/]+)$/.exec(path)?.[1];
  const resources = served[groupVersion ?? ""];
  if (resources === undefined) return undefined;
  const verbs = ["create", "get", "list", "update"];
  const list = resources.map(([name, kind, namespaced]) => ({ name, singularName: "", kind, namespaced, verbs }));
  return { body: { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources: list } };
}

function group(groupVersion: string) {
  const [name, version] = groupVersion.split("/");
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
}
