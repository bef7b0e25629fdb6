import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createTransport } from "../../../src/client/transport/create-transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { startKmsPlugin } from "../../helpers/kms-plugin.js";
import { type CollectedSpan, type OtlpCollector, startOtlpCollector } from "../../helpers/otlp-collector.js";

const CALLER = "00f067aa0ba902b7";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const SECRETS = "/api/v1/namespaces/default/secrets";
const STATE = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
const TABLE = "application/json;as=Table;g=meta.k8s.io;v=v1";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

/** The requests whose spans the tests look at, each in a trace of its caller's. */
const REQUESTS = {
  create: { method: "POST", path: CONFIG_MAPS, body: { metadata: { name: "typed" } } },
  json: { path: CONFIG_MAPS },
  yaml: { path: CONFIG_MAPS, accept: "application/yaml" },
  pretty: { path: `${CONFIG_MAPS}?pretty=true` },
  protobuf: { path: "/apis/apps/v1/deployments", accept: PROTOBUF },
  table: { path: CONFIG_MAPS, accept: TABLE },
  missing: { path: `${CONFIG_MAPS}/missing` },
  state: { path: `${CONFIG_MAPS}?watch=true&timeoutSeconds=1&${STATE}` },
  watch: { path: `${CONFIG_MAPS}?watch=true&timeoutSeconds=1` },
  secret: { method: "POST", path: SECRETS, body: { metadata: { name: "kept" } } },
} as const satisfies Record<string, { path: string; method?: string; accept?: string; body?: object }>;

type RequestName = keyof typeof REQUESTS | "wire";

const NAMES: readonly RequestName[] = [...(Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]), "wire"];
const traceOf = (name: RequestName): string => String(NAMES.indexOf(name)).padStart(32, "a");
const parentOf = (name: RequestName) => ({ traceparent: `00-${traceOf(name)}-${CALLER}-01` });

async function requestAll(cluster: Cluster): Promise<void> {
  const inProcess = cluster.transport();
  const all = (Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]).map(async (name) => {
    const {
      method = "GET",
      path,
      body,
      accept = "application/json",
    } = { method: "GET", ...REQUESTS[name] } as {
      readonly path: string;
      readonly method?: string;
      readonly body?: object;
      readonly accept?: string;
    };
    const answer = await call(inProcess, method, path, body, { accept, headers: parentOf(name) });
    expect([200, 201, 404], answer.text).toContain(answer.status);
  });
  await Promise.all(all);
  const headers = { "audit-id": "alone" };
  await call(inProcess, "POST", CONFIG_MAPS, { metadata: { name: "alone" } }, { headers });
  const { users } = JSON.parse(cluster.kubeconfig()) as { users: { user: Record<string, string> }[] };
  const pem = (field: string): Buffer => Buffer.from(users[0]?.user[`client-${field}-data`] ?? "", "base64");
  const pair = { certData: pem("certificate"), keyData: pem("key") };
  const wire = createTransport({ server: cluster.url, tls: { insecureSkipVerify: true, ...pair } });
  await call(wire, "GET", "/version", undefined, { headers: parentOf("wire") });
  await wire.close();
  const stranger = createTransport({ server: cluster.url, tls: { insecureSkipVerify: true } });
  const wrong = { authorization: "Bearer wrong", "user-agent": "refused" };
  expect((await call(stranger, "GET", CONFIG_MAPS, undefined, { headers: wrong })).status).toBe(401);
  await stranger.close();
}

describe("FLT-3: the spans that the server records for a request", () => {
  let folder: string;
  let collector: OtlpCollector;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "kubets-spans-"));
    collector = await startOtlpCollector();
    const kms = await startKmsPlugin(join(folder, "kms.sock"));
    const configFile = join(folder, "tracing.json");
    const configuration = { apiVersion: "apiserver.config.k8s.io/v1", kind: "TracingConfiguration" };
    const { endpoint } = collector;
    await writeFile(configFile, JSON.stringify({ ...configuration, endpoint, samplingRatePerMillion: 1_000_000 }));
    const provider = { kms: { apiVersion: "v2", name: "vault", endpoint: kms.endpoint } };
    const cluster = await startCluster({
      controllers: false,
      scheduler: false,
      storage: "memory",
      tracing: { configFile },
      encryption: { resources: [{ resources: ["secrets"], providers: [provider] }] },
    });
    try {
      await requestAll(cluster);
    } finally {
      // What is not sent yet is sent now.
      await cluster.close();
      await kms.stop();
    }
  });

  afterAll(async () => {
    await collector?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const spansOf = (request: RequestName): readonly CollectedSpan[] =>
    collector.spans.filter(({ traceId }) => traceId === traceOf(request));
  const find = (name: string, isMeant: (span: CollectedSpan) => boolean): CollectedSpan => {
    const found = collector.spans.find((span) => span.name === name && isMeant(span));
    if (found === undefined) throw new Error(`no span "${name}" of this kind was collected`);
    return found;
  };
  const spanOf = (request: RequestName, name: string): CollectedSpan =>
    find(name, ({ traceId }) => traceId === traceOf(request));

  /** A span and its parents in its trace, from the outermost on. */
  const pathOf = ({ traceId, parentId, name }: CollectedSpan): readonly string[] => {
    const parent = collector.spans.find((span) => span.traceId === traceId && span.spanId === parentId);
    return [...(parent === undefined ? [] : pathOf(parent)), name];
  };

  const MAPS = "/api/v1/namespaces/{:namespace}/configmaps";
  const BEHIND = ["constrainedimpersonation", "authorization"];
  const encoderOf = (encodeGV: string, encoder: object | string): string => {
    const inner = typeof encoder === "string" ? encoder : JSON.stringify(encoder);
    return JSON.stringify({ encodeGV, encoder: inner, name: "versioning" });
  };
  const JSON_ENCODER = { name: "json", pretty: "false", strict: "false", yaml: "false" };

  test("begin with the authentication when the caller sends no trace", () => {
    const create = find("Create", ({ fields }) => fields["audit-id"] === "alone");
    expect(pathOf(create)).toEqual(["authentication", `POST ${MAPS}`, ...BEHIND, "Create"]);
  });

  test("are apart from the authentication's trace when the caller sends one", () => {
    expect(spanOf("wire", "GET").parentId).toBe(CALLER);
    expect(spansOf("wire").map(({ name }) => name)).not.toContain("authentication");
  });

  test("are only that of the authentication when it refuses the request", () => {
    const counts = new Map<string, number>();
    for (const { traceId } of collector.spans) counts.set(traceId, (counts.get(traceId) ?? 0) + 1);
    expect(collector.spans.some(({ fields }) => fields["user_agent.original"] === "refused")).toBe(false);
    // Those of the requests that have a trace of their caller's, and that of the refused one.
    const alone = collector.spans.filter(({ traceId }) => counts.get(traceId) === 1).map(({ name }) => name);
    expect(alone).toEqual(Array.from({ length: NAMES.length + 1 }, () => "authentication"));
  });

  test("name the scheme of the connection in url.scheme", () => {
    expect(spanOf("wire", "GET").fields).toMatchObject({ "url.scheme": "https", "url.path": "/version" });
  });

  test("name the type of what the storage writes", () => {
    const { fields } = spanOf("create", "Create memory");
    expect(fields).toMatchObject({ type: "*core.ConfigMap", group: "", resource: "configmaps" });
  });

  test.each([
    ["json", encoderOf("v1", JSON_ENCODER)],
    ["yaml", encoderOf("v1", { ...JSON_ENCODER, yaml: "true" })],
    ["pretty", encoderOf("v1", { ...JSON_ENCODER, pretty: "true" })],
    ["protobuf", encoderOf("apps/v1", "protobuf")],
    ["table", encoderOf("meta.k8s.io/v1", JSON_ENCODER)],
  ] as const)("name the encoder of SerializeObject: %s", (request, encoder) => {
    expect(spanOf(request, "SerializeObject").fields["encoder"]).toBe(encoder);
  });

  test("put the encoding of an error below the verb that failed", () => {
    const span = spanOf("missing", "SerializeObject");
    expect(pathOf(span)).toEqual([`GET ${MAPS}/{:name}`, ...BEHIND, "Get", "SerializeObject"]);
    expect(span.fields).toMatchObject({ mediaType: "application/json", encoder: encoderOf("v1", JSON_ENCODER) });
  });

  test("have one part for opening a watch that begins with a list, and one for sending the list", () => {
    const [opened, sent] = [spanOf("state", "cacher.Watch"), spanOf("state", "WatchServer.HandleHTTP")];
    const watch = [`GET ${MAPS}`, ...BEHIND, "WatchList"];
    expect(pathOf(opened)).toEqual([...watch, "cacher.Watch"]);
    expect(pathOf(sent)).toEqual([...watch, "WatchServer.HandleHTTP"]);
    expect(opened.fields).toMatchObject({ type: "configmaps" });
    expect(sent.fields).toMatchObject({ mediaType: "application/json", encoder: encoderOf("v1", JSON_ENCODER) });
    expect(sent.events).toEqual(["About to start writing response", "Writing initial events done"]);
  });

  test("have for another watch only the part for opening it", () => {
    const names = spansOf("watch").map(({ name }) => name);
    expect(names).toContain("cacher.Watch");
    expect(names).not.toContain("WatchServer.HandleHTTP");
  });

  test("have a part for each value that a KMS provider encrypts", () => {
    const written = spanOf("secret", "TransformToStorage with envelopeTransformer");
    const root = "POST /api/v1/namespaces/{:namespace}/secrets";
    expect(pathOf(written)).toEqual([root, ...BEHIND, "Create", "Create memory", written.name]);
    expect(written.fields).toEqual({ "transformer.provider.name": "vault" });
    expect(written.events).toEqual([
      "About to encrypt data using DEK",
      "Data encryption succeeded",
      "About to encode encrypted object",
      "Encoded encrypted object",
    ]);
  });
});
