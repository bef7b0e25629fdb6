import { createServer, type Server } from "node:https";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createTcpServer, type AddressInfo, type Server as TcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/time/clock.js";
import { configFromText } from "../../src/client/config/load-config.js";
import { dial } from "../../src/client/transport/dial.js";
import { localPort } from "../../src/cluster/index.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { CONFIG_MAPS, configure } from "../helpers/configured-webhooks.js";
import { eventually } from "../helpers/eventually.js";
import { certificates, deny, startWebhookServer, type WebhookServer } from "../helpers/webhook-server.js";
import { Arena, pod, textIn } from "./arena.js";

// Webhooks of every kind whose address is that of a pod or a node of this process. A webhook of the machine's network listens by the node's
// name, "localhost", so that a call that leaves the process reaches something.

const CORE = "/api/v1/namespaces/default";
const HOOK_PORT = 8443;
const SILENT_PORT = 9443;

let arena: Arena;
/** What the pod serves, with a certificate for its address. */
let inside: WebhookServer;
/** The machine's, which no call may reach. */
let outside: Server;
let outsidePort: number;
let outsideCalls = 0;
let folder: string;
/** The first pod of the first node. */
const podIp = "10.244.0.2";

const kubeconfig = (server: string, caBundle: string): string =>
  JSON.stringify({
    clusters: [{ name: "c", cluster: { server, "certificate-authority-data": caBundle } }],
    users: [{ name: "u", user: {} }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kubets-webhooks-of-pods-"));
  inside = await startWebhookServer({ names: [podIp, "hook.default.svc", "localhost"] });
  inside.on("/deny", (asked) => deny(asked, { message: "from the pod" }));
  inside.on("/convert", ({ request, body }) => ({
    apiVersion: (JSON.parse(body) as JsonObject)["apiVersion"],
    kind: "ConversionReview",
    response: {
      uid: request["uid"],
      result: { status: "Success" },
      convertedObjects: (request["objects"] as JsonObject[]).map((object) => ({
        ...object,
        apiVersion: request["desiredAPIVersion"],
      })),
    },
  }));
  inside.on("/images", () => ({
    apiVersion: "imagepolicy.k8s.io/v1alpha1",
    kind: "ImageReview",
    status: { allowed: false, reason: "from the pod" },
  }));
  inside.on("/tokens", () => ({
    apiVersion: "authentication.k8s.io/v1",
    kind: "TokenReview",
    status: { authenticated: true, user: { username: "jane-of-the-pod" } },
  }));
  inside.on("/access", () => ({
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    status: { allowed: false, denied: true, reason: "from the pod" },
  }));
  const { leaf } = certificates(["localhost"]);
  outside = createServer({ key: leaf.key, cert: leaf.certificate }).on("connection", () => outsideCalls++);
  await new Promise<void>((resolve) => outside.listen(0, "127.0.0.1", resolve));
  outsidePort = (outside.address() as AddressInfo).port;
  const file = (name: string): string => join(folder, name);
  const root = `https://${podIp}:${HOOK_PORT}`;
  writeFileSync(file("tokens"), kubeconfig(`${root}/tokens`, inside.caBundle));
  writeFileSync(file("access"), kubeconfig(`${root}/access`, inside.caBundle));
  const images = { hook: { ports: { [HOOK_PORT]: localPort(inside.port) } } };
  arena = await Arena.open({
    nodes: [{ name: "localhost", images }],
    authentication: { webhook: { configFile: file("tokens"), version: "v1" } },
    authorization: {
      modes: ["Node", "RBAC", "Webhook"],
      webhook: { kubeconfig: file("access"), version: "v1" },
    },
    admission: {
      enable: ["ImagePolicyWebhook"],
      configuration: {
        ImagePolicyWebhook: {
          client: await configFromText(kubeconfig(`${root}/images`, inside.caBundle)),
          defaultAllow: true,
        },
      },
    },
  });
  await arena.create(`${CORE}/serviceaccounts`, { metadata: { name: "default" } });
  const containers = [
    {
      name: "c",
      image: "hook",
      ports: [{ containerPort: HOOK_PORT, hostPort: HOOK_PORT }, { containerPort: SILENT_PORT }],
    },
  ];
  // Nothing serves images' webhook yet, and the default lets the pod in.
  await arena.create(
    `${CORE}/pods`,
    pod("hook", { nodeName: "localhost", automountServiceAccountToken: false, containers }),
  );
  await eventually(async () => {
    const read = await call(arena.admin, "GET", `${CORE}/pods/hook`);
    expect([read.at("status.phase"), textIn(read, "status.podIP")]).toEqual(["Running", podIp]);
  });
});

afterAll(async () => {
  await arena?.[Symbol.asyncDispose]();
  await inside?.[Symbol.asyncDispose]();
  outside?.closeAllConnections();
  outside?.close();
  rmSync(folder, { recursive: true, force: true });
  expect(outsideCalls).toBe(0);
});

async function endpoints(name: string, address: string | undefined, port: number): Promise<void> {
  await arena.create(`${CORE}/services`, { metadata: { name }, spec: { ports: [{ port: 443, name: "https" }] } });
  if (address === undefined) return;
  await arena.create("/apis/discovery.k8s.io/v1/namespaces/default/endpointslices", {
    metadata: { name, labels: { "kubernetes.io/service-name": name } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address] }],
    ports: [{ name: "https", port }],
  });
}

const ADDRESSES: readonly (readonly [title: string, config: () => Promise<object> | object, answer: string])[] = [
  [
    "a service that leads to a pod is called there",
    async () => {
      await endpoints("hook", podIp, HOOK_PORT);
      return { service: { namespace: "default", name: "hook", path: "/deny" } };
    },
    "denied the request: from the pod",
  ],
  [
    "a pod's address is called there",
    () => ({ url: `https://${podIp}:${HOOK_PORT}/deny` }),
    "denied the request: from the pod",
  ],
  [
    "a node's name leads to the pod of its host port",
    () => ({ url: `https://localhost:${HOOK_PORT}/deny` }),
    "denied the request: from the pod",
  ],
  [
    "a node's name and the port of another program",
    () => ({ url: `https://localhost:${outsidePort}/deny` }),
    'connection refused: nothing listens on that port of node "localhost"',
  ],
  [
    "a service without endpoints",
    async () => {
      await endpoints("empty", undefined, 0);
      return { service: { namespace: "default", name: "empty", path: "/deny" } };
    },
    'no endpoints available for service "empty"',
  ],
  [
    "a port of a pod on which nothing listens",
    () => ({ url: `https://${podIp}:${SILENT_PORT}/deny` }),
    `dial tcp ${podIp}:${SILENT_PORT}: connect: connection refused`,
  ],
  [
    "a port that a pod does not have",
    () => ({ url: `https://${podIp}:1/deny` }),
    `dial tcp ${podIp}:1: connect: connection refused`,
  ],
  [
    "an address that no pod has",
    () => ({ url: "https://10.244.0.99:1/deny" }),
    'connect: no route to host: no pod of node "localhost" has that address',
  ],
  [
    "an authority that did not sign the pod's certificate",
    () => ({
      url: `https://${podIp}:${HOOK_PORT}/deny`,
      caBundle: Buffer.from(certificates([podIp]).authority.certificate).toString("base64"),
    }),
    "x509: certificate signed by unknown authority",
  ],
];

test.each(ADDRESSES)("an admission webhook: %s", async (_, config, reason) => {
  const clientConfig = { caBundle: inside.caBundle, ...(await config()) };
  await using _configured = await configure(arena.admin, "validating", [
    { clientConfig, rules: [{ ...CONFIG_MAPS, operations: ["CREATE"] }], failurePolicy: "Fail" },
  ]);
  await eventually(async () => {
    const answer = await call(arena.admin, "POST", `${CORE}/configmaps?dryRun=All`, { metadata: { name: "asked" } });
    expect(answer.at("message")).toContain(reason);
  });
});

describe("a conversion webhook", () => {
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  async function objectsOf(kind: string, clientConfig: object) {
    const plural = `${kind.toLowerCase()}s`;
    const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
    await arena.create(definitions, {
      metadata: { name: `${plural}.stable.example.com` },
      spec: {
        group: "stable.example.com",
        scope: "Namespaced",
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [
          { name: "v1", served: true, storage: true, schema },
          { name: "v2", served: true, storage: false, schema },
        ],
        conversion: {
          strategy: "Webhook",
          webhook: { clientConfig: { caBundle: inside.caBundle, ...clientConfig }, conversionReviewVersions: ["v1"] },
        },
      },
    });
    const path = (version: string) => `/apis/stable.example.com/${version}/namespaces/default/${plural}`;
    await eventually(async () => {
      const made = await call(arena.admin, "POST", path("v1"), {
        apiVersion: "stable.example.com/v1",
        kind,
        metadata: { name: "one" },
      });
      expect([201, 409]).toContain(made.status);
    });
    return call(arena.admin, "GET", `${path("v2")}/one`);
  }

  test("given by a pod's address is called in the pod", async () => {
    const read = await objectsOf("Inside", { url: `https://${podIp}:${HOOK_PORT}/convert` });
    expect([read.status, read.at("apiVersion")]).toEqual([200, "stable.example.com/v2"]);
  });

  test("at an address where nothing listens fails with the reason", async () => {
    const read = await objectsOf("Silent", { url: `https://${podIp}:${SILENT_PORT}/convert` });
    expect([read.status, read.at("message")]).toEqual([
      500,
      expect.stringContaining(`dial tcp ${podIp}:${SILENT_PORT}: connect: connection refused`),
    ]);
  });
});

describe("a webhook given by a kubeconfig whose server is a pod", () => {
  test("reviews images", async () => {
    const answer = await call(arena.admin, "POST", `${CORE}/pods`, pod("judged"));
    expect(answer.at("message")).toContain("image policy webhook backend denied one or more images: from the pod");
  });

  test("authenticates and authorizes", async () => {
    const answer = await arena.send("bearer a-token-of-the-webhook", { method: "GET", path: `${CORE}/secrets` });
    expect(answer.status).toBe(403);
    expect(answer.text).toContain('User \\"jane-of-the-pod\\" cannot list resource \\"secrets\\"');
    expect(answer.text).toContain("from the pod");
  });
});

describe("a connection from the server to a simulated pod or node", () => {
  const target = {
    scheme: "https",
    host: "10.244.0.9",
    port: 443,
    tls: {},
    insecureSkipVerify: false,
    clock: systemClock,
  };

  test("ends with its signal while it is being made, or is closed when it is made later", async () => {
    const ending = new AbortController();
    const connection = new PassThrough();
    let made = (): void => {};
    const hosts = { dial: () => new Promise<PassThrough>((resolve) => (made = () => resolve(connection))) };
    const dialled = dial({ ...target, hosts, signal: ending.signal });
    const reason = new Error("the caller has left");
    ending.abort(reason);
    await expect(dialled).rejects.toBe(reason);
    const closed = new Promise<void>((resolve) => connection.once("close", resolve));
    made();
    await closed;
  });

  test("over plain HTTP is refused, without use of the machine's network", async () => {
    let reached = 0;
    const server: TcpServer = createTcpServer(() => reached++);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const { tls: _, ...plain } = { ...target, scheme: "http", host: "127.0.0.1", port };
    const hosts = { dial: () => Promise.resolve(new PassThrough()) };
    await expect(dial({ ...plain, hosts })).rejects.toThrow(
      `dial tcp 127.0.0.1:${port}: a host of a node of this process is reached by https alone`,
    );
    expect(reached).toBe(0);
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
});
