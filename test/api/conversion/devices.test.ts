import { releaseOf } from "../../../src/api/facts/index.js";
import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { type Fields, object, objects } from "../../../src/machinery/meta/access.js";
import { bothWays, type ConversionRow, testConversions, testDefaults } from "../../helpers/wire-conversions.js";

// Expectations: kubernetes' pkg/apis/resource/v1beta1/{conversion,defaults}.go, v1beta2/defaults.go, v1alpha3/defaults.go.

const GROUP = "resource.k8s.io";
const metadata = { name: "x", annotations: { mine: "1" } };
const selectors = [{ cel: { expression: "true" } }];
const exact = {
  deviceClassName: "gpu",
  selectors,
  allocationMode: "ExactCount",
  count: 2,
  adminAccess: true,
  tolerations: [{ key: "k", operator: "Exists" }],
  capacity: { requests: { memory: "1Gi" } },
};
const alternatives = { firstAvailable: [{ name: "a", deviceClassName: "gpu", allocationMode: "All" }] };

const claim = (request: object) => ({ metadata, spec: { devices: { requests: [{ name: "r", ...request }] } } });
const template = (request: object) => ({ metadata, spec: { spec: claim(request).spec } });
const slice = (spec: object) => ({
  metadata,
  spec: { driver: "d", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, ...spec },
});

const row = (name: string, kind: string, input: object, expected: object): ConversionRow => ({
  name,
  kind,
  from: `${GROUP}/v1beta1`,
  to: `${GROUP}/v1`,
  input: { ...input },
  expected: { ...expected },
});
const backwards = (one: ConversionRow): ConversionRow => ({ ...one, from: one.to, to: one.from });

describe("converting ResourceSlices and ResourceClaims from resource v1beta1", () => {
  const device = {
    attributes: { model: { string: "m" } },
    capacity: { memory: { value: "1Gi" } },
    consumesCounters: [{ counterSet: "c", counters: { n: { value: "1" } } }],
    nodeName: "n",
    allNodes: false,
    taints: [{ key: "k", effect: "NoSchedule", timeAdded: "2026-01-02T03:04:05Z" }],
    bindsToNode: true,
    bindingConditions: ["a"],
    bindingFailureConditions: ["b"],
    allowMultipleAllocations: true,
    nodeAllocatableResources: { cpu: { mapping: { deviceMultiplier: "1" } } },
  };
  testConversions([
    ...bothWays(row("an exact request", "ResourceClaim", claim(exact), claim({ exactly: exact }))),
    ...bothWays(row("in a template", "ResourceClaimTemplate", template(exact), template({ exactly: exact }))),
    ...bothWays(row("alternatives", "ResourceClaim", claim(alternatives), claim(alternatives))),
    ...bothWays(
      row(
        "an invalid mixture",
        "ResourceClaim",
        claim({ ...exact, ...alternatives }),
        claim({ exactly: exact, ...alternatives }),
      ),
    ),
    ...bothWays(
      row(
        "one field makes it exact",
        "ResourceClaim",
        claim({ adminAccess: false }),
        claim({ exactly: { adminAccess: false } }),
      ),
    ),
    row("none does not", "ResourceClaim", claim({ deviceClassName: "" }), claim({})),
    backwards(row("an exact request for nothing is lost", "ResourceClaim", claim({ exactly: {} }), claim({}))),
    ...bothWays(
      row(
        "a device",
        "ResourceSlice",
        slice({ nodeName: "n", devices: [{ name: "a", basic: device }] }),
        slice({ nodeName: "n", devices: [{ name: "a", ...device }] }),
      ),
    ),
    row(
      "a device that says nothing",
      "ResourceSlice",
      slice({ devices: [{ name: "a" }] }),
      slice({ devices: [{ name: "a" }] }),
    ),
    backwards(
      row(
        "is basic",
        "ResourceSlice",
        slice({ devices: [{ name: "a" }] }),
        slice({ devices: [{ name: "a", basic: {} }] }),
      ),
    ),
    ...bothWays(row("all nodes", "ResourceSlice", slice({ allNodes: true }), slice({ allNodes: true }))),
    row("empty is absent", "ResourceSlice", slice({ nodeName: "", allNodes: false }), slice({})),
    backwards(row("and the reverse", "ResourceSlice", slice({ nodeName: "", allNodes: false }), slice({}))),
    ...bothWays(
      row("classes are alike", "DeviceClass", { metadata, spec: { selectors } }, { metadata, spec: { selectors } }),
    ),
    {
      ...row("v1beta2 is like v1", "ResourceClaim", claim(exact), claim({ exactly: exact })),
      to: `${GROUP}/v1beta2`,
    },
    ...bothWays({
      name: "rules are alike",
      kind: "DeviceTaintRule",
      from: `${GROUP}/v1alpha3`,
      to: `${GROUP}/v1beta2`,
      input: { metadata, spec: { deviceSelector: { driver: "d" }, taint: device.taints[0] } },
      expected: { metadata, spec: { deviceSelector: { driver: "d" }, taint: device.taints[0] } },
    }),
  ]);
});

describe("default values of device requests and taints", () => {
  const gpu = { deviceClassName: "gpu" };
  const counted = { ...gpu, allocationMode: "ExactCount", count: 1 };
  const all = { ...gpu, allocationMode: "All" };
  const versions = ["v1", "v1beta2"];
  testDefaults([
    ...versions.flatMap((version) => [
      {
        name: "one device",
        kind: "ResourceClaim",
        version: `${GROUP}/${version}`,
        input: claim({ exactly: gpu }),
        expected: claim({ exactly: counted }),
      },
      {
        name: "all devices have no count",
        kind: "ResourceClaimTemplate",
        version: `${GROUP}/${version}`,
        input: template({ exactly: all }),
        expected: template({ exactly: all }),
      },
      {
        name: "one of each alternative",
        kind: "ResourceClaim",
        version: `${GROUP}/${version}`,
        input: claim({ firstAvailable: [{ name: "a", ...gpu }] }),
        expected: claim({ firstAvailable: [{ name: "a", ...counted }] }),
      },
    ]),
    {
      name: "one device",
      kind: "ResourceClaim",
      version: `${GROUP}/v1beta1`,
      input: claim(gpu),
      expected: claim(counted),
    },
    {
      name: "a request without a class has no count",
      kind: "ResourceClaimTemplate",
      version: `${GROUP}/v1beta1`,
      input: template({ firstAvailable: [{ name: "a", ...gpu }] }),
      expected: template({ firstAvailable: [{ name: "a", ...counted }] }),
    },
    {
      name: "how many pools are reported",
      kind: "ResourcePoolStatusRequest",
      version: `${GROUP}/v1alpha3`,
      input: { metadata, spec: { driver: "d" } },
      expected: { metadata, spec: { driver: "d", limit: 100 } },
    },
  ]);

  const taint = { key: "k", effect: "NoSchedule" };
  const aDevice = { name: "a", taints: [taint] };
  test.each<readonly [kind: string, version: string, source: object, find: (spec: Fields) => unknown]>([
    ["ResourceSlice", "v1", slice({ devices: [aDevice] }), (spec) => objects(objects(spec.devices)[0]?.taints)[0]],
    [
      "ResourceSlice",
      "v1beta1",
      slice({ devices: [{ name: "a", basic: { taints: [taint] } }] }),
      (spec) => objects(object(objects(spec.devices)[0]?.basic).taints)[0],
    ],
    ["DeviceTaintRule", "v1beta2", { metadata, spec: { taint } }, (spec) => spec.taint],
    ["DeviceTaintRule", "v1alpha3", { metadata, spec: { taint } }, (spec) => spec.taint],
  ])(
    "the default time of a taint on a %s in %s is the time of the request, in whole seconds",
    (kind, version, source, find) => {
      const draft = structuredClone({ apiVersion: `${GROUP}/${version}`, kind, ...source });
      const found = object(
        find({ ...object(object(allScheme().applyDefaults(draft, Date.parse("2026-01-02T03:04:05.678Z"))).spec) }),
      );
      expect(found.timeAdded).toBe("2026-01-02T03:04:05Z");
    },
  );
});

// Kubernetes 1.37 has other fields in their place (K37-033).
describe("default values of a ResourceSlice in Kubernetes 1.36", async () => {
  const release = await releaseOf("1.36");
  testDefaults(
    ["v1", "v1beta2"].map((version) => ({
      name: "a mapping's multiplier",
      kind: "ResourceSlice",
      version: `${GROUP}/${version}`,
      input: slice({
        devices: [{ name: "a", nodeAllocatableResourceMappings: { cpu: {}, memory: { allocationMultiplier: "2" } } }],
      }),
      expected: slice({
        devices: [
          {
            name: "a",
            nodeAllocatableResourceMappings: {
              cpu: { allocationMultiplier: "1" },
              memory: { allocationMultiplier: "2" },
            },
          },
        ],
      }),
    })),
    release,
  );
});
