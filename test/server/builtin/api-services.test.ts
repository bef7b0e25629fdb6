import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../../src/client/transport/transport.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { objects } from "../../../src/machinery/meta/access.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";

const SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices";
const NAME = "v1beta1.custom.metrics.k8s.io";
const MERGE = { type: "application/merge-patch+json" };
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

test("an APIService with a service that is not there is unavailable, for the reason that the warning of its creation has", async () => {
  const created = await call(api, "POST", SERVICES, apiService(service));
  expect(created.status, created.text).toBe(201);
  expect(available(created)).toEqual([]);
  expect(warnings(created)).toContain(MESSAGE.replaceAll('"', '\\"'));
  await untilMissing();
  await call(api, "DELETE", `${SERVICES}/${NAME}`);
});

test("one that gets a service, or loses it, changes its condition", async () => {
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
});
