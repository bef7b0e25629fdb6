import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { call } from "../../helpers/api-caller.js";
import { quietCluster } from "../../helpers/quiet-cluster.js";

// What the hostile run (test/hostile) found, a row each. Codes and texts are kube-apiserver's; where it takes what this server refuses, the row says so.

let cluster: Cluster;
let api: Transport;
const faults: unknown[] = [];

beforeAll(async () => {
  cluster = await startCluster({ port: false, onError: (error) => faults.push(error), ...quietCluster });
  api = cluster.transport();
  await call(api, "POST", MAPS, { metadata: { name: "map" }, data: { a: "1" } });
  await call(api, "POST", DEPLOYMENTS, DEPLOYMENT);
});

afterAll(async () => {
  await cluster.close();
  // Nothing a client sends is a fault of the server.
  expect(faults).toEqual([]);
});

const MAPS = "/api/v1/namespaces/default/configmaps";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const DEPLOYMENT = {
  metadata: { name: "web" },
  spec: {
    selector: { matchLabels: { a: "b" } },
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "main", image: "web" }] } },
  },
};

const JSON_PATCH = "application/json-patch+json";
const MERGE = "application/merge-patch+json";
const STRATEGIC = "application/strategic-merge-patch+json";
const APPLY = "application/apply-patch+yaml";
const YAML = "application/yaml";

const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
const DIGITS = "9".repeat(5000);

interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: string | Uint8Array;
  readonly code: number;
  readonly reason?: string;
  /** What the message begins with or holds. */
  readonly says?: string;
}

const tooDeep: readonly Row[] = [
  [JSON_PATCH, `[{"op":"add","path":"/x","value":${nested(9000)}}]`],
  [MERGE, `{"x":${nested(9000)}}`],
  [STRATEGIC, `{"x":${nested(9000)}}`],
].map(([type = "", body = ""]) => ({
  name: `${type} nested deeper than this server walks (kube-apiserver: than ten thousand)`,
  method: "PATCH",
  path: `${MAPS}/map`,
  type,
  body,
  code: 400,
  says: "exceeded max depth",
}));

const rows: readonly Row[] = [
  ...tooDeep,
  {
    name: "an integer that no float holds, in a patch",
    method: "PATCH",
    path: `${DEPLOYMENTS}/web`,
    type: MERGE,
    body: `{"spec":{"replicas":${DIGITS}}}`,
    code: 400,
    says: `error decoding patch: json: cannot unmarshal number ${DIGITS} into Go value of type float64`,
  },
  {
    name: "a quantity of a billion places",
    method: "POST",
    path: "/api/v1/namespaces/default/limitranges",
    body: '{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":"1e999999999"},"min":{"cpu":"1"}}]}}',
    code: 400,
    says: "unable to parse numeric part of quantity",
  },
  {
    name: "a million digits in a query",
    method: "GET",
    path: `${MAPS}?limit=${"9".repeat(1_000_000)}`,
    code: 400,
    says: "value out of range",
  },
  {
    name: "a key twice in a merge patch, strictly",
    method: "PATCH",
    path: `${MAPS}/map?fieldValidation=Strict`,
    type: MERGE,
    body: '{"data":{"a":"1","a":"2"}}',
    code: 422,
    says: 'strict decoding error: duplicate field "data.a"',
  },
  {
    name: "a key twice in a strategic merge patch, strictly",
    method: "PATCH",
    path: `${MAPS}/map?fieldValidation=Strict`,
    type: STRATEGIC,
    body: '{"data":{"a":"1","a":"2"}}',
    code: 422,
    says: 'strict decoding error: duplicate field "data.a"',
  },
  {
    name: "a key twice and one unknown in a JSON patch, strictly",
    method: "PATCH",
    path: `${MAPS}/map?fieldValidation=Strict`,
    type: JSON_PATCH,
    body: '[{"op":"add","path":"/data/x","path":"/data/y","value":"1","x":1}]',
    code: 422,
    says: 'json patch unknown field "[0].x", json patch duplicate field "[0].path"',
  },
  {
    name: "an operation that is a number",
    method: "PATCH",
    path: `${MAPS}/map`,
    type: JSON_PATCH,
    body: '[{"op":1}]',
    code: 400,
    says: "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string",
  },
  {
    name: "an operation that is a number, where nobody looks",
    method: "PATCH",
    path: `${MAPS}/map?fieldValidation=Ignore`,
    type: JSON_PATCH,
    body: '[{"op":1}]',
    code: 422,
  },
  {
    name: "a directive that nobody knows, which kube-apiserver has no Status for and answers 500",
    method: "PATCH",
    path: `${MAPS}/map`,
    type: STRATEGIC,
    body: '{"$patch":"nonsense"}',
    code: 400,
    says: "unknown patch type: nonsense in map: map[$patch:nonsense]",
  },
  {
    name: "YAML that is no UTF-8",
    method: "POST",
    path: MAPS,
    type: YAML,
    body: Buffer.from("data: {a: \x80}", "latin1"),
    code: 400,
    says: "yaml: invalid leading UTF-8 octet",
  },
  {
    name: "an applied object that is no UTF-8, though it looks like JSON",
    method: "PATCH",
    path: `${MAPS}/map?fieldManager=m`,
    type: APPLY,
    body: Buffer.from('{"data":{"a":"\xc3"}}', "latin1"),
    code: 400,
    says: "yaml: invalid trailing UTF-8 octet",
  },
  {
    name: "options of deletion that are a Pod",
    method: "DELETE",
    path: `${MAPS}/nobody`,
    body: '{"kind":"Pod","apiVersion":"v1"}',
    code: 400,
    says: 'no kind "Pod" is registered for version "v1" in scheme',
  },
  {
    name: "options of deletion of a group nobody knows",
    method: "DELETE",
    path: `${MAPS}/nobody`,
    body: '{"kind":"DeleteOptions","apiVersion":"nobody/v1"}',
    code: 404,
  },
  { name: "a hundred thousand slashes before a group", method: "GET", path: `/apis${"/".repeat(100_000)}x`, code: 404 },
  {
    name: "a quantity of zeros that ends in no suffix",
    method: "POST",
    path: "/api/v1/namespaces/default/limitranges",
    body: JSON.stringify({
      metadata: { name: "l" },
      spec: { limits: [{ type: "Container", max: { cpu: `${"0".repeat(100_000)}x` } }] },
    }),
    code: 400,
  },
  {
    name: "a cron schedule of zeros without a unit",
    method: "POST",
    path: "/apis/batch/v1/namespaces/default/cronjobs",
    body: JSON.stringify({
      metadata: { name: "c" },
      spec: {
        schedule: `@every ${"0".repeat(500_000)}`,
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } } },
        },
      },
    }),
    code: 422,
    says: "missing unit in duration",
  },
  {
    name: "a custom resource's pattern that opens classes and closes none",
    method: "POST",
    path: "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    body: JSON.stringify({
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: "things", kind: "Thing" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: { type: "object", properties: { a: { type: "string", pattern: "[".repeat(200_000) } } },
            },
          },
        ],
      },
    }),
    code: 422,
    says: "missing closing ]",
  },
  {
    name: "a service account that climbs out of its namespace",
    method: "POST",
    path: "/api/v1/namespaces/default/pods",
    body: JSON.stringify({
      metadata: { name: "p" },
      spec: { serviceAccountName: "../kube-system/default", containers: [{ name: "a", image: "b" }] },
    }),
    code: 403,
    says: "error looking up service account default/../kube-system/default",
  },
  {
    name: "a token bound to an object of a version that is none, which counts as left out",
    method: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/default/token",
    body: '{"spec":{"boundObjectRef":{"kind":"Nobody","apiVersion":"../../etc","name":"x"}}}',
    code: 400,
    says: "cannot bind token to object of type /, Kind=Nobody",
  },
  {
    name: "protobuf of a version that is none",
    method: "POST",
    path: MAPS,
    type: "application/vnd.kubernetes.protobuf",
    body: Buffer.from("k8s\0\x0a\x12\x0a\x05a/b/c\x12\x09ConfigMap\x12\x00", "latin1"),
    code: 400,
    says: "unexpected GroupVersion string: a/b/c",
  },
  { name: "a name of bytes that are no UTF-8", method: "GET", path: `${MAPS}/%ff%fe`, code: 404, reason: "NotFound" },
];

test.each(rows)(
  "a hostile request, $name, is answered $code",
  async ({ method, path, type, body, code, reason, says }) => {
    const answer = await send(method, path, body, type);
    expect(answer.status).toBe(code);
    if (reason !== undefined) expect(answer.at("reason")).toBe(reason);
    if (says !== undefined) expect(answer.at("message")).toContain(says);
  },
);

/** As {@link call}, for bytes that are no text. */
function send(method: string, path: string, body: string | Uint8Array | undefined, type = "application/json") {
  if (!(body instanceof Uint8Array)) return call(api, method, path, body, { type });
  const raw: Transport = { ...api, send: (request) => api.send({ ...request, body: Buffer.from(body) }) };
  return call(raw, method, path, "", { type });
}

test("a malformed percent escape in a path is refused as in net/http", async () => {
  const answer = await call(api, "GET", `${MAPS}/%zz`);
  expect([answer.status, answer.text]).toEqual([400, "400 Bad Request"]);
});

test("an object with very many faults gets an error with the first thousand", async () => {
  const containers = Array.from({ length: 2000 }, () => ({}));
  const pod = { metadata: { name: "p" }, spec: { containers } };
  const answer = await call(api, "POST", "/api/v1/namespaces/default/pods", pod);
  expect(answer.status).toBe(422);
  expect(answer.at("details.causes")).toHaveLength(1000);
});

test("an answer in YAML escapes characters that YAML cannot hold", async () => {
  await call(api, "POST", MAPS, { metadata: { name: "control" }, data: { a: "x\u007f" } });
  const answer = await call(api, "GET", `${MAPS}/control`, undefined, { accept: YAML });
  expect(answer.status).toBe(200);
  expect(answer.text).toContain('a: "x\\x7F"');
});
