import { describe, expect, onTestFinished, test } from "vitest";
import type { Service } from "../../src/api/types/core/v1.js";
import { parseIpv4Prefix } from "../../src/base/numbers/ipv4-prefix.js";
import { startCluster } from "../../src/cluster/index.js";
import {
  addressesOf,
  addressFor,
  isHeld,
  wantsLoadBalancer,
  withFinalizer,
} from "../../src/controllers/service-load-balancer/service-load-balancer-controller.js";
import { objects, text } from "../../src/machinery/meta/access.js";
import type { JsonObject } from "../../src/machinery/meta/json.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { quietCluster } from "../helpers/quiet-cluster.js";

const service = (spec: Service["spec"], metadata: Service["metadata"] = {}): Service => ({
  metadata: { name: "web", namespace: "default", ...metadata },
  ...(spec && { spec }),
});

test.each([
  ["of the type", service({ type: "LoadBalancer" }), true],
  ["of another type", service({ type: "NodePort" }), false],
  ["of another controller's class", service({ type: "LoadBalancer", loadBalancerClass: "example.com/lb" }), false],
  ["that is being deleted", service({ type: "LoadBalancer" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }), false],
])("whether a Service %s gets a load balancer: %#", (_, one, wants) => {
  expect(wantsLoadBalancer(one)).toBe(wants);
});

test("the load balancer's finalizer is added beside other finalizers", () => {
  const held = withFinalizer(service({}, { finalizers: ["example.com/other"] }), true);
  expect([isHeld(held), held.metadata?.finalizers]).toEqual([
    true,
    ["example.com/other", "service.kubernetes.io/load-balancer-cleanup"],
  ]);
  expect(withFinalizer(held, false).metadata?.finalizers).toEqual(["example.com/other"]);
});

describe("the address that the load balancer controller gives a Service", () => {
  const block = parseIpv4Prefix("10.9.8.0/30") ?? { network: 0, broadcast: 0 };
  test.each([
    ["is the first of the block", {}, [], "10.9.8.1"],
    ["is the next free one", {}, ["10.9.8.1"], "10.9.8.2"],
    ["is none when all are taken", {}, ["10.9.8.1", "10.9.8.2"], undefined],
    ["is the one that is asked for", { loadBalancerIP: "10.9.8.2" }, [], "10.9.8.2"],
    ["is none when that one is taken", { loadBalancerIP: "10.9.8.2" }, ["10.9.8.2"], undefined],
    ["is none when that one is of another block", { loadBalancerIP: "10.9.9.1" }, [], undefined],
    ["is none when that one is the block's own", { loadBalancerIP: "10.9.8.0" }, [], undefined],
    ["is none when that one is no address", { loadBalancerIP: "fd00::1" }, [], undefined],
  ])("%s", (_, spec, taken, address) => {
    expect(addressFor(service(spec), block, new Set(taken))).toBe(address);
  });

  test("is written into the Service's status", () => {
    const status = { loadBalancer: { ingress: [{ ip: "10.9.8.1" }, { hostname: "h" }] } };
    expect(addressesOf({ ...service({}), status })).toEqual(["10.9.8.1"]);
  });
});

test("on a cluster, Services get addresses of the configured block, and free them when deleted", async () => {
  const controllers = [...(quietCluster.controllers || []), "service-lb-controller"];
  const loadBalancerAddresses = "10.9.8.0/30";
  const cluster = await startCluster({ port: false, ...quietCluster, controllers, loadBalancerAddresses });
  onTestFinished(() => cluster.close());
  const SERVICES = "/api/v1/namespaces/default/services";
  const ask = (method: string, path: string, body?: JsonObject) =>
    call(cluster.transport(), method, path, body, method === "PATCH" ? { type: "application/merge-patch+json" } : {});
  const create = (name: string) =>
    ask("POST", SERVICES, { metadata: { name }, spec: { type: "LoadBalancer", ports: [{ port: 80 }] } });
  const ingress = async (name: string) => (await ask("GET", `${SERVICES}/${name}`)).at("status.loadBalancer.ingress");
  await create("one");
  await eventually(async () => expect(await ingress("one")).toEqual([{ ip: "10.9.8.1", ipMode: "VIP" }]));
  await create("two");
  await eventually(async () => expect(await ingress("two")).toEqual([{ ip: "10.9.8.2", ipMode: "VIP" }]));
  await create("three");
  const reasons = async (name: string) =>
    objects(
      (await ask("GET", `/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=${name}`)).at("items"),
    )
      .map(({ reason }) => text(reason))
      .toSorted((a, b) => (a < b ? -1 : 1));
  await eventually(async () =>
    expect(await reasons("three")).toEqual(["EnsuringLoadBalancer", "SyncLoadBalancerFailed"]),
  );
  await ask("DELETE", `${SERVICES}/one`);
  await eventually(async () => expect((await ask("GET", `${SERVICES}/one`)).status).toBe(404));
  await ask("PATCH", `${SERVICES}/two`, { spec: { type: "ClusterIP" } });
  await eventually(async () => expect((await ask("GET", `${SERVICES}/two`)).at("metadata.finalizers")).toBeUndefined());
  expect(await ingress("two")).toBeUndefined();
  await create("four");
  await eventually(async () => expect(await ingress("four")).toEqual([{ ip: "10.9.8.1", ipMode: "VIP" }]));
  await eventually(async () =>
    expect(await reasons("one")).toEqual([
      "DeletedLoadBalancer",
      "DeletingLoadBalancer",
      "EnsuredLoadBalancer",
      "EnsuringLoadBalancer",
    ]),
  );
});

test("a cluster does not start with an invalid block of load balancer addresses", async () => {
  await expect(startCluster({ port: false, loadBalancerAddresses: "10.0.0.1" })).rejects.toThrow(
    'loadBalancerAddresses is "10.0.0.1"; give a block of IPv4 addresses, "172.20.255.0/24"',
  );
});
