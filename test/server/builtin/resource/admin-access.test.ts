import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { type Answer, call } from "../../../helpers/api-caller.js";

const LABEL = "resource.kubernetes.io/admin-access";
const REFUSED = `Forbidden: admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;

let cluster: Cluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({
    port: false,
    controllers: false,
    scheduler: false,
    runtimeConfig: { "resource.k8s.io/v1beta1": true },
  });
  api = cluster.transport();
  for (const [name, labels] of [
    ["plain", {}],
    ["false", { [LABEL]: "false" }],
    ["admins", { [LABEL]: "true" }],
  ]) {
    expect((await call(api, "POST", "/api/v1/namespaces", { metadata: { name, labels } })).status).toBe(201);
  }
});

afterAll(() => cluster.close());

const at = (namespace: string, plural: string, version = "v1"): string =>
  `/apis/resource.k8s.io/${version}/namespaces/${namespace}/${plural}`;
const request = (name: string, adminAccess?: boolean, more: object = {}): object => ({
  name,
  exactly: { deviceClassName: "gpu", ...(adminAccess !== undefined && { adminAccess }), ...more },
});
const claim = (name: string, ...requests: object[]): object => ({
  metadata: { name },
  spec: { devices: { requests } },
});
const template = (name: string, ...requests: object[]): object => ({
  metadata: { name },
  spec: { spec: { devices: { requests } } },
});
const message = ({ at: found }: Answer): unknown => found("message");

test.each([
  ["resourceclaims", claim, "ResourceClaim"],
  ["resourceclaimtemplates", template, "ResourceClaimTemplate"],
])("the server refuses %s with admin access unless the namespace's label allows it", async (plural, made, kind) => {
  for (const namespace of ["plain", "false"]) {
    const path = at(namespace, plural);
    const refused = await call(api, "POST", path, made("c", request("a"), request("b", true), request("c", true)));
    expect([refused.status, message(refused)]).toEqual([
      422,
      `${kind}.resource.k8s.io "c" is invalid: spec.devices.requests[1].adminAccess: ${REFUSED}`,
    ]);
    expect((await call(api, "POST", path, made("without", request("a", false)))).status).toBe(201);
  }
  expect((await call(api, "POST", at("admins", plural), made("c", request("a", true)))).status).toBe(201);
});

test("a ResourceClaim with admin access in an older version is refused in the words of the newest", async () => {
  const devices = { requests: [{ name: "a", deviceClassName: "gpu", adminAccess: true }] };
  const path = at("plain", "resourceclaims", "v1beta1");
  const refused = await call(api, "POST", path, { metadata: { name: "old" }, spec: { devices } });
  expect(refused.status).toBe(422);
  expect(message(refused)).toContain(`spec.devices.requests[0].adminAccess: ${REFUSED}`);
});

test("admin access is refused before other faults of a claim", async () => {
  const refused = await call(api, "POST", at("plain", "resourceclaims"), claim("c", request("Upper", true)));
  expect([0, 1].map((index) => refused.at(`details.causes.${index}.field`))).toEqual([
    "spec.devices.requests[0].adminAccess",
    "spec.devices.requests[0].name",
  ]);
});

test("a claim's allocation gets admin access while the namespace allows it, and keeps it", async () => {
  const result = { request: "a", driver: "d.example.com", pool: "p", device: "x", adminAccess: true };
  const status = { allocation: { devices: { results: [result] } } };
  const patch = (namespace: string, body: object) =>
    call(api, "PATCH", `${at(namespace, "resourceclaims")}/kept/status`, body, {
      type: "application/merge-patch+json",
    });
  for (const namespace of ["plain", "admins"]) {
    const created = await call(api, "POST", at(namespace, "resourceclaims"), claim("kept", request("a")));
    expect(created.status).toBe(201);
  }
  const refused = await patch("plain", { status });
  expect([refused.status, message(refused)]).toEqual([
    422,
    `ResourceClaim.resource.k8s.io "kept" is invalid: status.allocation.devices.results[0].adminAccess: ${REFUSED}`,
  ]);
  expect((await patch("admins", { status })).status).toBe(200);
  const unlabelled = { metadata: { labels: { [LABEL]: null } } };
  const merge = { type: "application/merge-patch+json" };
  expect((await call(api, "PATCH", "/api/v1/namespaces/admins", unlabelled, merge)).status).toBe(200);
  const reservedFor = [{ resource: "pods", name: "p", uid: "u" }];
  expect((await patch("admins", { status: { reservedFor } })).status).toBe(200);
});
