import { expect, test } from "vitest";
import { SERVED_VERSIONS } from "../../../src/api/facts/index.js";
import { featureGatesOf } from "../../../src/api/gates/feature-gates.js";
import { readFeatureGates } from "../../../src/cluster/apiserver/feature-gates.js";

test.each([
  ["on in 1.37, off in 1.36 (K37-081)", "HPAScaleToZero", { enabled: false }, { enabled: true, stage: "BETA" }],
  ["stable and on in 1.37 (K37-039)", "ClusterTrustBundle", { enabled: false }, { enabled: true, stage: "" }],
  ["new in 1.37 (K37-020)", "H2CContainerProbe", undefined, { enabled: false, stage: "ALPHA" }],
  ["locked since 1.37 (K37-082)", "HostnameOverride", { locked: false }, { enabled: true, locked: true }],
  ["gone in 1.37 (K37-082)", "BtreeWatchCache", { enabled: true, locked: true }, undefined],
  ["the same in both", "CBORServingAndStorage", { enabled: false }, { enabled: false, stage: "ALPHA" }],
] as const)(
  "K37-264: a feature gate has the default and the stage of its Kubernetes version: %s",
  (_title, name, older, newer) => {
    for (const [version, expected] of [["1.36", older] as const, ["1.37", newer] as const]) {
      const gate = featureGatesOf(version).get(name);
      if (expected === undefined) expect(gate).toBeUndefined();
      else expect(gate).toMatchObject(expected);
    }
  },
);

test("K37-080: an unknown or locked feature gate is refused in component-base's words, as the server's version has it", () => {
  const faultsOf = (entry: string, version: string) => readFeatureGates([entry], { kubernetesVersion: version }).faults;
  expect(faultsOf("H2CContainerProbe=true", "1.36")).toEqual(["unrecognized feature gate: H2CContainerProbe"]);
  expect(faultsOf("H2CContainerProbe=true", "v1.37.1")).toEqual([]);
  expect(faultsOf("HostnameOverride=false", "1.36")).toEqual([]);
  expect(faultsOf("HostnameOverride=false", "1.37")).toEqual([
    "cannot set feature gate HostnameOverride to false, feature is locked to true",
  ]);
  expect(faultsOf("BtreeWatchCache=true", "1.37")).toEqual(["unrecognized feature gate: BtreeWatchCache"]);
});

test("every served Kubernetes version has a list of feature gates, sorted by name", () => {
  for (const version of SERVED_VERSIONS) {
    const names = [...featureGatesOf(version).keys()];
    expect(names.length).toBeGreaterThan(200);
    expect(names).toEqual(names.toSorted());
  }
});
