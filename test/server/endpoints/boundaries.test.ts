import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";

let cluster: Cluster;
let api: Transport;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, onError: (error) => faults.push(error) });
  api = cluster.transport();
});

afterAll(async () => {
  await cluster.close();
  // Nothing a client sends is a fault of the server.
  expect(faults).toEqual([]);
});

const MAPS = "/api/v1/namespaces/default/configmaps";

describe("a request for all namespaces", () => {
  test.each(["POST", "DELETE"])("may list but not %s", async (method) => {
    await call(api, "POST", MAPS, { metadata: { name: "stays" } });
    const answer = await call(api, method, "/api/v1/configmaps", { metadata: { name: "nowhere" } });
    expect(answer.status).toBe(405);
    expect((await call(api, "GET", `${MAPS}/stays`)).status).toBe(200);
    expect((await call(api, "GET", "/api/v1/configmaps")).status).toBe(200);
  });
});

test.each([
  ["..", "may not be '..'"],
  ["%2e", "may not be '.'"],
  ["a%2fb", "may not contain '/'"],
  ["a%25b", "may not contain '%'"],
])("an object name %s in a request is refused: %s", async (name, problem) => {
  for (const method of ["GET", "DELETE"]) {
    const answer = await call(api, method, `${MAPS}/${name}`);
    expect([answer.status, answer.at("reason")]).toEqual([400, "BadRequest"]);
    expect(answer.at("message")).toBe(`Name parameter invalid: "${decodeURIComponent(name)}": ${problem}`);
  }
});

describe("names of JavaScript's own object members", () => {
  const KEYS = { constructor: "c", toString: "t", hasOwnProperty: "h" };
  const DATA = '{"__proto__":"p","constructor":"c","toString":"t"}';
  const text = `{"metadata":{"name":"proto","labels":${JSON.stringify(KEYS)}},"data":${DATA}}`;
  const data = async () => /"data":(\{.*?\})/.exec((await call(api, "GET", `${MAPS}/proto`)).text)?.[1];

  test("are stored, selected and patched like any other", async () => {
    expect((await call(api, "POST", MAPS, text)).status).toBe(201);
    expect(await data()).toBe(DATA);
    const select = async (selector: string) =>
      (await call(api, "GET", `${MAPS}?labelSelector=${encodeURIComponent(selector)}`)).at("items.0.metadata.name");
    expect(await select("constructor=c,toString")).toBe("proto");
    expect(await select("valueOf,constructor=c")).toBeUndefined();
    for (const [type, value, patch] of [
      ["application/merge-patch+json", "1", '{"data":{"__proto__":"1"}}'],
      ["application/strategic-merge-patch+json", "2", '{"data":{"__proto__":"2"}}'],
      ["application/json-patch+json", "3", '[{"op":"replace","path":"/data/__proto__","value":"3"}]'],
    ] as const) {
      expect((await call(api, "PATCH", `${MAPS}/proto`, patch, { type })).status).toBe(200);
      expect(await data()).toBe(DATA.replace('"p"', `"${value}"`));
    }
  });

  test("are unknown as fields, resources and groups", async () => {
    const body = '{"metadata":{"name":"f"},"__proto__":{"data":{"a":"b"}},"constructor":{},"toString":1}';
    const answer = await call(api, "POST", `${MAPS}?fieldValidation=Strict`, body);
    expect(answer.at("message")).toContain(
      'unknown field "__proto__", unknown field "constructor", unknown field "toString"',
    );
    for (const path of [`${MAPS}/x/constructor`, "/apis/__proto__/v1/toString", "/api/v1/namespaces/default/valueOf"]) {
      expect((await call(api, "GET", path)).status).toBe(404);
    }
  });
});

test("an integer beyond 2^53 is printed exactly in the error that refuses it", async () => {
  const patch = '{"metadata":{"deletionGracePeriodSeconds":9223372036854775807}}';
  await call(api, "POST", MAPS, { metadata: { name: "exact" } });
  const answer = await call(api, "PATCH", `${MAPS}/exact`, patch, { type: "application/merge-patch+json" });
  expect(answer.status).toBe(422);
  expect(answer.at("message")).toContain("Invalid value: 9223372036854775807: field is immutable");
});

describe("request and answer headers", () => {
  test("of front proxies are ignored", async () => {
    const headers = { authorization: "Basic eDp5", "x-remote-user": "root", "x-remote-group": "system:masters" };
    expect((await call(api, "GET", "/api/v1/namespaces", undefined, { headers })).status).toBe(403);
  });

  test("of impersonation may contain percent signs that encode nothing", async () => {
    const headers = { "impersonate-user": "u", "impersonate-extra-%zz": "v", "impersonate-extra-__proto__": "w" };
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const answer = await call(api, "POST", path, review, { headers });
    expect(answer.status).toBe(201);
    expect(answer.text).toContain('"%zz":["v"]');
    expect(answer.text).toContain('"__proto__":["w"]');
  });

  test("of warnings stay short enough for any client", async () => {
    const unknown = Object.fromEntries(Array.from({ length: 90 }, (_, index) => [`${index}${"x".repeat(2000)}`, 1]));
    const answer = await call(api, "POST", MAPS, { metadata: { name: "warned" }, ...unknown });
    expect(answer.status).toBe(201);
    const warnings = [answer.headers["warning"] ?? []].flat();
    expect(warnings).toHaveLength(16);
    expect(warnings.every((warning) => String(warning).length < 300)).toBe(true);
  });
});

test("a watch sends a bookmark shortly before its time limit", async () => {
  const leave = new AbortController();
  const path = `${MAPS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=3&resourceVersion=1`;
  const { body } = await api.send({ method: "GET", path, headers: {}, signal: leave.signal });
  let text = "";
  for await (const chunk of body) {
    text += Buffer.from(chunk).toString();
    if (text.includes('"BOOKMARK"')) break;
  }
  leave.abort();
  expect(text).toContain('{"type":"BOOKMARK","object":{"kind":"ConfigMap"');
});
