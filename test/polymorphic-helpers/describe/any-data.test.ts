import { describe, expect, test } from "vitest";
import type { BuiltInKinds } from "../../../src/api/kinds/built-in-kinds.js";
import { schemaFor } from "../../../src/api/facts/index.js";
import { type DescribeReader, Description, describerOf } from "../../../src/polymorphic-helpers/describe/index.js";
import { parseGroupVersion } from "../../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import type { ReceivedObject } from "../../../src/machinery/meta/received.js";
import type { Schema } from "../../../src/machinery/schema/schema.js";

type Kind = keyof BuiltInKinds;

const DESCRIBED: readonly Kind[] = [
  "apps/v1/DaemonSet",
  "apps/v1/Deployment",
  "apps/v1/ReplicaSet",
  "apps/v1/StatefulSet",
  "autoscaling/v1/HorizontalPodAutoscaler",
  "autoscaling/v2/HorizontalPodAutoscaler",
  "batch/v1/CronJob",
  "batch/v1/Job",
  "certificates.k8s.io/v1/CertificateSigningRequest",
  "discovery.k8s.io/v1/EndpointSlice",
  "networking.k8s.io/v1/IPAddress",
  "networking.k8s.io/v1/Ingress",
  "networking.k8s.io/v1/IngressClass",
  "networking.k8s.io/v1/NetworkPolicy",
  "networking.k8s.io/v1/ServiceCIDR",
  "policy/v1/PodDisruptionBudget",
  "rbac.authorization.k8s.io/v1/Role",
  "rbac.authorization.k8s.io/v1/RoleBinding",
  "scheduling.k8s.io/v1/PriorityClass",
  "storage.k8s.io/v1/CSINode",
  "storage.k8s.io/v1/StorageClass",
  "storage.k8s.io/v1/VolumeAttributesClass",
  "v1/ConfigMap",
  "v1/Endpoints",
  "v1/LimitRange",
  "v1/Namespace",
  "v1/Node",
  "v1/PersistentVolume",
  "v1/PersistentVolumeClaim",
  "v1/Pod",
  "v1/ReplicationController",
  "v1/ResourceQuota",
  "v1/Secret",
  "v1/Service",
  "v1/ServiceAccount",
];

/** What is listed beside the object: also any data. */
const LISTED: readonly Kind[] = [
  "apps/v1/ReplicaSet",
  "coordination.k8s.io/v1/Lease",
  "discovery.k8s.io/v1/EndpointSlice",
  "resource.k8s.io/v1/ResourceSlice",
  "v1/Event",
  "v1/LimitRange",
  "v1/Pod",
  "v1/ResourceQuota",
  "v1/Service",
];

const VALUES: readonly unknown[] = [null, [null], {}, "", 5];
const MOST_LEVELS = 12;

function gvkOf(kind: Kind) {
  const slash = kind.lastIndexOf("/");
  return { ...parseGroupVersion(kind.slice(0, slash)), kind: kind.slice(slash + 1) };
}

/** A value with every field of the schema, in which `odd` stands for everything that lies `level` fields or items deep. */
function filled(schema: Schema, level: number, odd: unknown): unknown {
  if (level === 0) return odd;
  switch (schema.type) {
    case "list":
      return [filled(schema.items, level - 1, odd)];
    case "map":
      return { key: filled(schema.values, level - 1, odd) };
    case "struct":
      return Object.fromEntries(
        schema.fields.map(({ name, schema: of }) => [name, name === "operator" ? "In" : filled(of, level - 1, odd)]),
      );
    case "scalar":
      return SCALARS[schema.scalar];
  }
}

const SCALARS: Readonly<Record<string, unknown>> = {
  __proto__: null as never,
  string: "text",
  bool: true,
  int32: 3,
  int64: 4,
  bytes: "dGV4dA==",
  time: "2024-01-02T03:04:05Z",
  microTime: "2024-01-02T03:04:05.000000Z",
  quantity: "5",
  intOrString: 7,
};

function objectOf(kind: Kind, level: number, odd: unknown): KubeObject {
  const schema = schemaFor(gvkOf(kind));
  if (schema === undefined) throw new Error(`${kind} has no schema`);
  return filled(schema, level, odd) as KubeObject;
}

async function describeOdd(kind: Kind, level: number, odd: unknown): Promise<void> {
  const reader: DescribeReader = {
    get: async <K extends Kind>(asked: K) => objectOf(asked, level, odd) as ReceivedObject<BuiltInKinds[K]>,
    getAny: async () => objectOf(kind, level, odd),
    list: async <K extends Kind>(asked: K) =>
      (LISTED.includes(asked) ? [objectOf(asked, level, odd)] : []) as readonly ReceivedObject<BuiltInKinds[K]>[],
  };
  const describer = await describerOf(gvkOf(kind));
  const context = { reader, showEvents: true, now: 0, zoneName: () => "UTC" };
  await describer?.("default", "x", new Description(), context);
}

describe("describe prints any object, or refuses it in words, whatever values its fields have:", () => {
  test.each(DESCRIBED)("%s", async (kind) => {
    for (const odd of VALUES) {
      for (let level = 1; level <= MOST_LEVELS; level++) {
        const failure: unknown = await describeOdd(kind, level, odd).catch((error: unknown) => error);
        // Errors of the program itself; a selector or a quantity that cannot be read has an error of its own.
        if (failure instanceof TypeError || failure instanceof RangeError) {
          expect.fail(`${JSON.stringify(odd)} at level ${level}: ${failure.stack}`);
        }
      }
    }
  });
});

test("describe treats a null probe action as a missing one", async () => {
  const livenessProbe = { exec: null, httpGet: { path: "/live", port: 80, scheme: "HTTP" } };
  const pod: KubeObject = { metadata: { name: "x" }, spec: { containers: [{ name: "c", livenessProbe }] } };
  const description = new Description();
  const reader: DescribeReader = {
    get: async <K extends Kind>() => pod as ReceivedObject<BuiltInKinds[K]>,
    getAny: async () => pod,
    list: async () => [],
  };
  const context = { reader, showEvents: false, now: 0, zoneName: () => "UTC" };
  await (await describerOf({ group: "", kind: "Pod" }))?.("", "x", description, context);
  expect(description.parts().join("")).toContain("Liveness:\thttp-get http://:80/live");
});
