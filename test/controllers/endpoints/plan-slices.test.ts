import { describe, expect, test } from "vitest";
import type { Pod, Service } from "../../../src/api/types/core/v1.js";
import type { Endpoint, EndpointSlice } from "../../../src/api/types/discovery/v1.js";
import { planSlices } from "../../../src/controllers/endpoint-slice/plan-slices.js";
import { member, node, service } from "../../helpers/service-objects.js";

const nodes = (name: string) => (name === "one" ? node("one", "east") : name === "two" ? node("two") : undefined);

const plan = (web: Service, pods: readonly Pod[], existing: readonly EndpointSlice[] = []) =>
  planSlices(web, pods, existing, { nodeOf: nodes, shares: () => undefined });

/** The slice as it is stored. */
function stored(slice: EndpointSlice, name: string): EndpointSlice {
  const { generateName: _, ...metadata } = slice.metadata ?? {};
  return { ...slice, metadata: { ...metadata, name, uid: `${name}-uid` } };
}

/** The slices that a service has once its pods were seen. */
function settled(web: Service, pods: readonly Pod[]): EndpointSlice[] {
  return plan(web, pods).create.map((slice, index) => stored(slice, `web-${index}`));
}

const members = (count: number, first = 0): Pod[] =>
  Array.from({ length: count }, (_, index) => {
    const number = first + index;
    return member(`web-${String(number).padStart(4, "0")}`, {
      ips: [`10.1.${Math.floor(number / 200)}.${(number % 200) + 1}`],
    });
  });

const sizes = (slices: readonly EndpointSlice[]) => slices.map(({ endpoints }) => endpoints?.length);

describe("a new EndpointSlice of a Service", () => {
  test("has its labels, owner, ports and one endpoint for each pod", () => {
    const { create, update, remove } = plan(service({}, { tier: "front" }), [member("a")]);
    expect([create, update, remove]).toEqual([
      [
        {
          apiVersion: "discovery.k8s.io/v1",
          kind: "EndpointSlice",
          metadata: {
            generateName: "web-",
            namespace: "shop",
            labels: {
              tier: "front",
              "kubernetes.io/service-name": "web",
              "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
            },
            ownerReferences: [
              {
                apiVersion: "v1",
                kind: "Service",
                name: "web",
                uid: "web-uid",
                controller: true,
                blockOwnerDeletion: true,
              },
            ],
          },
          addressType: "IPv4",
          ports: [{ name: "http", protocol: "TCP", port: 8080 }],
          endpoints: [
            {
              addresses: ["10.0.0.1"],
              conditions: { ready: true, serving: true, terminating: false },
              targetRef: { kind: "Pod", namespace: "shop", name: "a", uid: "a-uid" },
              nodeName: "one",
              zone: "east",
            },
          ],
        },
      ],
      [],
      [],
    ]);
  });

  const named = { ports: [{ name: "http", port: 80, protocol: "TCP" as const, targetPort: "web" }] };
  const withPort = (name: string, protocol: "TCP" | "UDP" = "TCP"): Pod["spec"] => ({
    containers: [{ name: "c", image: "i", ports: [{ name, containerPort: 9090, protocol }] }],
    nodeName: "one",
  });
  const asSidecar: Pod["spec"] = {
    nodeName: "one",
    containers: [{ name: "c", image: "i" }],
    initContainers: [{ name: "s", image: "i", restartPolicy: "Always", ports: [{ name: "web", containerPort: 7070 }] }],
  };
  test.each<[string, Service, Pod[], Partial<EndpointSlice>[]]>([
    ["no pods: a placeholder", service(), [], [{ endpoints: [], ports: [] }]],
    ["a pod without an address", service(), [member("a", { ips: [] })], [{ endpoints: [], ports: [] }]],
    ["a pod that has ended", service(), [member("a", { phase: "Succeeded" })], [{ endpoints: [], ports: [] }]],
    [
      "a named port",
      service(named),
      [member("a", { spec: withPort("web") })],
      [{ ports: [{ name: "http", protocol: "TCP", port: 9090 }] }],
    ],
    [
      "a named port of a sidecar",
      service(named),
      [member("a", { spec: asSidecar })],
      [{ ports: [{ name: "http", protocol: "TCP", port: 7070 }] }],
    ],
    [
      "a named port of another protocol",
      service(named),
      [member("a", { spec: withPort("web", "UDP") })],
      [{ ports: [] }],
    ],
    [
      "pods with different ports have slices of their own",
      service(named),
      [member("a", { spec: withPort("web") }), member("b", { ips: ["10.0.0.2"], spec: asSidecar })],
      [
        { ports: [{ name: "http", protocol: "TCP", port: 9090 }] },
        { ports: [{ name: "http", protocol: "TCP", port: 7070 }] },
      ],
    ],
    [
      "a headless service without ports",
      service({ clusterIP: "None", ports: [] }),
      [member("a")],
      [{ ports: [], endpoints: [{ addresses: ["10.0.0.1"] } as Endpoint] }],
    ],
    [
      "both families",
      service({ ipFamilies: ["IPv4", "IPv6"] }),
      [member("a", { ips: ["10.0.0.1", "fd00::1"] })],
      [
        { addressType: "IPv4", endpoints: [{ addresses: ["10.0.0.1"] } as Endpoint] },
        { addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] } as Endpoint] },
      ],
    ],
    [
      "IPv6 alone",
      service({ ipFamilies: ["IPv6"] }),
      [member("a", { ips: ["10.0.0.1", "fd00::1"] })],
      [{ addressType: "IPv6", endpoints: [{ addresses: ["fd00::1"] } as Endpoint] }],
    ],
  ])("for %s", (_, web, pods, slices) => {
    const { create } = plan(web, pods);
    expect(create).toHaveLength(slices.length);
    expect(create).toMatchObject(slices);
  });

  test.each([
    ["ready", {}, false, { ready: true, serving: true, terminating: false }],
    ["not ready", { ready: false }, false, { ready: false, serving: false, terminating: false }],
    ["not ready, published", { ready: false }, true, { ready: true, serving: false, terminating: false }],
    ["terminating", { deleted: true }, false, { ready: false, serving: true, terminating: true }],
    ["terminating, published", { deleted: true }, true, { ready: true, serving: true, terminating: true }],
    [
      "terminating, not ready",
      { deleted: true, ready: false },
      false,
      { ready: false, serving: false, terminating: true },
    ],
  ])("has the conditions of a pod: %s", (_, parts, publishNotReadyAddresses, conditions) => {
    const { create } = plan(service({ publishNotReadyAddresses }), [member("a", parts)]);
    expect(create[0]?.endpoints?.[0]?.conditions).toEqual(conditions);
  });

  test.each([
    ["of a pod of the service's subdomain", { hostname: "db-0", subdomain: "web" }, "db-0"],
    ["not of another subdomain", { hostname: "db-0", subdomain: "other" }, undefined],
    ["not without a host name", { subdomain: "web" }, undefined],
  ])("has a host name %s", (_, spec, hostname) => {
    const { create } = plan(service(), [member("a", { spec: { nodeName: "one", containers: [], ...spec } })]);
    expect(create[0]?.endpoints?.[0]?.hostname).toBe(hostname);
  });

  test("has ports in the order of their hashes, as in clusters that the DNS shows", () => {
    const port = (name: string, number: number, protocol: "TCP" | "UDP") => ({
      name,
      port: number,
      protocol,
      targetPort: number,
    });
    const ports = [port("metrics", 9153, "TCP"), port("dns-tcp", 53, "TCP"), port("dns", 53, "UDP")];
    const { create } = plan(service({ ports }), [member("a")]);
    expect(create[0]?.ports?.map(({ name }) => name)).toEqual(["dns", "dns-tcp", "metrics"]);
  });

  test("is labelled when the service is headless, without the service's own reserved labels", () => {
    const labels = { "service.kubernetes.io/headless": "no", "kubernetes.io/service-name": "x", a: "b" };
    expect(plan(service({ clusterIP: "None" }, labels), []).create[0]?.metadata?.labels).toEqual({
      a: "b",
      "service.kubernetes.io/headless": "",
      "kubernetes.io/service-name": "web",
      "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    });
    expect(plan(service({}, labels), []).create[0]?.metadata?.labels).not.toHaveProperty(
      "service.kubernetes.io/headless",
    );
  });

  test("leaves out pods whose node does not exist, unless the service publishes all", () => {
    const lost = member("a", { node: "gone" });
    const { create, withoutNode } = plan(service(), [lost]);
    expect([sizes(create), withoutNode]).toEqual([[0], [lost]]);
    expect(plan(service({ publishNotReadyAddresses: true }), [lost])).toMatchObject({
      withoutNode: [],
      create: [{ endpoints: [{}] }],
    });
  });

  test.each([
    ["PreferClose", "one", { forZones: [{ name: "east" }] }],
    ["PreferSameZone", "one", { forZones: [{ name: "east" }] }],
    ["PreferSameNode", "one", { forZones: [{ name: "east" }], forNodes: [{ name: "one" }] }],
    ["PreferSameNode", "two", { forNodes: [{ name: "two" }] }],
    ["PreferSameZone", "two", undefined],
    [undefined, "one", undefined],
  ])("has hints for trafficDistribution %s on node %s", (trafficDistribution, nodeName, hints) => {
    const web = service({ ...(trafficDistribution !== undefined && { trafficDistribution }) });
    expect(plan(web, [member("a", { node: nodeName })]).create[0]?.endpoints?.[0]?.hints).toEqual(hints);
  });
});

describe("existing EndpointSlices of a Service", () => {
  test("are left alone while the pods are unchanged", () => {
    const pods = members(3);
    expect(plan(service(), pods, settled(service(), pods))).toMatchObject({ create: [], update: [], remove: [] });
    expect(plan(service(), [], settled(service(), []))).toMatchObject({ create: [], update: [], remove: [] });
  });

  test("of another owner are removed", () => {
    const foreign = settled({ ...service(), metadata: { ...service().metadata, uid: "old" } }, [member("a")]);
    const { create, remove } = plan(service(), [member("a")], foreign);
    expect([sizes(create), remove]).toEqual([[1], foreign]);
  });

  test.each<[string, number, number, { create?: number[]; update?: number[]; remove?: number }]>([
    ["the first 100 fill one slice", 0, 100, { update: [100] }],
    ["250 take three", 0, 250, { create: [100, 100], update: [50] }],
    ["one more goes where there is room", 40, 41, { update: [41] }],
    ["one more than fits needs another", 100, 101, { create: [1] }],
    ["many more than fit need others", 90, 250, { create: [100, 60] }],
    ["one less is taken out", 40, 39, { update: [39] }],
    ["the last one leaves a placeholder", 1, 0, { update: [0] }],
    ["a slice that becomes empty goes", 150, 100, { remove: 1 }],
  ])("are filled so that %s", (_, before, after, { create = [], update = [], remove = 0 }) => {
    const changes = plan(service(), members(after), settled(service(), members(before)));
    expect([sizes(changes.create), sizes(changes.update), changes.remove.length]).toEqual([create, update, remove]);
  });

  test("are written once when one pod goes and another comes", () => {
    const changes = plan(service(), members(3, 1), settled(service(), members(3)));
    expect([changes.create, sizes(changes.update), changes.remove]).toEqual([[], [3], []]);
    expect(changes.update[0]?.metadata?.name).toBe("web-0");
  });

  test.each([
    ["readiness", { ready: false }],
    ["deletion", { deleted: true }],
    ["node", { node: "two" }],
  ])("are updated when a pod changes: %s", (_, parts) => {
    expect(sizes(plan(service(), [member("a", parts)], settled(service(), [member("a")])).update)).toEqual([1]);
  });

  test("get new labels with their service", () => {
    const { update } = plan(service({}, { tier: "back" }), [member("a")], settled(service(), [member("a")]));
    expect(update[0]?.metadata?.labels).toMatchObject({ tier: "back" });
  });

  test("gain and lose hints with trafficDistribution", () => {
    const close = service({ trafficDistribution: "PreferClose" });
    expect(plan(close, [member("a")], settled(service(), [member("a")])).update[0]?.endpoints?.[0]?.hints).toEqual({
      forZones: [{ name: "east" }],
    });
    const { update } = plan(service(), [member("a")], settled(close, [member("a")]));
    expect(update[0]?.endpoints?.[0]).not.toHaveProperty("hints");
  });

  test("of an IP family that the service no longer has are removed", () => {
    const both = service({ ipFamilies: ["IPv4", "IPv6"] });
    const pods = [member("a", { ips: ["10.0.0.1", "fd00::1"] })];
    const { remove } = plan(service(), pods, settled(both, pods));
    expect(remove.map(({ addressType }) => addressType)).toEqual(["IPv6"]);
  });
});
