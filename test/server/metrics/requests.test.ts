import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { asUser } from "../../helpers/as-user.js";
import { samplesWith, total, typesOf } from "../../helpers/scraped-metrics.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const TOTAL = "apiserver_request_total";

let cluster: Cluster;
const send = (method: string, path: string, body?: unknown, type = "application/json") =>
  call(cluster.transport(), method, path, body, { type });
const scrape = async (): Promise<string> =>
  (await call(cluster.transport(), "GET", "/metrics", undefined, { accept: "text/plain" })).text;
const mapOf = (name: string) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name } });

beforeAll(async () => {
  cluster = await startCluster({ controllers: [], scheduler: false, kubernetesVersion: "1.37" });
});
afterAll(() => cluster.close());

test("GEN-API-1: requests are counted only from the first read of the metrics on", async () => {
  await send("POST", MAPS, mapOf("before"));
  expect(total(await scrape(), TOTAL)).toBe(0);
  await send("POST", MAPS, mapOf("after"));
  expect(samplesWith(await scrape(), TOTAL, { verb: "POST", resource: "configmaps" })).toEqual([
    {
      name: TOTAL,
      labels: {
        code: "201",
        component: "apiserver",
        dry_run: "",
        group: "",
        resource: "configmaps",
        scope: "resource",
        subresource: "",
        verb: "POST",
        version: "v1",
      },
      value: 1,
    },
  ]);
});

describe("the labels of the request metric", () => {
  test.each([
    ["GET", `${MAPS}/after`, undefined, { verb: "GET", scope: "resource", code: "200" }],
    ["GET", `${MAPS}/missing`, undefined, { verb: "GET", scope: "resource", code: "404" }],
    ["HEAD", `${MAPS}/after`, undefined, { verb: "GET", scope: "resource", code: "200" }],
    ["GET", MAPS, undefined, { verb: "LIST", scope: "namespace", code: "200" }],
    ["GET", "/api/v1/configmaps", undefined, { verb: "LIST", scope: "cluster", code: "200" }],
    ["POST", MAPS, mapOf("after"), { verb: "POST", scope: "resource", code: "409" }],
    ["POST", `${MAPS}?dryRun=All`, mapOf("dry"), { verb: "POST", scope: "resource", code: "201", dry_run: "All" }],
    ["PUT", `${MAPS}/after`, mapOf("after"), { verb: "PUT", scope: "resource", code: "200" }],
    ["DELETE", `${MAPS}/missing`, undefined, { verb: "DELETE", scope: "resource", code: "404" }],
    ["DELETE", `${MAPS}?labelSelector=no%3Dsuch`, undefined, { verb: "DELETE", scope: "namespace", code: "200" }],
    ["POST", MAPS, "not JSON", { verb: "POST", scope: "resource", code: "400" }],
  ] as const)("%s %s", async (method, path, body, labels) => {
    const wanted = { resource: "configmaps", group: "", version: "v1", subresource: "", dry_run: "", ...labels };
    const before = total(await scrape(), TOTAL, wanted);
    await send(method, path, body);
    expect(total(await scrape(), TOTAL, wanted)).toBe(before + 1);
  });

  test.each([
    ["application/apply-patch+yaml", "?fieldManager=test", "APPLY"],
    ["application/merge-patch+json", "", "PATCH"],
  ])("a patch of type %s", async (type, query, verb) => {
    const labels = { verb, resource: "configmaps", code: "200" };
    await send("PATCH", `${MAPS}/after${query}`, { ...mapOf("after"), data: { verb } }, type);
    expect(total(await scrape(), TOTAL, labels)).toBe(1);
  });

  test("do not exist for an unknown resource, a forbidden request and one without credentials", async () => {
    const before = await scrape();
    await send("GET", "/api/v1/unknownresources");
    await send("GET", "/apis/unknown.example.com/v1/things/x");
    await asUser(cluster.transport(), "nobody")("GET", MAPS);
    const counted = (text: string): number =>
      total(text, TOTAL) - total(text, TOTAL, { resource: "subjectaccessreviews" });
    expect(counted(await scrape())).toBe(counted(before));
    expect(samplesWith(await scrape(), TOTAL, { resource: "unknownresources" })).toEqual([]);
  });

  test("have no component for all health checks, and single checks are not counted", async () => {
    await send("GET", "/readyz");
    await send("GET", "/readyz/ping");
    const labels = { component: "", group: "", resource: "", scope: "", subresource: "/readyz", verb: "GET" };
    expect(total(await scrape(), TOTAL, labels)).toBe(1);
  });
});

test("durations and sizes have kube-apiserver's buckets, and one value for each request", async () => {
  const text = await scrape();
  const posts = { verb: "POST", resource: "configmaps" };
  expect(total(text, "apiserver_request_duration_seconds_count", posts)).toBe(total(text, TOTAL, posts));
  expect(total(text, "apiserver_request_sli_duration_seconds_count", posts)).toBe(
    total(text, TOTAL, { ...posts, dry_run: "" }),
  );
  expect(samplesWith(text, "apiserver_response_sizes_count", posts)).toEqual([]);
  const bounds = (name: string, labels: Readonly<Record<string, string>>): readonly string[] =>
    samplesWith(text, `${name}_bucket`, labels).map((sample) => sample.labels["le"] ?? "");
  const gets = { verb: "GET", resource: "configmaps" };
  expect(bounds("apiserver_response_sizes", gets)).toEqual([
    "1000",
    "10000",
    "100000",
    "1e+06",
    "1e+07",
    "1e+08",
    "1e+09",
    "+Inf",
  ]);
  expect(bounds("apiserver_request_duration_seconds", gets)).toHaveLength(24);
});

test("a watch is counted while it is open, with its events, and as a request at its end", async () => {
  const labels = { verb: "WATCH", resource: "secrets", scope: "namespace" };
  const ending = new AbortController();
  const response = await cluster.transport().send({
    method: "GET",
    path: "/api/v1/namespaces/default/secrets?watch=true",
    headers: {},
    signal: ending.signal,
  });
  const chunks = response.body[Symbol.asyncIterator]();
  await send("POST", "/api/v1/namespaces/default/secrets", { ...mapOf("seen"), kind: "Secret" });
  const first = Buffer.from((await chunks.next()).value ?? "").toString();
  expect(JSON.parse(first)).toMatchObject({ type: "ADDED" });
  const during = await scrape();
  expect(total(during, "apiserver_longrunning_requests", labels)).toBe(1);
  expect(total(during, "apiserver_watch_events_total", { resource: "secrets" })).toBe(1);
  expect(total(during, "apiserver_watch_events_sizes_sum", { resource: "secrets" })).toBe(first.length);
  ending.abort();
  await expect.poll(async () => total(await scrape(), TOTAL, labels)).toBe(1);
  expect(total(await scrape(), "apiserver_longrunning_requests", labels)).toBe(0);
});

test("authentication, authorization, admission and storage have metrics", async () => {
  await asUser(cluster.transport(), "nobody")("GET", MAPS);
  const text = await scrape();
  expect(total(text, "authentication_attempts", { result: "success" })).toBeGreaterThan(0);
  expect(total(text, "authenticated_user_requests", { username: "other" })).toBeGreaterThan(0);
  expect(total(text, "authorization_attempts_total", { result: "no-opinion" })).toBeGreaterThan(0);
  expect(total(text, "authorization_duration_seconds_count", { result: "allowed" })).toBeGreaterThan(0);
  const step = { type: "validate", operation: "CREATE", rejected: "false" };
  expect(total(text, "apiserver_admission_step_admission_duration_seconds_count", step)).toBeGreaterThan(0);
  const plugin = { name: "NamespaceLifecycle", type: "admit", operation: "CREATE", rejected: "false" };
  expect(total(text, "apiserver_admission_controller_admission_duration_seconds_count", plugin)).toBeGreaterThan(0);
  expect(total(text, "etcd_requests_total", { operation: "create", resource: "secrets" })).toBe(1);
  expect(total(text, "etcd_request_errors_total")).toBe(0);
  expect(total(text, "apiserver_storage_events_received_total", { resource: "secrets" })).toBe(1);
  const ofCache = { resource: "configmaps", storage: "watchcache", index: "" };
  expect(total(text, "apiserver_storage_list_total", ofCache)).toBeGreaterThan(0);
});

test("objects are counted when the metrics are read, at most once a minute", async () => {
  const deployments = { group: "apps", resource: "deployments" };
  const text = await scrape();
  expect(samplesWith(text, "apiserver_resource_objects", deployments)[0]?.value).toBe(0);
  // Deprecated in 1.34, hidden in 1.37.
  expect(samplesWith(text, "apiserver_storage_objects", { resource: "deployments.apps" })).toEqual([]);
  await send("DELETE", "/metrics");
  expect(total(await scrape(), "apiserver_resource_objects", { resource: "secrets" })).toBe(1);
});

test("a metric names a deprecated version that was requested, and the release that removes it", async () => {
  await send("GET", "/api/v1/namespaces/default/endpoints");
  expect(samplesWith(await scrape(), "apiserver_requested_deprecated_apis")).toEqual([
    {
      name: "apiserver_requested_deprecated_apis",
      labels: { group: "", removed_release: "", resource: "endpoints", subresource: "", version: "v1" },
      value: 1,
    },
  ]);
});

test("GEN-API-1: DELETE /metrics resets the counts", async () => {
  await send("GET", MAPS);
  const answer = await send("DELETE", "/metrics");
  expect([answer.status, answer.text]).toEqual([200, "metrics reset\n"]);
  const text = await scrape();
  expect(total(text, TOTAL)).toBe(0);
  await send("GET", MAPS);
  expect(total(await scrape(), TOTAL, { verb: "LIST", resource: "configmaps" })).toBe(1);
});

test("WEB-5: /metrics/slis has the results of health checks", async () => {
  await send("GET", "/livez");
  const { text } = await call(cluster.transport(), "GET", "/metrics/slis", undefined, { accept: "text/plain" });
  expect(samplesWith(text, "kubernetes_healthcheck", { name: "etcd", type: "livez" })[0]?.value).toBe(1);
  expect(samplesWith(text, "kubernetes_healthchecks_total", { name: "log", type: "livez", status: "success" })).toEqual(
    [{ name: "kubernetes_healthchecks_total", labels: { name: "log", status: "success", type: "livez" }, value: 1 }],
  );
  expect([...typesOf(text).keys()].filter((name) => name.startsWith("apiserver"))).toEqual([]);
});

describe("reading the server's metrics", () => {
  test.each([
    ["nobody", "/metrics", 403],
    ["nobody", "/metrics/slis", 403],
    ["scraper,system:monitoring", "/metrics", 200],
    ["scraper,system:monitoring", "/metrics/slis", 200],
    ["scraper,system:monitoring", "/statusz", 200],
    ["scraper,system:monitoring", "/debug/pprof/", 403],
    ["scraper,system:monitoring", "/debug/flags/v", 403],
  ])("by %s: GET %s answers %i", async (user, path, status) => {
    expect((await asUser(cluster.transport(), user)("GET", path, undefined, { accept: "text/plain" })).status).toBe(
      status,
    );
  });

  test("does not give the scrapers' group the right to reset them", async () => {
    expect((await asUser(cluster.transport(), "scraper,system:monitoring")("DELETE", "/metrics")).status).toBe(403);
  });
});
