import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { object, objects } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const NAME = "v1beta1.custom.metrics.k8s.io";
const MERGE = { type: "application/merge-patch+json" };
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const MESSAGE = 'service/adapter in "monitoring" is not present';

let cluster: Cluster;
let api: Transport;
beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
});
afterAll(() => cluster.close());

const apiService = (spec: JsonObject): JsonObject => ({
  metadata: { name: NAME },
  spec: {
    group: "custom.metrics.k8s.io",
    version: "v1beta1",
    groupPriorityMinimum: 100,
    versionPriority: 100,
    ...spec,
  },
});
const service = { service: { namespace: "monitoring", name: "adapter" }, insecureSkipTLSVerify: true };
const available = (answer: Answer) =>
  objects(answer.at("status.conditions")).map(({ type, status, reason, message }) => [type, status, reason, message]);
const warnings = ({ headers }: Answer): string => String(headers["warning"] ?? "");

const untilMissing = () =>
  eventually(async () =>
    expect(available(await call(api, "GET", `${SERVICES}/${NAME}`))).toEqual([
      ["Available", "False", "ServiceNotFound", MESSAGE],
    ]),
  );

test("AC-5, C-AGG-02: an APIService with a missing service is unavailable, for the reason given in a warning at its creation", async () => {
  const created = await call(api, "POST", SERVICES, apiService(service));
  expect(created.status, created.text).toBe(201);
  expect(available(created)).toEqual([]);
  expect(warnings(created)).toContain(MESSAGE.replaceAll('"', '\\"'));
  await untilMissing();
  await call(api, "DELETE", `${SERVICES}/${NAME}`);
});

test("AC-5: an APIService changes its condition when its service appears or disappears", async () => {
  const created = await call(api, "POST", SERVICES, apiService({}));
  expect(warnings(created)).toBe("");
  const local = ["Available", "True", "Local", "Local APIServices are always available"];
  expect(available(created)).toEqual([local]);
  const given = await call(api, "PATCH", `${SERVICES}/${NAME}`, { spec: service }, MERGE);
  expect(available(given)).toEqual([]);
  expect(warnings(given)).toContain("is not present");
  await untilMissing();
  const labelled = await call(api, "PATCH", `${SERVICES}/${NAME}`, { metadata: { labels: { a: "b" } } }, MERGE);
  expect(warnings(labelled)).toBe("");
  const taken = await call(
    api,
    "PATCH",
    `${SERVICES}/${NAME}`,
    { spec: { service: null, insecureSkipTLSVerify: null } },
    MERGE,
  );
  expect(taken.status, taken.text).toBe(200);
  expect(available(taken)).toEqual([local]);
  await call(api, "DELETE", `${SERVICES}/${NAME}`);
});

test("A-APS-01, C-AGG-01: APIServices are a cluster-scoped resource in v1 alone", async () => {
  const group = await call(api, "GET", "/apis/apiregistration.k8s.io");
  expect(objects(group.at("versions")).map(({ version }) => version)).toEqual(["v1"]);
  const resources = objects((await call(api, "GET", "/apis/apiregistration.k8s.io/v1")).at("resources"));
  expect(resources.map(({ name, namespaced, kind }) => [name, namespaced, kind])).toEqual([
    ["apiservices", false, "APIService"],
    ["apiservices/status", false, "APIService"],
  ]);
});

test("AC-1, C-AGG-05: each group version that the server itself answers has an APIService from the start", async () => {
  const { items } = JSON.parse((await call(api, "GET", SERVICES)).text) as { readonly items: readonly JsonObject[] };
  const stored = items.map(({ metadata, status }) => [
    object(metadata)["name"],
    object(metadata)["labels"],
    objects(object(status)["conditions"])[0]?.["reason"],
  ]);
  const groups = objects((await call(api, "GET", "/apis")).at("groups"));
  const served = groups
    .filter(({ name }) => name !== "apiregistration.k8s.io")
    .flatMap(({ name, versions }) => objects(versions).map(({ version }) => `${String(version)}.${String(name)}`));
  const expected = ["v1.", ...served].toSorted();
  const labels = { "kube-aggregator.kubernetes.io/automanaged": "onstart" };
  expect(stored).toEqual(expected.map((name) => [name, labels, "Local"]));
});

test("AGG-4, A-APS-02: each wrong field of an APIService is named in kube-aggregator's words", async () => {
  const refused = async (name: string, spec: JsonObject): Promise<unknown> =>
    (await call(api, "POST", SERVICES, { metadata: { name }, spec })).at("message");
  expect(
    await refused("any-name", {
      group: "Group",
      version: "V1",
      groupPriorityMinimum: 20_001,
      service: { port: 70_000 },
      insecureSkipTLSVerify: true,
      caBundle: "AAAA",
    }),
  ).toBe(
    'APIService.apiregistration.k8s.io "any-name" is invalid: [' +
      [
        'metadata.name: Invalid value: "any-name": must be `spec.version+"."+spec.group`: "V1.Group"',
        `spec.group: Invalid value: "Group": ${SUBDOMAIN}`,
        `spec.version: Invalid value: "V1": ${LABEL}`,
        "spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000",
        "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
        "spec.service.namespace: Required value",
        "spec.service.name: Required value",
        "spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
        "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
      ].join(", ") +
      "]",
  );
  const local = { group: "a.example.com", version: "v1", groupPriorityMinimum: 1, versionPriority: 1 };
  expect(await refused("v1.a.example.com", { ...local, caBundle: "AAAA", insecureSkipTLSVerify: true })).toBe(
    'APIService.apiregistration.k8s.io "v1.a.example.com" is invalid: [' +
      'spec.caBundle: Invalid value: "3 bytes": local APIServices may not have a caBundle, ' +
      "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify]",
  );
  expect(await refused("v2.", { version: "v2", groupPriorityMinimum: 1, versionPriority: 1 })).toContain(
    "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
  );
});

test("AGG-5, AGG-3: the source texts' sample APIService is stored under version and group, with port 443", async () => {
  const spec = {
    group: "dummy-group",
    version: "v1alpha1",
    groupPriorityMinimum: 1000,
    versionPriority: 15,
    service: { name: "dummy-server", namespace: "dummy-namespace" },
  };
  const unnamed = await call(api, "POST", SERVICES, { metadata: { name: "v1alpha1.dummy" }, spec });
  expect([unnamed.status, unnamed.at("details.causes.0.field")]).toEqual([422, "metadata.name"]);
  const created = await call(api, "POST", SERVICES, { metadata: { name: "v1alpha1.dummy-group" }, spec });
  expect([created.status, created.at("spec")]).toEqual([201, { ...spec, service: { ...spec.service, port: 443 } }]);
  await call(api, "DELETE", `${SERVICES}/v1alpha1.dummy-group`);
});
