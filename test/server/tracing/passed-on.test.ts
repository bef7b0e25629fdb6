import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { type Metadata, Server, ServerCredentials } from "@grpc/grpc-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/base/time/clock.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { inSpan } from "../../../src/machinery/tracing/request-span.js";
import { parseTraceParent, PassedSpan } from "../../../src/server/filters/tracing.js";
import { EtcdClient } from "../../../src/server/storage/etcd/etcd-client.js";
import { range } from "../../../src/server/storage/etcd/messages.js";
import { Backend, registerApi, untilAvailable } from "../../helpers/aggregated-backend.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { boxDefinition, boxesOf, DEFINITIONS, established, versionOf } from "../../helpers/custom-definitions.js";
import { kubeletCertificate } from "../../helpers/kubelet-certificate.js";
import { allow, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

const PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const HEADERS = { traceparent: PARENT, tracestate: "a=1", baggage: "b=2" };

describe("the server reads W3C's traceparent header", () => {
  const [id, span] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
  test.each([
    [PARENT, { traceId: id, spanId: span, flags: 1 }],
    [`00-${id}-${span}-00`, { traceId: id, spanId: span, flags: 0 }],
    [`cc-${id}-${span}-03-later`, { traceId: id, spanId: span, flags: 1 }],
    [`00-${id}-${span}-01-more`, undefined],
    [`ff-${id}-${span}-01`, undefined],
    [`00-${"0".repeat(32)}-${span}-01`, undefined],
    [`00-${id}-${"0".repeat(16)}-01`, undefined],
    [`00-${id.toUpperCase()}-${span}-01`, undefined],
    ["nonsense", undefined],
    [undefined, undefined],
  ])("%s", (header, parent) => expect(parseTraceParent(header)).toEqual(parent));
});

describe("a server that records no spans passes on its caller's trace", () => {
  let folder: string;
  let cluster: Cluster;
  let webhook: WebhookServer;
  let backend: Backend;
  const { certificate: cert, key } = kubeletCertificate();
  const kubelet = createServer({ cert, key });
  const asked: unknown[] = [];

  const api = (method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> =>
    call(cluster.transport(), method, path, body, { headers });
  /** What of a trace the last call of a webhook had. */
  const traceOf = (headers: object | undefined): unknown => {
    const { traceparent, tracestate, baggage } = { ...headers } as Readonly<Record<string, unknown>>;
    return { traceparent, tracestate, baggage };
  };
  const lastCall = (path: string): unknown =>
    traceOf(webhook.calls.findLast((one) => one.path.startsWith(path))?.headers);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-passed-on-"));
    webhook = await startWebhookServer();
    const kubeconfig = async (name: string): Promise<string> => {
      const { url, caBundle } = webhook.on(`/${name}`, ANSWERS[name] ?? (() => ({})));
      const server = { server: url, "certificate-authority-data": caBundle };
      const file = join(folder, `${name}.json`);
      const named = { clusters: [{ name: "w", cluster: server }], users: [{ name: "w", user: {} }] };
      const contexts = [{ name: "w", context: { cluster: "w", user: "w" } }];
      await writeFile(file, JSON.stringify({ kind: "Config", ...named, contexts, "current-context": "w" }));
      return file;
    };
    cluster = await startCluster({
      port: false,
      controllers: false,
      scheduler: false,
      authentication: { webhook: { configFile: await kubeconfig("authn"), version: "v1" } },
      authorization: {
        modes: ["RBAC", "Webhook"],
        webhook: { kubeconfig: await kubeconfig("authz"), version: "v1" },
      },
    });
    kubelet.on("request", (request, response) => {
      asked.push(traceOf(request.headers));
      response.end("a line\n");
    });
    kubelet.listen(0, "127.0.0.1");
    await once(kubelet, "listening");
    backend = await Backend.start("passed.example.com", (_, response) => response.end("{}"));
  });

  afterAll(async () => {
    await cluster?.close();
    await backend?.[Symbol.asyncDispose]();
    await webhook?.[Symbol.asyncDispose]();
    kubelet.closeAllConnections();
    await new Promise((resolve) => kubelet.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  test("to webhooks of authentication and authorization", async () => {
    const answer = await api("GET", "/api/v1/nodes", undefined, { authorization: "Bearer of-ann", ...HEADERS });
    expect(answer.status, answer.text).toBe(200);
    expect(lastCall("/authn")).toEqual(HEADERS);
    expect(lastCall("/authz")).toEqual(HEADERS);
  });

  test("to admission webhooks, and nothing when the caller has none", async () => {
    const clientConfig = webhook.on("/admit", (review) => allow(review));
    await using _ = await configure(cluster.transport(), "validating", [{ clientConfig }]);
    const path = "/api/v1/namespaces/default/configmaps";
    await api("POST", path, { metadata: { name: "traced" } }, HEADERS);
    expect(lastCall("/admit")).toEqual(HEADERS);
    await api("POST", path, { metadata: { name: "untraced" } });
    expect(lastCall("/admit")).toEqual({});
  });

  test("to conversion webhooks", async () => {
    const group = "converted.example.com";
    const strategy = "Webhook";
    const clientConfig = webhook.on("/convert", ANSWERS["convert"] ?? (() => ({})));
    const conversion = { strategy, webhook: { clientConfig, conversionReviewVersions: ["v1"] } };
    const versions = [versionOf("v1", {}), versionOf("v2", {}, { storage: false })];
    await api("POST", DEFINITIONS, boxDefinition(group, versions, { conversion }));
    await established(cluster.transport(), `boxes.${group}`);
    const box = { apiVersion: `${group}/v2`, kind: "Box", metadata: { name: "one" } };
    const answer = await api("POST", boxesOf(group, "v2"), box, HEADERS);
    expect(answer.status, answer.text).toBe(201);
    expect(lastCall("/convert")).toEqual(HEADERS);
  });

  test("to extension servers behind the aggregator", async () => {
    await registerApi(cluster.transport(), { group: "passed.example.com", port: backend.port });
    await untilAvailable(cluster.transport(), "passed.example.com");
    await api("GET", "/apis/passed.example.com/v1/namespaces/default/things", undefined, HEADERS);
    const request = backend.requests.findLast(({ url }) => url.endsWith("/things"));
    expect(traceOf(request?.headers)).toEqual(HEADERS);
  });

  test("to kubelets", async () => {
    await api("POST", "/api/v1/nodes", { metadata: { name: "far" } });
    const node = JSON.parse((await api("GET", "/api/v1/nodes/far")).text) as object;
    const { port: Port } = kubelet.address() as AddressInfo;
    const addresses = [{ type: "InternalIP", address: "127.0.0.1" }];
    const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port } } };
    await api("PUT", "/api/v1/nodes/far/status", { ...node, status });
    await api("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "default" } });
    const spec = { nodeName: "far", containers: [{ name: "web", image: "web" }] };
    await api("POST", "/api/v1/namespaces/default/pods", { metadata: { name: "web" }, spec });
    const log = await api("GET", "/api/v1/namespaces/default/pods/web/log", undefined, HEADERS);
    expect([log.text, asked.at(-1)]).toEqual(["a line\n", HEADERS]);
    await api("GET", "/api/v1/nodes/far/proxy/stats", undefined, HEADERS);
    expect(asked).toEqual([HEADERS, HEADERS]);
  });
});

const reviewed = (kind: string, group: string, status: object): object => ({ apiVersion: `${group}/v1`, kind, status });

/** What the webhooks answer. */
const ANSWERS: Readonly<Record<string, Parameters<WebhookServer["on"]>[1]>> = {
  authn: () => reviewed("TokenReview", "authentication.k8s.io", { authenticated: true, user: { username: "ann" } }),
  authz: () => reviewed("SubjectAccessReview", "authorization.k8s.io", { allowed: true }),
  convert: ({ body }) => {
    const { request, ...review } = JSON.parse(body) as {
      request: { uid: string; desiredAPIVersion: string; objects: object[] };
    };
    const { uid, desiredAPIVersion: apiVersion, objects } = request;
    const convertedObjects = objects.map((object) => ({ ...object, apiVersion }));
    return { ...review, response: { uid, convertedObjects, result: { status: "Success" } } };
  },
};

test("the server sends the trace in the metadata of calls to etcd", async () => {
  const etcd = new Server();
  const seen: Metadata[] = [];
  const plain = (bytes: Buffer): Buffer => bytes;
  const coding = {
    requestSerialize: plain,
    requestDeserialize: plain,
    responseSerialize: plain,
    responseDeserialize: plain,
  };
  const method = { path: range.path, requestStream: false, responseStream: false, ...coding };
  etcd.addService(
    { range: method },
    {
      range(given: { readonly metadata: Metadata }, answer: (error: null, bytes: Buffer) => void) {
        seen.push(given.metadata);
        answer(null, Buffer.alloc(0));
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    etcd.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  const addresses = [{ target: `127.0.0.1:${port}` }];
  const client = new EtcdClient({ addresses, timeoutMilliseconds: 60_000, clock: systemClock });
  try {
    await inSpan(new PassedSpan({ traceparent: PARENT }, ""), () => client.read(range, { key: Buffer.from("a") }));
    await client.read(range, { key: Buffer.from("a") });
    expect(seen.map((metadata) => metadata.get("traceparent"))).toEqual([[PARENT], []]);
  } finally {
    client.close();
    etcd.forceShutdown();
  }
});

describe("a Node program that runs the server", () => {
  const run = async (program: string): Promise<unknown> => {
    const root = resolve(import.meta.dirname, "../../..");
    const given = ["--input-type=module", "--eval", program];
    const { stdout } = await promisify(execFile)(process.execPath, given, { cwd: root });
    return JSON.parse(stdout);
  };

  test("with an OpenTelemetry SDK sees the server's spans as parts of its caller's trace", async () => {
    const spans = await run(`
      import { trace } from "@opentelemetry/api";
      import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
      import { int32, kind, startServer, struct } from "kubets/server";
      const exporter = new InMemorySpanExporter();
      trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
      const lamps = kind("home.example.com", "Lamp", { v1: struct("Lamp", { spec: struct("LampSpec", { lux: int32 }) }) });
      const server = await startServer({ port: false, resources: [lamps] });
      const path = "/apis/home.example.com/v1/namespaces/default/lamps";
      const headers = { traceparent: ${JSON.stringify(PARENT)}, "content-type": "application/json" };
      const body = Buffer.from(JSON.stringify({ metadata: { name: "white" } }));
      const answer = await server.transport().send({ method: "POST", path, headers, body });
      for await (const _ of answer.body);
      await server.close();
      const spans = exporter.getFinishedSpans().filter((span) => span.spanContext().traceId === ${JSON.stringify(PARENT.split("-")[1])});
      const names = new Map(spans.map((span) => [span.spanContext().spanId, span.name]));
      const parentOf = ({ parentSpanContext: parent }) => names.get(parent?.spanId) ?? parent?.spanId;
      console.log(JSON.stringify(spans.map((span) => [parentOf(span), span.name])));
    `);
    const root = "POST /apis/home.example.com/v1/namespaces/{:namespace}/lamps";
    expect(spans).toEqual(
      expect.arrayContaining([
        [PARENT.split("-")[2], root],
        [root, "constrainedimpersonation"],
        ["constrainedimpersonation", "authorization"],
        ["authorization", "Create"],
        ["Create", "Create memory"],
        ["Create", "SerializeObject"],
      ]),
    );
  });

  test("without an OpenTelemetry SDK loads nothing of it", async () => {
    const loaded = await run(`
      import { createRequire } from "node:module";
      import { startServer } from "kubets/server";
      const server = await startServer({ port: false });
      await server.close();
      const { cache } = createRequire(process.cwd() + "/");
      console.log(JSON.stringify(Object.keys(cache).filter((file) => file.includes("opentelemetry"))));
    `);
    expect(loaded).toEqual([]);
  });
});
