import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allScheme } from "../../../src/api/scheme/all.js";
import { decodeObject } from "../../../src/machinery/wire/strict-decode.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { arbitraryOf } from "../../helpers/arbitrary-object.js";

const scheme = allScheme();
const nameOf = (gvk: GroupVersionKind): string => `${formatGroupVersion(gvk)}/${gvk.kind}`;

/** Versions that are not their kind's hub, and kinds with another version: those that conversion is for. */
const versions = scheme
  .kinds()
  .filter((gvk) => nameOf(scheme.kind(gvk).hub) !== nameOf(gvk) && !gvk.kind.endsWith("List"));

/**
 * Versions that the first journey brings into the form Kubernetes gives them, and why. From then on a journey changes
 * nothing. Fields that the old types fill in, though they are absent, come of the internal types' not being pointers.
 */
const NORMALISED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "template fields with two names, numbers that are 0 when absent": [
      "apps/v1beta1/Deployment",
      "apps/v1beta1/StatefulSet",
      "apps/v1beta2/DaemonSet",
      "apps/v1beta2/Deployment",
      "apps/v1beta2/ReplicaSet",
      "apps/v1beta2/StatefulSet",
      "batch/v1beta1/CronJob",
      "extensions/v1beta1/DaemonSet",
      "extensions/v1beta1/Deployment",
      "extensions/v1beta1/ReplicaSet",
    ],
    "targetSelector wins over the map": ["apps/v1beta1/Scale", "apps/v1beta2/Scale", "extensions/v1beta1/Scale"],
    "a backend's port is a name or a number": ["extensions/v1beta1/Ingress", "networking.k8s.io/v1beta1/Ingress"],
    "annotations that stand for fields; a metric's target says one thing": [
      "autoscaling/v1/HorizontalPodAutoscaler",
      "autoscaling/v2beta1/HorizontalPodAutoscaler",
    ],
    "the name of a signer is a pointer in the old version": ["certificates.k8s.io/v1beta1/CertificateSigningRequest"],
    "the topology of an endpoint has fields of its own": ["discovery.k8s.io/v1beta1/EndpointSlice"],
    "shares of 0 and absent ones are told apart by an annotation": [
      "flowcontrol.apiserver.k8s.io/v1beta1/PriorityLevelConfiguration",
      "flowcontrol.apiserver.k8s.io/v1beta2/PriorityLevelConfiguration",
      "flowcontrol.apiserver.k8s.io/v1beta3/PriorityLevelConfiguration",
    ],
    "spec is flat in the hub": ["node.k8s.io/v1alpha1/RuntimeClass"],
    "a subject's group comes of its apiVersion": [
      "rbac.authorization.k8s.io/v1alpha1/ClusterRoleBinding",
      "rbac.authorization.k8s.io/v1alpha1/RoleBinding",
    ],
    "what is said once of all versions": ["apiextensions.k8s.io/v1beta1/CustomResourceDefinition"],
    "a device is basic": ["resource.k8s.io/v1beta1/ResourceSlice"],
  }).flatMap(([reason, names]) => names.map((name) => [name, reason] as const)),
);

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(freeze);
  }
  return value;
}

describe("an object of every version is unchanged after conversion to the stored version and back", () => {
  test.each(versions.map((gvk) => [nameOf(gvk), gvk] as const))("%s", (name, gvk) => {
    const kind = scheme.kind(gvk);
    const hub = scheme.kind(kind.hub);
    const changed: string[] = [];
    fc.assert(
      fc.property(arbitraryOf(kind.schema), (made) => {
        const object = freeze({ ...made, apiVersion: formatGroupVersion(gvk), kind: gvk.kind }) as KubeObject;
        const there = freeze(converted(object, kind.hub));
        expect(decodeObject(there, hub.schema, { mode: "Strict" }).strictErrors).toEqual([]);
        const back = freeze(scheme.convert(there, gvk));
        expect(decodeObject(back, kind.schema, { mode: "Strict" }).strictErrors).toEqual([]);
        const plain = (value: KubeObject) => decodeObject(value, kind.schema, { mode: "Ignore" }).object;
        if (JSON.stringify(sorted(plain(back))) !== JSON.stringify(sorted(plain(object)))) changed.push(name);
        const again = scheme.convert(scheme.convert(back, kind.hub), gvk);
        expect(plain(again)).toEqual(plain(back));
        if (!NORMALISED.has(name)) expect(plain(back)).toEqual(plain(object));
      }),
      { numRuns: 40, seed: 1 },
    );
    if (NORMALISED.has(name)) expect(changed).not.toEqual([]);
  });
});

describe("an object of every stored version is unchanged after conversion to each other version and back", () => {
  test.each(versions.map((gvk) => [nameOf(gvk), gvk] as const))("by way of %s", (_name, gvk) => {
    const hub = scheme.kind(scheme.kind(gvk).hub);
    const stated = { apiVersion: formatGroupVersion(hub.gvk), kind: hub.gvk.kind };
    fc.assert(
      fc.property(arbitraryOf(hub.schema), (made) => {
        const object = freeze({ ...made, ...stated }) as KubeObject;
        const there = freeze(converted(object, gvk));
        expect(decodeObject(there, scheme.kind(gvk).schema, { mode: "Strict" }).strictErrors).toEqual([]);
        const back = freeze(scheme.convert(there, hub.gvk));
        const plain = (value: KubeObject) => decodeObject(value, hub.schema, { mode: "Ignore" }).object;
        const again = scheme.convert(scheme.convert(back, gvk), hub.gvk);
        expect(plain(again)).toEqual(plain(back));
      }),
      { numRuns: 40, seed: 1 },
    );
  });
});

/** A selector that is none cannot be taken apart: nothing to convert then. */
function converted(object: KubeObject, target: GroupVersionKind): KubeObject {
  try {
    const there = scheme.convert(object, target);
    scheme.convert(there, scheme.kindOf(object).gvk);
    return there;
  } catch (error) {
    fc.pre(!(error as Error).message.startsWith("failed to parse selector"));
    throw error;
  }
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, held]) => [key, sorted(held)]),
  );
}
