import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request as httpsRequest } from "node:https";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../helpers/eventually.js";
import { call } from "../helpers/api-caller.js";
import { answerOf, Arena, bindingOf, JEWEL, pod, RBAC } from "./arena.js";

// eve has "edit" in the namespace "shop". Her pod with hostNetwork has the address of its node, at which the node's kubelet answers.

const SHOP = "/api/v1/namespaces/shop";
const NODE_IP = "10.244.0.1";
const AGENT = 10_250;
const EXEC = "exec/kube-system/victim/c?command=printenv&output=1&error=1";
const UNAUTHORIZED = "401";

let arena: Arena;

beforeAll(async () => {
  arena = await Arena.open({ controllers: ["*"], nodes: [{ name: "node-1" }], standIn: false });
  await arena.create("/api/v1/namespaces", { metadata: { name: "shop" } });
  await arena.create(`${RBAC}/namespaces/shop/rolebindings`, bindingOf("eve", "ClusterRole/edit", "eve"));
  await arena.create(
    "/api/v1/namespaces/kube-system/pods",
    pod("victim", {
      nodeName: "node-1",
      containers: [
        {
          name: "c",
          image: "busybox",
          command: ["sh", "-c", `echo ${JEWEL}; sleep infinity`],
          env: [{ name: "PASSWORD", value: JEWEL }],
        },
      ],
    }),
  );
  const ports = [{ name: "agent", containerPort: AGENT }];
  const hostNetwork = pod(
    "hn",
    { nodeName: "node-1", hostNetwork: true, containers: [{ name: "c", image: "busybox", ports }] },
    { labels: { app: "hn" } },
  );
  // "edit" is made of other roles by a controller.
  await eventually(async () => expect((await sent("POST", `${SHOP}/pods`, hostNetwork)).status).toBe(201));
  const service = {
    metadata: { name: "hn" },
    spec: { selector: { app: "hn" }, ports: [{ name: "agent", port: AGENT }] },
  };
  expect((await sent("POST", `${SHOP}/services`, service)).status).toBe(201);
  await eventually(async () => {
    const read = await call(arena.admin, "GET", `${SHOP}/pods/hn`);
    expect([read.at("status.podIP"), read.at("status.phase")]).toEqual([NODE_IP, "Running"]);
    // The address is among the endpoints before it is ready.
    const endpoints = await call(arena.admin, "GET", `${SHOP}/endpoints/hn`);
    expect(endpoints.at("subsets")).toMatchObject([{ addresses: [{ ip: NODE_IP }] }]);
    expect((await call(arena.admin, "GET", `${SHOP}/services/https:hn:agent/proxy/healthz`)).status).not.toBe(503);
    const log = await call(arena.admin, "GET", "/api/v1/namespaces/kube-system/pods/victim/log");
    expect(log.text).toBe(`${JEWEL}\n`);
  });
});

afterAll(() => arena[Symbol.asyncDispose]());

const sent = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  arena.send("eve", { method, path, headers, ...(body !== undefined && { body }) });

/** Asks for another protocol, as eve; the status of the answer. */
async function upgraded(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { certificate, key } = arena.certificateOf("eve");
  const { hostname, port } = new URL(arena.cluster.url);
  const outgoing = httpsRequest({
    hostname,
    port,
    path,
    agent: false,
    ca: arena.cluster.caCertificate,
    cert: certificate,
    key,
    headers: { connection: "Upgrade", ...headers },
  });
  outgoing.end();
  const [answer] = (await Promise.race([once(outgoing, "upgrade"), once(outgoing, "response")])) as [IncomingMessage];
  outgoing.destroy();
  return answer.statusCode ?? 0;
}

const WEB_SOCKET = {
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-protocol": "v4.channel.k8s.io",
};
const SPDY = { upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };

const WAYS: Readonly<Record<string, string>> = {
  "a pod with hostNetwork": `${SHOP}/pods/https:hn:${AGENT}/proxy`,
  "a service that selects it": `${SHOP}/services/https:hn:${AGENT}/proxy`,
  "the service by the name of its port": `${SHOP}/services/https:hn:agent/proxy`,
};

describe.each(Object.entries(WAYS))("an attack on a node's kubelet through %s", (_, way) => {
  test.each([
    ["all pods with their environment", "pods"],
    ["all pods, past a detour", "healthz/../pods"],
    ["a log of another namespace", "containerLogs/kube-system/victim/c"],
    ["what containers use", "stats/summary"],
    ["health", "healthz"],
    ["exec without an upgrade", EXEC],
    ["a path that there is not", "nope"],
  ])("gets no %s: the kubelet refuses", async (_title, path) => {
    const answer = await sent("GET", `${way}/${path}`);
    expect(answerOf(answer), answer.text).toBe(UNAUTHORIZED);
    expect(answer.text).toBe("Unauthorized");
    arena.holdsNoSecret(answer);
  });

  test.each([
    ["a WebSocket", WEB_SOCKET],
    ["SPDY", SPDY],
  ])("gets no exec over %s: the kubelet refuses", async (_title, headers) => {
    expect(await upgraded(`${way}/${EXEC}`, headers)).toBe(401);
  });

  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ["a token", { authorization: "Bearer nonsense" }],
    ["a front proxy", { "x-remote-user": "kubernetes-admin", "x-remote-group": "system:masters" }],
    ["the server's client", { "x-forwarded-for": "127.0.0.1", "x-ssl-client-cn": "kube-apiserver-kubelet-client" }],
  ])("gets no other identity by the headers of %s", async (_title, headers) => {
    const answer = await sent("GET", `${way}/pods`, undefined, headers);
    expect(answer.status, answer.text).toBe(401);
  });
});

test("the server's connections to its kubelets are open only to users with the rights", async () => {
  const node = await call(arena.admin, "GET", "/api/v1/nodes/node-1/proxy/pods");
  expect([node.status, node.text.includes(JEWEL)]).toEqual([200, true]);
  const own = await sent("GET", `${SHOP}/pods/hn/log`);
  expect([own.status, own.text]).toEqual([200, ""]);
  for (const path of ["/api/v1/nodes/node-1/proxy/pods", "/api/v1/namespaces/kube-system/pods/victim/log"]) {
    expect(answerOf(await sent("GET", path))).toBe("403 Forbidden");
  }
});
