import { afterAll, beforeAll, expect, test } from "vitest";
import type { Transport } from "../../src/client/transport/transport.js";
import { type DrivenCluster, manualClock, startCluster } from "../../src/cluster/index.js";
import { done } from "../helpers/admitting-server.js";
import { call } from "../helpers/api-caller.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const GROUPS = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
const FINALIZER = "scheduling.k8s.io/podgroup-protection";
const MERGE = "application/merge-patch+json";

const errors: unknown[] = [];
let cluster: DrivenCluster;
let api: Transport;

beforeAll(async () => {
  cluster = await startCluster({
    ...quietCluster,
    port: false,
    clock: manualClock(),
    runtimeConfig: { "scheduling.k8s.io/v1beta1": true },
    onError: (error) => void errors.push(error),
  });
  api = cluster.transport();
});
afterAll(() => cluster.close());

const group = (name: string): object => ({ metadata: { name }, spec: { schedulingPolicy: { gang: { minCount: 2 } } } });

test("deleting a PodGroup without pods removes it", async () => {
  const made = await done(api, "POST", GROUPS, group("idle"));
  expect(made.at("metadata.finalizers")).toEqual([FINALIZER]);
  await done(api, "DELETE", `${GROUPS}/idle`);
  await cluster.clock.atRest();
  expect((await call(api, "GET", `${GROUPS}/idle`)).status).toBe(404);
});

test("deleting a PodGroup keeps a finalizer of another controller", async () => {
  await done(api, "POST", GROUPS, group("held"));
  await done(api, "PATCH", `${GROUPS}/held`, { metadata: { finalizers: [FINALIZER, "example.com/held"] } }, MERGE);
  await done(api, "DELETE", `${GROUPS}/held`);
  await cluster.clock.atRest();
  expect((await call(api, "GET", `${GROUPS}/held`)).at("metadata.finalizers")).toEqual(["example.com/held"]);
});

test("a PodGroup without pods does not get the protection finalizer again", async () => {
  await done(api, "POST", GROUPS, group("freed"));
  await done(api, "PATCH", `${GROUPS}/freed`, { metadata: { finalizers: null } }, MERGE);
  await cluster.clock.atRest();
  expect((await call(api, "GET", `${GROUPS}/freed`)).at("metadata.finalizers")).toBeUndefined();
});

test("the tests of PodGroup protection in this file caused no reported error", () => {
  expect(errors).toEqual([]);
});
