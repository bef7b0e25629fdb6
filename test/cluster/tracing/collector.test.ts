import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { startServer } from "../../../src/cluster/start-server.js";
import { registerApi } from "../../helpers/aggregated-backend.js";
import { done } from "../../helpers/admitting-server.js";
import { call } from "../../helpers/api-caller.js";
import { configure } from "../../helpers/configured-webhooks.js";
import { boxDefinition, boxesOf, DEFINITIONS, established, versionOf } from "../../helpers/custom-definitions.js";
import { etcdMissing, type EtcdServer, startEtcd, tellEtcdMissing } from "../../helpers/etcd.js";
import { eventually } from "../../helpers/eventually.js";
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../../helpers/otlp-collector.js";
import { allow, NO_CALL, startWebhookServer, type WebhookServer } from "../../helpers/webhook-server.js";

tellEtcdMissing("the trace through etcd");

const GROUP = "traced.example.com";
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER = "00f067aa0ba902b7";
/** A trace that the caller samples. */
const SAMPLED = `00-${TRACE}-${CALLER}-01`;

let folder: string;
let collector: OtlpCollector;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "kubets-tracing-"));
  collector = await startOtlpCollector();
});

afterAll(async () => {
  await collector?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a TracingConfiguration that leads to the collector. */
async function configured(name: string, fields: object = {}): Promise<{ configFile: string }> {
  const configFile = join(folder, name);
  const configuration = { apiVersion: "apiserver.config.k8s.io/v1", kind: "TracingConfiguration" };
  await writeFile(configFile, JSON.stringify({ ...configuration, endpoint: collector.endpoint, ...fields }));
  return { configFile };
}

const ALONE = { controllers: false, scheduler: false } as const;

describe.skipIf(etcdMissing !== undefined)("a traced request by two servers to etcd", () => {
  let etcd: EtcdServer;
  let main: Cluster;
  let behind: Cluster;
  let webhook: WebhookServer;

  beforeAll(async () => {
    etcd = await startEtcd();
    webhook = await startWebhookServer();
    main = await startCluster({ ...ALONE, port: false, tracing: await configured("main.json") });
    const published = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
    const { text } = await done(main.transport(), "GET", published);
    const { data } = JSON.parse(text) as { data: Record<string, string> };
    const clientCaFile = join(folder, "front-proxy.crt");
    await writeFile(clientCaFile, data["requestheader-client-ca-file"] ?? "");
    behind = await startCluster({
      ...ALONE,
      storage: "etcd",
      etcd: { servers: [etcd.endpoint] },
      authentication: { requestHeader: { clientCaFile } },
      tracing: await configured("behind.json"),
    });
    const api = behind.transport();
    await done(api, "POST", DEFINITIONS, boxDefinition(GROUP, [versionOf("v1", {})]));
    await established(api, `boxes.${GROUP}`);
    const rules = [{ apiGroups: [GROUP], apiVersions: ["v1"], operations: ["CREATE"], resources: ["boxes"] }];
    await configure(api, "validating", [{ clientConfig: webhook.on("/check", (review) => allow(review)), rules }]);
    const port = Number(new URL(behind.url).port);
    await registerApi(main.transport(), {
      group: GROUP,
      port,
      spec: { caBundle: "", insecureSkipTLSVerify: true },
    });
  });

  afterAll(async () => {
    await Promise.all([main?.close(), behind?.close()]);
    await webhook?.[Symbol.asyncDispose]();
    await etcd?.dispose();
  });

  test("sends the collector one trace, from the caller to the webhook and to etcd", async () => {
    const box = { apiVersion: `${GROUP}/v1`, kind: "Box", metadata: { name: "one" } };
    const headers = { traceparent: SAMPLED, tracestate: "vendor=1", baggage: "shop=lamps" };
    await eventually(async () => {
      const { status, text } = await call(main.transport(), "POST", boxesOf(GROUP), box, { headers });
      expect(status, text).toBe(201);
    });
    const inTrace = ({ traceId }: CollectedSpan) => traceId === TRACE;
    // What is not sent yet is sent at the end.
    await Promise.all([main.close(), behind.close()]);
    const create = await collector.find("Create", inTrace);
    const txn = await collector.find("etcdserverpb.KV/Txn", inTrace);
    const isAnswered = ({ parentId, fields }: CollectedSpan) =>
      parentId === CALLER && fields["http.response.status_code"] === 201;
    const root = await collector.find(`POST ${boxesOf(GROUP).replace("default", "{:namespace}")}`, isAnswered);
    const byId = new Map(collector.spans.filter(inTrace).map((span) => [span.spanId, span]));
    const path = (span: CollectedSpan | undefined): string[] =>
      span === undefined ? [] : [...path(byId.get(span.parentId)), span.name];

    const passedOn = [root.name, "constrainedimpersonation", "authorization", "HTTP POST"];
    const server = [root.name, "constrainedimpersonation", "authorization", "Create"];
    expect(path(create)).toEqual([...passedOn, ...server]);
    expect(path(txn)).toEqual([...passedOn, ...server, "Create etcd3", txn.name]);
    expect(root.kind).toBe(2);
    expect(txn.kind).toBe(3);
    expect(txn.fields).toMatchObject({ "rpc.system": "grpc", "rpc.service": "etcdserverpb.KV", "rpc.method": "Txn" });
    expect(root.fields).toMatchObject({ "http.request.method": "POST", "http.response.status_code": 201 });
    expect(root.resource).toMatchObject({ "service.name": "apiserver" });
    expect(create.fields).toMatchObject({ resource: "boxes", verb: "POST", scope: "resource", "api-group": GROUP });
    expect(create.events).toEqual([
      "limitedReadBody succeeded",
      "About to convert to expected version",
      "Conversion done",
      "About to store object in database",
      "Write to database call succeeded",
      "About to write a response",
      "Writing http response done",
    ]);

    const { headers: asked } = webhook.calls.at(-1) ?? NO_CALL;
    const [, traceId, spanId = ""] = String(asked["traceparent"]).split("-");
    expect(traceId).toBe(TRACE);
    expect(path(byId.get(spanId))).toEqual([...passedOn, ...server, "Call validating webhook", "HTTP POST"]);
    expect([asked["tracestate"], asked["baggage"]]).toEqual(["vendor=1", "shop=lamps"]);
  });
});

describe("FLT-3: the server records traces", () => {
  const ANN = { name: "ann", groups: ["system:authenticated"] };
  const names = (): string[] => collector.spans.map(({ name }) => name);

  test("without a sampling rate only for callers that sample theirs", async () => {
    await using cluster = await startCluster({ ...ALONE, port: false, tracing: await configured("never.json") });
    const api = cluster.transport();
    await call(api, "GET", "/api/v1/nodes/unsampled");
    await call(api, "GET", "/api/v1/namespaces/unsampled/pods", undefined, {
      headers: { traceparent: `00-${TRACE}-${CALLER}-00` },
    });
    await call(api, "GET", "/apis/apps/v1/deployments", undefined, { headers: { traceparent: SAMPLED } });
    await cluster.close();
    expect(names()).toContain("GET /apis/apps/v1/deployments");
    expect(names()).not.toContain("GET /api/v1/nodes/{:name}");
    expect(names()).not.toContain("GET /api/v1/namespaces/{:namespace}/pods");
  });

  test("with a rate of a million for all requests; an untrusted caller's request begins a trace that links to the caller's", async () => {
    await using cluster = await startCluster({
      ...ALONE,
      port: false,
      authenticators: [({ headers }) => (headers["authorization"] === "Bearer of-ann" ? ANN : undefined)],
      tracing: await configured("always.json", { samplingRatePerMillion: 1_000_000 }),
    });
    const headers = { authorization: "Bearer of-ann", "user-agent": "ann", traceparent: SAMPLED };
    await call(cluster.transport(), "GET", "/api/v1/services", undefined, { headers });
    await cluster.close();
    const span = await collector.find("GET /api/v1/services", ({ fields }) => fields["user_agent.original"] === "ann");
    expect(span.traceId).not.toBe(TRACE);
    expect([span.parentId, span.links]).toEqual(["", [TRACE]]);
    expect(span.fields).toMatchObject({ "http.response.status_code": 403 });
  });
});

describe("an invalid tracing configuration stops the start", () => {
  const start = (configFile: string) => startServer({ port: false, tracing: { configFile } });

  test.each([
    [
      "unknown field",
      { colour: "red" },
      'failed to read tracing config: unable to decode tracing configuration data: strict decoding error: unknown field "colour" (in "FILE")',
    ],
    [
      "negative rate",
      { samplingRatePerMillion: -1 },
      'failed to validate tracing configuration: samplingRatePerMillion: Invalid value: -1: sampling rate must be positive (in "FILE")',
    ],
    [
      "large rate",
      { samplingRatePerMillion: 1_000_001 },
      'failed to validate tracing configuration: samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or equal to one million (in "FILE")',
    ],
    [
      "other scheme",
      { endpoint: "https://collector:4317" },
      'failed to validate tracing configuration: endpoint: Invalid value: "https://collector:4317": unsupported scheme: https.  Options are none, dns, unix, or unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md (in "FILE")',
    ],
    [
      "other version",
      { apiVersion: "apiserver.config.k8s.io/v2" },
      'failed to read tracing config: unable to decode tracing configuration data: no kind "TracingConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "k8s.io/apiserver/pkg/server/options/tracing.go:49" (in "FILE")',
    ],
  ])("with: %s", async (name, fields, message) => {
    const { configFile } = await configured(`${name}.json`, fields);
    await expect(start(configFile)).rejects.toThrow(new Error(message.replace("FILE", configFile)));
  });

  test("with a file that does not exist", async () => {
    const file = join(folder, "missing.json");
    await expect(start(file)).rejects.toThrow(`tracing-config-file ${file} does not exist`);
  });

  test("with an egress selection for the control plane, which traces would bypass", async () => {
    const { configFile } = await configured("proxied.json");
    const egress = [
      {
        name: "controlplane",
        connection: { proxyProtocol: "HTTPConnect", transport: { uds: { udsName: "/run/proxy" } } },
      },
    ];
    await expect(startServer({ port: false, egress, tracing: { configFile } })).rejects.toThrow(
      "traces are not sent through a proxy",
    );
  });

  test.each(["v1", "v1beta1", "v1alpha1"])("a tracing configuration of version %s is accepted", async (version) => {
    const fields = { apiVersion: `apiserver.config.k8s.io/${version}`, samplingRatePerMillion: 1 };
    const server = await start((await configured(`${version}.json`, fields)).configFile);
    await server.close();
  });
});
