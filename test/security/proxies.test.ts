import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Arena, JEWEL, jewel, pod, STRATEGIC, type Try, tryAll } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const REFUSED = "403 Forbidden";
const NOT_ALLOWED = "400 BadRequest";
const NO_ENDPOINTS = "503 ServiceUnavailable";

let arena: Arena;
/** What listens on this machine alone. It gives its secret to whoever reaches it. */
let local: Server;
let port: number;
const reached: string[] = [];

/** Addresses that lead to this machine, to its link, to many, or nowhere. */
const ADDRESSES: Readonly<Record<string, string>> = {
  loopback: "127.0.0.1",
  "loopback-two": "127.8.9.10",
  metadata: "169.254.169.254",
  multicast: "224.0.0.1",
  "loopback-six": "::1",
  "link-six": "fe80::1",
  "mapped-loopback": "::ffff:127.0.0.1",
  "mapped-in-hexadecimal": "::ffff:7f00:1",
  "mapped-in-full": "0:0:0:0:0:ffff:7f00:1",
  "mapped-metadata": "::ffff:a9fe:a9fe",
};

/** pat may use every proxy, sam may write the status of pods and nodes, and create pods, services and endpoints; ann has "get" on all three alone. */
beforeAll(async () => {
  local = createServer((request, response) => {
    reached.push(request.url ?? "");
    response.end(JEWEL);
  });
  await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
  ({ port } = local.address() as AddressInfo);
  arena = await Arena.open();
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "default" } });
  await arena.allow("pat", "get,create,update,patch,delete pods/proxy,services/proxy,nodes/proxy");
  await arena.allow("ann", "get pods,services,nodes");
  for (const [name, ip] of Object.entries(ADDRESSES)) {
    await arena.create(`${CORE}/pods`, pod(name));
    const status = { status: { podIP: ip, podIPs: [{ ip }] } };
    const path = `${CORE}/pods/${name}/status`;
    const answer = await arena.send("system:masters-of-pods,system:masters", {
      method: "PATCH",
      path,
      body: status,
      type: STRATEGIC,
    });
    // An address that the pod's own rules refuse never gets that far.
    expect([200, 422]).toContain(answer.status);
    await arena.create(`${CORE}/services`, { metadata: { name }, spec: { ports: [{ port: 80, name: "http" }] } });
    const targetRef = { kind: "Pod", name, namespace: "default" };
    await arena.send("x,system:masters", {
      method: "POST",
      path: `${CORE}/endpoints`,
      body: { metadata: { name }, subsets: [{ addresses: [{ ip, targetRef }], ports: [{ name: "http", port }] }] },
    });
  }
  const external = (name: string, externalName: string) => ({
    metadata: { name },
    spec: { type: "ExternalName", externalName, ports: [{ port, name: "http" }] },
  });
  await arena.create(`${CORE}/services`, external("to-localhost", "localhost"));
  await arena.create(`${CORE}/services`, external("to-metadata", "metadata.google.internal"));
  for (const [name, address, agent] of [
    ["node", "127.0.0.1", 1],
    ["node-in-another-form", "::ffff:7f00:1", 1],
    ["node-of-the-link", "169.254.169.254", 1],
    ["node-that-is-the-server", "127.0.0.1", Number(new URL(arena.cluster.url).port)],
    ["node-that-is-the-server-by-name", "localhost", Number(new URL(arena.cluster.url).port)],
  ] as const) {
    await arena.create("/api/v1/nodes", {
      metadata: { name },
      status: { addresses: [{ type: "InternalIP", address }], daemonEndpoints: { kubeletEndpoint: { Port: agent } } },
    });
  }
});

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  local.closeAllConnections();
  await new Promise((resolve) => local.close(resolve));
});

describe("a proxy of a pod, service or node needs the right to it:", () => {
  const rows: readonly Try[] = [
    ["to a pod, by who may get pods", "ann", `GET ${CORE}/pods/loopback:1/proxy/`, REFUSED],
    ["to a service, by who may get services", "ann", `GET ${CORE}/services/loopback:80/proxy/`, REFUSED],
    ["to a node, by who may get nodes", "ann", "GET /api/v1/nodes/node/proxy/", REFUSED],
    ["to a pod, by a POST", "ann", `POST ${CORE}/pods/loopback/proxy/`, REFUSED, {}],
    ["to a pod, by the old path", "ann", "GET /api/v1/proxy/namespaces/default/pods/loopback/", REFUSED],
    ["to a pod, that is not there", "ann", `GET ${CORE}/pods/ghost/proxy/`, REFUSED],
    ["to a pod, by HEAD", "ann", `HEAD ${CORE}/pods/loopback/proxy/`, "403"],
    ["to a pod, by OPTIONS", "pat", `OPTIONS ${CORE}/pods/loopback/proxy/`, REFUSED],
    [
      "to a pod, through a websocket's headers",
      "ann",
      `GET ${CORE}/pods/loopback/proxy/`,
      REFUSED,
      undefined,
      { headers: { upgrade: "websocket", connection: "Upgrade" } },
    ],
  ];
  tryAll(rows, () => arena);
});

describe("a proxy refuses addresses of this machine or its network link", () => {
  test.each(Object.entries(ADDRESSES))("of a pod: %s, %s", async (name) => {
    for (const scheme of ["", "http:", "https:"]) {
      await arena.attempt([name, "pat", `GET ${CORE}/pods/${scheme}${name}:${port}/proxy/secret`, NOT_ALLOWED]);
    }
    expect(reached).toEqual([]);
  });

  test.each(Object.entries(ADDRESSES))("of a service: %s, %s", async (name) => {
    const answer = await arena.send("pat", { method: "GET", path: `${CORE}/services/${name}:80/proxy/secret` });
    expect([400, 404, 503], answer.text).toContain(answer.status);
    arena.holdsNoSecret(answer);
    expect(reached).toEqual([]);
  });

  const rows: readonly (readonly [title: string, path: () => string, answer: string])[] = [
    [
      "a service that is a name of this machine",
      () => `${CORE}/services/to-localhost:${port}/proxy/`,
      "503 ServiceUnavailable",
    ],
    [
      "a service that is a name of the cloud's metadata",
      () => `${CORE}/services/to-metadata:${port}/proxy/`,
      "503 ServiceUnavailable",
    ],
    ["a port of a node that is no agent's", () => `/api/v1/nodes/node:${port}/proxy/`, NOT_ALLOWED],
    [
      "a port of a node whose address is this machine's in another form",
      () => `/api/v1/nodes/node-in-another-form:${port}/proxy/`,
      NOT_ALLOWED,
    ],
    ["a port of a node, by https", () => `/api/v1/nodes/https:node:${port}/proxy/`, NOT_ALLOWED],
    ["a port of a node of the link", () => `/api/v1/nodes/node-of-the-link:80/proxy/latest/meta-data/`, NOT_ALLOWED],
    [
      "a node whose agent is this server, which would take the kubelets' administrator for one",
      () => `/api/v1/nodes/node-that-is-the-server/proxy${CORE}/secrets/jewel`,
      "401 Unauthorized",
    ],
    [
      "the same by a host's name",
      () => `/api/v1/nodes/node-that-is-the-server-by-name/proxy${CORE}/secrets/jewel`,
      "401 Unauthorized",
    ],
    [
      "the same with its port",
      () => `/api/v1/nodes/https:node-that-is-the-server:${new URL(arena.cluster.url).port}/proxy${CORE}/secrets/jewel`,
      "401 Unauthorized",
    ],
    ["an address in place of a pod's name", () => `${CORE}/pods/127.0.0.1:${port}/proxy/`, "404 NotFound"],
    ["an address in place of a node's name", () => `/api/v1/nodes/127.0.0.1:${port}/proxy/`, "404 NotFound"],
    ["another scheme", () => `${CORE}/pods/file:loopback:${port}/proxy/etc/passwd`, NOT_ALLOWED],
    ["a name of four parts", () => `${CORE}/pods/http:x:loopback:${port}/proxy/`, NOT_ALLOWED],
  ];
  test.each(rows)("%s", async (title, path, answer) => {
    await arena.attempt([title, "pat", `GET ${path()}`, answer]);
    expect(reached).toEqual([]);
  });
});

test("a proxy refuses endpoints with an address that belongs to no pod", async () => {
  await arena.create(`${CORE}/services`, { metadata: { name: "bare" }, spec: { ports: [{ port: 80, name: "http" }] } });
  await arena.create(`${CORE}/endpoints`, {
    metadata: { name: "bare" },
    subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ name: "http", port }] }],
  });
  await arena.attempt(["bare", "pat", `GET ${CORE}/services/bare:80/proxy/`, NO_ENDPOINTS]);
  expect(arena.faults).toEqual([]);
});
