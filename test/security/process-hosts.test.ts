import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { systemTimers } from "../../src/base/time/timers.js";
import { localPort } from "../../src/cluster/index.js";
import { startNodeAgent } from "../../src/node/node-agent.js";
import { call } from "../helpers/api-caller.js";
import { CONFIG_MAPS, configure } from "../helpers/configured-webhooks.js";
import { eventually } from "../helpers/eventually.js";
import { kubeletCertificate } from "../helpers/kubelet-certificate.js";
import { scriptedRuntime } from "../helpers/outside-node.js";
import { startWebhookServer, type WebhookServer } from "../helpers/webhook-server.js";
import { Arena, JEWEL, pod, textIn } from "./arena.js";

// Hosts of nodes in this process: what nothing serves there must not lead to the machine's network, which has its own hosts by these
// addresses and names. One of the nodes is called localhost, so that the machine's network has something to reach.

const CORE = "/api/v1/namespaces/default";
const noPod = (node: string): string => `connect: no route to host: no pod of node "${node}" has that address`;
const NOTHING_LISTENS = 'connect: connection refused: nothing listens on that port of node "localhost"';

let arena: Arena;
let local: Server;
let port: number;
let webhooks: WebhookServer;
const reached: string[] = [];

beforeAll(async () => {
  local = createServer((request, response) => {
    reached.push(request.url ?? "");
    response.end(JEWEL);
  });
  await new Promise<void>((resolve) => local.listen(0, "127.0.0.1", resolve));
  ({ port } = local.address() as AddressInfo);
  webhooks = await startWebhookServer({ names: ["localhost", "hook.default.svc", "127.0.0.1"] });
  webhooks.on("/deny", ({ request }) => ({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: request["uid"], allowed: false, status: { message: "as it should be" } },
  }));
  const images = { hook: { ports: { 8443: localPort(webhooks.port) } } };
  arena = await Arena.open({ nodes: [{ name: "localhost", images }, { name: "node-2" }] });
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "default" } });
  for (const [name, podIP] of [
    ["first", "10.244.0.99"],
    ["network", "10.244.0.0"],
    ["other-node", "10.244.1.7"],
  ] as const) {
    await arena.create(`${CORE}/pods`, pod(name));
    await arena.make("PATCH", `${CORE}/pods/${name}/status`, { status: { podIP, podIPs: [{ ip: podIP }] } }, MERGE);
  }
  for (const [name, address] of [
    ["in-the-range", "10.244.1.77"],
    ["mapped", "::ffff:10.244.1.77"],
    ["mapped-in-hexadecimal", "::ffff:af4:14d"],
    ["by-number", "0x0af4014d"],
  ] as const) {
    const type = name === "by-number" ? "Hostname" : "InternalIP";
    const status = { addresses: [{ type, address }], daemonEndpoints: { kubeletEndpoint: { Port: 10_250 } } };
    await arena.create("/api/v1/nodes", { metadata: { name }, status });
    await arena.create(`${CORE}/pods`, pod(`on-${name}`, { nodeName: name }));
  }
});

const MERGE = "application/merge-patch+json";

afterAll(async () => {
  await arena[Symbol.asyncDispose]();
  await webhooks[Symbol.asyncDispose]();
  local.closeAllConnections();
  await new Promise((resolve) => local.close(resolve));
});

describe("the proxies refuse with a reason addresses of simulated nodes and pods that nothing serves", () => {
  test.each([
    ["a port of a node by its name, which the machine has too", () => `/api/v1/nodes/localhost:${port}/proxy/secret`],
    ["the same by https", () => `/api/v1/nodes/https:localhost:${port}/proxy/secret`],
  ])("%s", async (_, path) => {
    const answer = await call(arena.admin, "GET", path());
    expect([answer.status, answer.at("message")]).toEqual([
      503,
      `error trying to reach service: dial tcp localhost:${port}: ${NOTHING_LISTENS}`,
    ]);
    expect(reached).toEqual([]);
  });

  test.each([
    ["an address that no pod has", "first:80", `dial tcp 10.244.0.99:80: ${noPod("localhost")}`],
    ["the first address of the range", "https:network:443", `dial tcp 10.244.0.0:443: ${noPod("localhost")}`],
    ["an address of another node", "other-node:80", `dial tcp 10.244.1.7:80: ${noPod("node-2")}`],
  ])("as a pod's proxy to %s", async (_, name, reason) => {
    const answer = await call(arena.admin, "GET", `${CORE}/pods/${name}/proxy/`);
    expect([answer.status, answer.at("message")]).toEqual([503, `error trying to reach service: ${reason}`]);
  });

  test.each([
    ["in-the-range", noPod("node-2")],
    ["mapped", noPod("node-2")],
    ["mapped-in-hexadecimal", noPod("node-2")],
    ["by-number", "lookup 0x0af4014d: the name leads to 10.244.1.77, an address of a node of this process"],
  ])("as a node's log from such an address: %s", async (name, reason) => {
    const answer = await call(arena.admin, "GET", `${CORE}/pods/on-${name}/log`);
    expect([answer.status, answer.at("message")]).toEqual([500, expect.stringContaining(reason)]);
    const proxied = await call(arena.admin, "GET", `/api/v1/nodes/${name}/proxy/pods`);
    expect([proxied.status, proxied.at("message")]).toEqual([503, expect.stringContaining(reason)]);
  });
});

describe("a webhook at an address of a simulated node or pod", () => {
  const refusalOf = async (clientConfig: object): Promise<unknown> => {
    await using _ = await configure(arena.admin, "validating", [
      { clientConfig, rules: [{ ...CONFIG_MAPS, operations: ["CREATE"] }], failurePolicy: "Fail" },
    ]);
    // A configuration counts once the watch cache has it.
    return eventually(async () => {
      const answer = await call(arena.admin, "POST", `${CORE}/configmaps?dryRun=All`, { metadata: { name: "asked" } });
      expect(answer.status).toBeGreaterThanOrEqual(400);
      return answer.at("message");
    });
  };
  const caBundle = (pem: string): string => Buffer.from(pem).toString("base64");

  async function service(name: string, address: string | undefined, targetPort: number): Promise<void> {
    const ports = [{ port: 443, name: "https" }];
    const external = { type: "ExternalName", externalName: address, ports };
    const isName = address !== undefined && /[a-z]/.test(address);
    await arena.create(`${CORE}/services`, { metadata: { name }, spec: isName ? external : { ports } });
    if (address === undefined || isName) return;
    await arena.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
      metadata: { name, labels: { "kubernetes.io/service-name": name } },
      addressType: "IPv4",
      endpoints: [{ addresses: [address] }],
      ports: [{ name: "https", port: targetPort }],
    });
  }
  const byService = (name: string) => ({
    caBundle: webhooks.caBundle,
    service: { namespace: "default", name, path: "/deny" },
  });

  test("by the name of a node is not called at the machine's address of that name", async () => {
    const url = `https://localhost:${webhooks.port}/deny`;
    expect(await refusalOf({ url, caBundle: webhooks.caBundle })).toContain(NOTHING_LISTENS);
    await service("named", "localhost", 443);
    const before = webhooks.connections;
    expect(await refusalOf(byService("named"))).toContain("nothing listens on that port");
    expect(webhooks.connections).toBe(before);
  });

  test("by endpoints that a user wrote, at an address that no pod has, is refused", async () => {
    await service("loose", "10.244.1.77", 8443);
    expect(await refusalOf(byService("loose"))).toContain(`dial tcp 10.244.1.77:8443: ${noPod("node-2")}`);
  });

  test.each([
    ["https://10.244.1.77/deny", noPod("node-2")],
    ["https://[::ffff:10.244.1.77]/deny", noPod("node-2")],
    ["https://node-2:8443/deny", 'nothing listens on that port of node "node-2"'],
    ["https://0x0af4014d/deny", "the name leads to 10.244.1.77, an address of a node of this process"],
  ])("at %s is refused", async (url, reason) => {
    expect(await refusalOf({ url, caBundle: webhooks.caBundle })).toContain(reason);
  });

  test("that is a node's kubelet gets no client certificate of the server", async () => {
    const authority = caBundle(arena.cluster.caCertificate);
    const url = "https://node-2:10250/run/default/web/c";
    expect(await refusalOf({ url, caBundle: authority })).toContain(
      "the server has asked for the client to provide credentials",
    );
    await service("agent", "10.244.1.1", 10_250);
    expect(await refusalOf({ ...byService("agent"), caBundle: authority })).toContain(
      "certificate is valid for node-2",
    );
  });

  test("that a pod of this process serves is called in that pod", async () => {
    const containers = [{ name: "c", image: "hook", ports: [{ containerPort: 8443 }] }];
    await arena.create(
      `${CORE}/pods`,
      pod("hook", { nodeName: "localhost", automountServiceAccountToken: false, containers }),
    );
    const ip = await eventually(async () => {
      const read = await call(arena.admin, "GET", `${CORE}/pods/hook`);
      expect(read.at("status.phase")).toBe("Running");
      return textIn(read, "status.podIP");
    });
    await service("hook", ip, 8443);
    expect(await refusalOf(byService("hook"))).toContain("denied the request: as it should be");
    expect(webhooks.connections).toBe(1);
  });
});

test("a node agent connects to every host of its node, in all spellings, and to no other", async () => {
  const agent = await startNodeAgent({
    name: "sim",
    transport: arena.admin,
    runtime: scriptedRuntime({}),
    podCidr: "127.0.77.0/24",
    tls: { ...kubeletCertificate(), clientCa: "" },
    clock: systemClock,
    timers: systemTimers,
    reportError: (error) => expect.unreachable(String(error)),
  });
  const refused = async (host: string, at: number): Promise<string> => {
    const connecting = agent.dial(host, at);
    return connecting === undefined ? "of the machine" : connecting.then(() => "connected", String);
  };
  const none = 'connect: no route to host: no pod of node "sim" has that address';
  const silent = 'connect: connection refused: nothing listens on that port of node "sim"';
  for (const host of ["127.0.77.0", "127.0.77.9", "127.0.77.255", "::ffff:127.0.77.9", "::FFFF:7f00:4d09"]) {
    expect(await refused(host, port), host).toMatch(new RegExp(`:${port}: ${none}$`));
  }
  for (const host of ["127.0.77.1", "::ffff:127.0.77.1", "sim", "SIM", "sim."]) {
    expect(await refused(host, port), host).toMatch(new RegExp(`:${port}: ${silent}$`));
  }
  for (const host of ["127.0.76.255", "127.0.78.0", "127.0.0.1", "::1", "sim.example", "simx", ""]) {
    expect(await refused(host, port), host).toBe("of the machine");
  }
  await agent.stop();
});
