import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { builtinRecords } from "../../src/server/builtin/index.js";
import { createServer } from "../../src/server/generic/server.js";
import { createStorage } from "../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../src/server/storage/memory/memory-kv.js";
import { call } from "../helpers/api-caller.js";
import { ManualTime } from "../helpers/manual-time.js";
import { systemRandom } from "../../src/base/numbers/random.js";
import { seededRandom } from "../helpers/seeded-random.js";
import {
  http1Client,
  http2Client,
  type WireAnswer,
  type WireClient,
  type WireRequest,
} from "../helpers/wire-client.js";
import { eventually } from "../helpers/eventually.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const JSON_BODY = { "content-type": "application/json" };
const METHOD_NOT_ALLOWED = "the server does not allow this method on the requested resource";

const parsed = ({ body }: WireAnswer) => JSON.parse(body.toString()) as Record<string, unknown>;
const events = ({ body }: WireAnswer) =>
  body
    .toString()
    .trimEnd()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as { type: string; object: Record<string, unknown> });

describe.each([
  ["HTTP/1.1", http1Client],
  ["HTTP/2", http2Client],
] as const)("the API over %s, byte by byte", (protocol, connect) => {
  let cluster: Cluster;
  let client: WireClient;

  beforeAll(async () => {
    cluster = await startCluster();
    client = connect(cluster);
  });
  afterAll(async () => {
    client.close();
    await cluster.close();
  });

  const create = (name: string, more: object = {}, query = "") =>
    client.send({
      method: "POST",
      path: MAPS + query,
      headers: JSON_BODY,
      body: JSON.stringify({ metadata: { name }, ...more }),
    });

  const refusals: readonly (WireRequest & { name: string; status: number; message: string })[] = [
    { name: "OPTIONS", method: "OPTIONS", path: MAPS, status: 405, message: METHOD_NOT_ALLOWED },
    { name: "a method nobody knows", method: "PURGE", path: MAPS, status: 405, message: METHOD_NOT_ALLOWED },
    { name: "PUT to a collection", method: "PUT", path: MAPS, status: 405, message: METHOD_NOT_ALLOWED },
    {
      name: "a write to the watch path",
      method: "POST",
      path: "/api/v1/watch/configmaps",
      status: 405,
      message: METHOD_NOT_ALLOWED,
    },
    {
      name: "JSON that ends too early",
      method: "POST",
      path: MAPS,
      headers: JSON_BODY,
      body: '{"metadata":',
      status: 400,
      message:
        'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: unexpected end of JSON input ({"metadata":)',
    },
    {
      name: "JSON of a depth that would break a parser",
      method: "POST",
      path: MAPS,
      headers: JSON_BODY,
      body: `{"metadata":{"name":"deep"},"data":${"[".repeat(200_000)}${"]".repeat(200_000)}}`,
      status: 400,
      message:
        'the object provided is unrecognized (must be of type ConfigMap): couldn\'t get version/kind; json parse error: exceeded max depth ({"metadata":{"name":"deep"},"d ...)',
    },
    {
      name: "a body of more than 3 MiB",
      method: "POST",
      path: MAPS,
      headers: JSON_BODY,
      body: " ".repeat(5 * 2 ** 20),
      status: 413,
      message: "Request entity too large: limit is 3145728",
    },
    {
      name: "server-side apply that does not say for whom",
      method: "PATCH",
      path: `${MAPS}/x`,
      headers: { "content-type": "application/apply-patch+yaml" },
      body: "{}",
      status: 422,
      message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    },
    {
      name: "a finalizer that names nobody",
      method: "POST",
      path: MAPS,
      headers: JSON_BODY,
      body: '{"metadata":{"name":"f","finalizers":["mine"]}}',
      status: 422,
      message:
        'ConfigMap "f" is invalid: metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified',
    },
  ];

  test.each(refusals)("refuses $name and keeps the connection", async ({ status, message, ...request }) => {
    const answer = await client.send(request);
    expect([answer.status, answer.headers["content-type"]]).toEqual([status, "application/json"]);
    expect(parsed(answer)).toMatchObject({ kind: "Status", status: "Failure", code: status, message });
    expect((await client.send({ path: "/readyz" })).status).toBe(200);
  });

  test("answers HEAD with the headers of GET", async () => {
    const get = await client.send({ path: MAPS });
    const head = await client.send({ method: "HEAD", path: MAPS });
    expect(head.status).toBe(200);
    expect(head.headers["content-length"]).toBe(String(get.body.length));
    expect(head.body).toHaveLength(0);
  });

  test("sends indented JSON to browsers and curl, errors included, and one line to programs", async () => {
    const ask = (agent: string) => client.send({ path: `${MAPS}/nope`, headers: { "user-agent": agent } });
    expect((await ask("curl/8.5.0")).body.toString()).toMatch(/^\{\n {2}"kind": "Status",\n/);
    expect((await ask("kubectl/v1.37.1")).body.toString()).toMatch(/^\{"kind":"Status",.*\}\n$/);
  });

  test("compresses large answers for clients that accept it, and no small ones", async () => {
    await Promise.all(["zip-1", "zip-2"].map((name) => create(name, { data: { text: "abc ".repeat(30_000) } })));
    const gzip = { "accept-encoding": "gzip" };
    const plain = await client.send({ path: MAPS });
    const packed = await client.send({ path: MAPS, headers: gzip });
    expect([plain.headers["content-encoding"], packed.headers["content-encoding"]]).toEqual([undefined, "gzip"]);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    expect((await client.send({ path: "/version", headers: gzip })).headers["content-encoding"]).toBeUndefined();
  });

  test("leaves out resourceVersion in the answer to a dry-run create", async () => {
    const answer = parsed(await create("dry", {}, "?dryRun=All"));
    expect(answer["metadata"]).toHaveProperty("uid");
    expect(answer["metadata"]).not.toHaveProperty("resourceVersion");
  });

  test("names aggregated discovery by its content type, and answers 304 for its ETag", async () => {
    const type = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const headers = { accept: `${type},application/json` };
    const first = await client.send({ path: "/apis", headers });
    expect([first.status, first.headers["content-type"]]).toEqual([200, type]);
    const etag = String(first.headers["etag"]);
    const again = await client.send({ path: "/apis", headers: { ...headers, "if-none-match": etag } });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect((await client.send({ path: "/apis" })).headers["content-type"]).toBe("application/json");
  });

  test("redirects OpenAPI v3 to the current hash, and sends v2 as protobuf under both names", async () => {
    const { paths } = parsed(await client.send({ path: "/openapi/v3" })) as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const current = paths["apis/apps/v1"]?.serverRelativeURL ?? "";
    expect(current).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
    const stale = await client.send({ path: "/openapi/v3/apis/apps/v1?hash=0" });
    expect([stale.status, stale.headers["location"]]).toEqual([301, current]);
    expect((await client.send({ path: current })).headers["cache-control"]).toBe("public, immutable");
    for (const at of ["@", "."]) {
      const accept = `application/com.github.proto-openapi.spec.v2${at}v1.0+protobuf`;
      const answer = await client.send({ path: "/openapi/v2", headers: { accept } });
      expect([answer.status, answer.headers["content-type"]]).toEqual([
        200,
        "application/com.github.proto-openapi.spec.v2.v1.0+protobuf",
      ]);
    }
  });

  test("ends a watch after timeoutSeconds, between two events", async () => {
    const path = `${MAPS}?watch=true&timeoutSeconds=1&labelSelector=watched`;
    const watching = client.send({ path });
    // HTTP/1.1 has one request at a time on a connection.
    const writer = protocol === "HTTP/2" ? client : connect(cluster);
    const post = (name: string, labels: object) =>
      writer.send({
        method: "POST",
        path: MAPS,
        headers: JSON_BODY,
        body: JSON.stringify({ metadata: { name, labels } }),
      });
    await post("seen", { watched: "" });
    await post("unseen", {});
    const off = { method: "PATCH", headers: { "content-type": "application/merge-patch+json" } };
    await writer.send({ ...off, path: `${MAPS}/seen`, body: '{"metadata":{"labels":{"watched":null}}}' });
    const answer = await watching;
    expect(answer.status).toBe(200);
    expect(events(answer).map(({ type }) => type)).toEqual(["ADDED", "DELETED"]);
    if (writer !== client) writer.close();
  });

  test("sends with sendInitialEvents existing objects and then a marked bookmark", async () => {
    const query =
      "watch=true&timeoutSeconds=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    const seen = events(await client.send({ path: `/api/v1/namespaces?${query}` }));
    expect(seen.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "ADDED", "ADDED", "BOOKMARK"]);
    expect(seen.at(-1)?.object).toMatchObject({
      kind: "Namespace",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });
});

const text = (value: unknown): string => encodeURIComponent(typeof value === "string" ? value : "");

describe("answers for an expired resourceVersion", () => {
  test("Gone to a list, to the next page and, as an event, to a watch", async () => {
    const time = new ManualTime();
    const kv = openMemoryKv({ clock: time });
    const storage = createStorage({ kv, clock: time, timers: time, historyBytes: 1 });
    const server = createServer({
      storage,
      records: builtinRecords,
      clock: time,
      random: seededRandom("gone"),
      requestRandom: systemRandom,
      tokens: [],
      serverAddress: () => "",
    });
    try {
      const api = server.transport({ commonName: "admin", organizations: ["system:masters"] });
      await call(api, "POST", "/api/v1/namespaces", { metadata: { name: "default" } });
      for (const name of ["a", "b", "c"]) await call(api, "POST", MAPS, { metadata: { name } });
      const page = await call(api, "GET", `${MAPS}?limit=1`);
      for (let index = 0; index < 20; index++) {
        await call(api, "POST", MAPS, { metadata: { name: `x${index}` } });
        await call(api, "GET", `${MAPS}?limit=1`);
      }
      // The past is forgotten every five minutes: what was already past the time before.
      await eventually(async () => {
        time.pass(301_000);
        const exact = await call(api, "GET", `${MAPS}?resourceVersion=2&resourceVersionMatch=Exact`);
        expect([exact.status, exact.at("reason")]).toEqual([410, "Expired"]);
      });
      const next = await call(api, "GET", `${MAPS}?limit=1&continue=${text(page.at("metadata.continue"))}`);
      expect([next.status, next.at("reason")]).toEqual([410, "Expired"]);
      // The token of the refusal goes on without the old view.
      const rest = await call(api, "GET", `${MAPS}?continue=${text(next.at("metadata.continue"))}`);
      expect([0, 1, 2].map((at) => rest.at(`items.${at}.metadata.name`))).toEqual(["b", "c", "x0"]);

      // From before what is kept, and from a version that this store never gave.
      for (const version of [2, 10_000]) {
        const watch = await call(api, "GET", `${MAPS}?watch=true&resourceVersion=${version}`);
        expect([watch.status, watch.at("type"), watch.at("object.code")]).toEqual([200, "ERROR", 410]);
      }
    } finally {
      await server.stop();
      await storage.close();
    }
  });
});
