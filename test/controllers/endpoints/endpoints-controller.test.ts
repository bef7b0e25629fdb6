import { describe, expect, test } from "vitest";
import type { EndpointAddress, EndpointSubset, Pod, Service } from "../../../src/api/types/core/v1.js";
import { repackSubsets } from "../../../src/controllers/endpoints/repack-subsets.js";
import {
  truncateSubsets,
  subsetsOf,
  wantedEndpoints,
} from "../../../src/controllers/endpoints/endpoints-controller.js";
import { ChangeTimes } from "../../../src/controllers/service-endpoints/change-times.js";
import { member, service } from "../../helpers/service-objects.js";

const address = (name: string, ip: string): EndpointAddress => ({
  ip,
  nodeName: "one",
  targetRef: { kind: "Pod", namespace: "shop", name, uid: `${name}-uid` },
});
const HTTP = [{ name: "http", port: 8080, protocol: "TCP" as const }];

describe("the Endpoints that the controller writes for a Service", () => {
  const [a, b] = [member("a"), member("b", { ips: ["10.0.0.2"] })];
  const named = { ports: [{ name: "http", port: 80, protocol: "TCP" as const, targetPort: "web" }] };
  test.each<[string, Service, Pod[], EndpointSubset[]]>([
    ["no pods", service(), [], []],
    [
      "ready pods, by address",
      service(),
      [b, a],
      [{ addresses: [address("a", "10.0.0.1"), address("b", "10.0.0.2")], ports: HTTP }],
    ],
    [
      "one that is not ready",
      service(),
      [a, member("b", { ips: ["10.0.0.2"], ready: false })],
      [{ addresses: [address("a", "10.0.0.1")], notReadyAddresses: [address("b", "10.0.0.2")], ports: HTTP }],
    ],
    [
      "one that is not ready, published",
      service({ publishNotReadyAddresses: true }),
      [member("a", { ready: false })],
      [{ addresses: [address("a", "10.0.0.1")], ports: HTTP }],
    ],
    ["one that is being deleted", service(), [member("a", { deleted: true })], []],
    [
      "one that is being deleted, published",
      service({ publishNotReadyAddresses: true }),
      [member("a", { deleted: true })],
      [{ addresses: [address("a", "10.0.0.1")], ports: HTTP }],
    ],
    ["one that has ended", service(), [member("a", { phase: "Failed" })], []],
    ["one without an address", service(), [member("a", { ips: [] })], []],
    ["one without the named port", service(named), [a], []],
    [
      "the first family",
      service({ ipFamilies: ["IPv6", "IPv4"] }),
      [member("a", { ips: ["10.0.0.1", "fd00::1"] })],
      [{ addresses: [address("a", "fd00::1")], ports: HTTP }],
    ],
    [
      "K37-148: the family of the address, of a service that names none",
      service({ clusterIP: "fd00::a", ipFamilies: [] }),
      [member("a", { ips: ["10.0.0.1", "fd00::1"] })],
      [{ addresses: [address("a", "fd00::1")], ports: HTTP }],
    ],
    [
      "headless without ports",
      service({ clusterIP: "None", ports: [] }),
      [a, b],
      [{ addresses: [address("a", "10.0.0.1"), address("b", "10.0.0.2")] }],
    ],
  ])("for %s", (_, web, pods, subsets) => {
    expect(subsetsOf(web, pods)).toEqual(subsets);
  });

  test("have the service's labels, a label of their own, and the time of the change", () => {
    const web = service({ clusterIP: "None" }, { tier: "front" });
    expect(wantedEndpoints(web, [a], undefined, "2026-01-01T00:00:05Z")?.metadata).toEqual({
      namespace: "shop",
      name: "web",
      labels: {
        tier: "front",
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
        "service.kubernetes.io/headless": "",
      },
      annotations: { "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:05Z" },
    });
  });

  test("are written only when they change", () => {
    const first = wantedEndpoints(service(), [a], undefined, undefined);
    expect(wantedEndpoints(service(), [a], first, "2026-01-01T00:00:05Z")).toBeUndefined();
    expect(wantedEndpoints(service({}, { tier: "x" }), [a], first, undefined)?.metadata?.labels).toMatchObject({
      tier: "x",
    });
    expect(wantedEndpoints(service(), [], first, undefined)?.subsets).toEqual([]);
  });
});

describe("the subsets of Endpoints in canonical form", () => {
  const one = address("a", "10.0.0.1");
  const two = address("b", "10.0.0.2");
  const METRICS = { name: "metrics", port: 9090, protocol: "TCP" as const };
  const sorted = (subsets: EndpointSubset[]) =>
    subsets.map(({ ports = [], ...rest }) => ({
      ...rest,
      ports: ports.map(({ name = "" }) => name).sort((a, b) => (a < b ? -1 : 1)),
    }));
  test.each<[string, EndpointSubset[], unknown[]]>([
    [
      "ports of the same addresses are together",
      [
        { addresses: [one], ports: HTTP },
        { addresses: [one], ports: [METRICS] },
      ],
      [{ addresses: [one], ports: ["http", "metrics"] }],
    ],
    [
      "addresses of the same port are together",
      [
        { addresses: [two], ports: HTTP },
        { addresses: [one], ports: HTTP },
      ],
      [{ addresses: [one, two], ports: ["http"] }],
    ],
    ["the same address once", [{ addresses: [one, one], ports: HTTP }], [{ addresses: [one], ports: ["http"] }]],
    [
      "one that is also not ready is not ready",
      [
        { addresses: [one], ports: HTTP },
        { notReadyAddresses: [one], ports: HTTP },
      ],
      [{ notReadyAddresses: [one], ports: ["http"] }],
    ],
    ["without ports", [{ addresses: [two] }, { addresses: [one] }], [{ addresses: [one, two], ports: [] }]],
  ])("join or split so that %s", (_, subsets, packed) => {
    expect(sorted(repackSubsets(subsets))).toEqual(packed);
  });

  test("have ports in the order of their hashes, as in clusters that the DNS shows", () => {
    const ports = ["dns", "dns-tcp"].map(
      (name) => ({ name, port: 53, protocol: name === "dns" ? "UDP" : "TCP" }) as const,
    );
    const [packed] = repackSubsets([
      { addresses: [one], ports: [...ports, { name: "metrics", port: 9153, protocol: "TCP" }] },
    ]);
    expect(packed?.ports?.map(({ name }) => name)).toEqual(["metrics", "dns-tcp", "dns"]);
  });

  const many = (count: number): EndpointAddress[] =>
    Array.from({ length: count }, (_, index) => ({ ip: `10.0.${index >> 8}.${index & 255}` }));
  test.each([
    ["as many as there may be", [[600, 400]], undefined],
    ["too many not ready", [[600, 500]], [[600, 400]]],
    ["too many ready", [[1200, 50]], [[1000, 0]]],
    [
      "in proportion",
      [
        [1500, 0],
        [500, 10],
      ],
      [
        [750, 0],
        [250, 0],
      ],
    ],
    [
      "not ready in proportion",
      [
        [400, 600],
        [200, 200],
      ],
      [
        [400, 300],
        [200, 100],
      ],
    ],
  ])("hold at most 1000 addresses: %s", (_, counts, kept) => {
    const cut = truncateSubsets(
      counts.map(([ready = 0, not = 0]) => ({ addresses: many(ready), notReadyAddresses: many(not) })),
    );
    expect(
      cut?.map(({ addresses = [], notReadyAddresses = [] }) => [addresses.length, notReadyAddresses.length]),
    ).toEqual(kept);
  });
});

describe("the trigger time that Endpoints carry is from the change in which", () => {
  const at = (seconds: number) => `2026-01-01T00:00:0${seconds}Z`;
  const ready = (name: string, seconds: number) => member(name, { since: at(seconds) });
  test.each([
    ["the service is new", [[]], [at(0)]],
    ["a pod was ready before", [[ready("a", 3)]], [at(0)]],
    ["nothing changes", [[ready("a", 3)], [ready("a", 3)]], [at(0), undefined]],
    ["a pod becomes ready", [[], [ready("a", 4)]], [at(0), at(4)]],
    ["two do: the first", [[], [ready("a", 6), ready("b", 5)]], [at(0), at(5)]],
    ["a pod goes", [[ready("a", 3)], []], [at(0), undefined]],
  ])("%s", (_, steps, expected) => {
    const times = new ChangeTimes();
    expect(steps.map((pods) => times.next("shop/web", service(), pods))).toEqual(expected);
  });
});
