import { describe, expect, it } from "vitest";
import { applyDefaults } from "../../helpers/apply-defaults.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

/** Milli-units, rounded away from zero, in the family of suffixes the amount was written in. */
const AMOUNTS: readonly (readonly [written: string, kept: string])[] = [
  ["100u", "1m"],
  ["1n", "1m"],
  ["1500u", "2m"],
  ["-100u", "-1m"],
  ["1000001u", "1001m"],
  ["1e-6", "1e-3"],
  ["1.000005", "1001m"],
  ["500m", "500m"],
  ["1", "1"],
  ["1.005", "1.005"],
  ["1Gi", "1Gi"],
  ["2E", "2E"],
];

/** Where amounts of resources are listed. */
const PLACES: readonly (readonly [what: string, group: string, kind: string, path: string])[] = [
  ["a container's limits", "", "Pod", "spec.containers.0.resources.limits"],
  ["an init container's requests", "", "Pod", "spec.initContainers.0.resources.requests"],
  ["a pod's overhead", "", "Pod", "spec.overhead"],
  ["a pod's own requests", "", "Pod", "spec.resources.requests"],
  ["what a container got", "", "Pod", "status.containerStatuses.0.allocatedResources"],
  ["what a container has", "", "Pod", "status.containerStatuses.0.resources.limits"],
  ["a template's limits", "apps", "Deployment", "spec.template.spec.containers.0.resources.limits"],
  ["a cron job's limits", "batch", "CronJob", "spec.jobTemplate.spec.template.spec.containers.0.resources.limits"],
  ["a claim", "", "PersistentVolumeClaim", "spec.resources.requests"],
  ["what a claim has", "", "PersistentVolumeClaim", "status.capacity"],
  ["a set's claims", "apps", "StatefulSet", "spec.volumeClaimTemplates.0.spec.resources.requests"],
  ["a volume", "", "PersistentVolume", "spec.capacity"],
  ["a node", "", "Node", "status.capacity"],
  ["a quota", "", "ResourceQuota", "spec.hard"],
  ["what of a quota is used", "", "ResourceQuota", "status.used"],
  ["a limit's maximum", "", "LimitRange", "spec.limits.0.max"],
  ["a limit's ratio", "", "LimitRange", "spec.limits.0.maxLimitRequestRatio"],
  ["a runtime's overhead", "node.k8s.io", "RuntimeClass", "overhead.podFixed"],
];

describe.each(PLACES)("a quantity in %s, when defaults are applied", (_, group, kind, path) => {
  it.each(AMOUNTS)("is rounded up to the precision that Kubernetes stores: %s becomes %s", (written, kept) => {
    const gvk = { group, version: "v1", kind };
    const once = applyDefaults(gvk, at(path.split("."), { "example.com/x": written }) as KubeObject);
    expect(found(once, path.split("."))).toMatchObject({ "example.com/x": kept });
    expect(applyDefaults(gvk, structuredClone(once))).toEqual(once);
  });
});

function at([first = "", ...rest]: readonly string[], value: unknown): unknown {
  const inner = rest.length === 0 ? value : at(rest, value);
  return /^\d+$/.test(first) ? [inner] : { [first]: inner };
}

function found(value: unknown, [first, ...rest]: readonly string[]): unknown {
  return first === undefined ? value : found((value as Record<string, unknown>)[first], rest);
}
