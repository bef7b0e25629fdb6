import { describe, expect, test } from "vitest";
import type { Endpoints, EndpointSubset } from "../../../src/api/types/core/v1.js";
import type { EndpointSlice } from "../../../src/api/types/discovery/v1.js";
import { planMirror } from "../../../src/controllers/endpoint-slice-mirroring/mirroring-controller.js";

const HTTP = [{ name: "http", port: 8080, protocol: "TCP" as const }];
const ips = (...list: string[]) => list.map((ip) => ({ ip }));
const written = (subsets: EndpointSubset[], metadata: Endpoints["metadata"] = {}): Endpoints => ({
  apiVersion: "v1",
  kind: "Endpoints",
  metadata: { name: "db", namespace: "shop", uid: "db-uid", ...metadata },
  subsets,
});
/** The slices that Endpoints have once they were seen. */
const settled = (endpoints: Endpoints): EndpointSlice[] =>
  planMirror(endpoints, []).create.map((slice, index) => ({
    ...slice,
    metadata: { ...slice.metadata, name: `db-${index}` },
  }));
const shown = (slices: readonly EndpointSlice[]) =>
  slices.map(
    ({ addressType, endpoints }) =>
      `${addressType} ${endpoints?.map((one) => `${one.addresses[0]}${one.conditions?.ready ? "" : "!"}`).join()}`,
  );

describe("the slices that mirror a user's Endpoints", () => {
  test("have their labels and annotations, and are owned by them", () => {
    const annotations = { note: "n", "kubectl.kubernetes.io/last-applied-configuration": "{}" };
    const endpoints = written([{ addresses: [{ ip: "10.0.0.1", hostname: "h", nodeName: "one" }], ports: HTTP }], {
      labels: { a: "b" },
      annotations,
    });
    expect(planMirror(endpoints, []).create).toEqual([
      {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: {
          generateName: "db-",
          namespace: "shop",
          labels: {
            a: "b",
            "kubernetes.io/service-name": "db",
            "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
          },
          annotations: { note: "n" },
          ownerReferences: [
            {
              apiVersion: "v1",
              kind: "Endpoints",
              name: "db",
              uid: "db-uid",
              controller: true,
              blockOwnerDeletion: true,
            },
          ],
        },
        addressType: "IPv4",
        endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true }, hostname: "h", nodeName: "one" }],
        ports: HTTP,
      },
    ]);
  });

  test.each([
    [
      "ready and not",
      [{ addresses: ips("10.0.0.1"), notReadyAddresses: ips("10.0.0.2"), ports: HTTP }],
      ["IPv4 10.0.0.1,10.0.0.2!"],
    ],
    ["both families", [{ addresses: ips("10.0.0.1", "FD00::0:1"), ports: HTTP }], ["IPv4 10.0.0.1", "IPv6 fd00::1"]],
    ["none", [], []],
    [
      "two subsets of one port",
      [
        { addresses: ips("10.0.0.1"), ports: HTTP },
        { addresses: ips("10.0.0.2"), ports: HTTP },
      ],
      ["IPv4 10.0.0.1,10.0.0.2"],
    ],
  ])("hold addresses %s", (_, subsets, slices) => {
    expect(shown(planMirror(written(subsets), []).create)).toEqual(slices);
  });

  test("leave out and count addresses that are invalid or too many", () => {
    expect(planMirror(written([{ addresses: ips("10.0.0.1", "nonsense"), ports: HTTP }]), [])).toMatchObject({
      invalid: 1,
      skipped: 1,
    });
    const many = Array.from({ length: 1005 }, (_, index) => `10.0.${index >> 8}.${index & 255}`);
    expect(planMirror(written([{ addresses: ips(...many), ports: HTTP }]), [])).toMatchObject({
      invalid: 0,
      skipped: 5,
    });
  });

  const before = written([{ addresses: ips("10.0.0.1"), ports: HTTP }]);
  const other = [{ name: "admin", port: 9000, protocol: "TCP" as const }];
  test.each([
    ["nothing", before, [0, 0, 0]],
    ["an address", written([{ addresses: ips("10.0.0.1", "10.0.0.2"), ports: HTTP }]), [0, 1, 0]],
    ["readiness", written([{ notReadyAddresses: ips("10.0.0.1"), ports: HTTP }]), [0, 1, 0]],
    ["a label", written(before.subsets ?? [], { labels: { a: "b" } }), [0, 1, 0]],
    ["an annotation", written(before.subsets ?? [], { annotations: { a: "b" } }), [0, 1, 0]],
    ["the ports: the slice is used again", written([{ addresses: ips("10.0.0.1"), ports: other }]), [0, 1, 0]],
    ["another subset", written([...(before.subsets ?? []), { addresses: ips("10.0.0.2"), ports: other }]), [1, 0, 0]],
    ["everything goes", written([]), [0, 0, 1]],
  ])("are written again for a change of: %s", (_, after, counts) => {
    const { create, update, remove } = planMirror(after, settled(before));
    expect([create.length, update.length, remove.length]).toEqual(counts);
    for (const { metadata } of update) expect(metadata?.name).toBe("db-0");
  });
});
