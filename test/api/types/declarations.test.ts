import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import { newestRelease, structOf } from "../../../src/api/facts/index.js";
import type * as admissionV1 from "../../../src/api/types/admission/v1.js";
import type * as autoscalingV1 from "../../../src/api/types/autoscaling/v1.js";
import type * as eventsV1 from "../../../src/api/types/events/v1.js";
import type {
  ClusterRole,
  Condition,
  Container,
  CSINode,
  CustomResourceDefinition,
  Deployment,
  DeploymentList,
  EndpointSlice,
  Event,
  HorizontalPodAutoscaler,
  IntOrString,
  ManagedFieldsEntry,
  NetworkPolicy,
  ObjectMeta,
  OwnerReference,
  Pod,
  Quantity,
  ResourceClaim,
  Secret,
  Service,
} from "../../../src/api/types/index.js";
import type * as resourceV1 from "../../../src/api/types/resource/v1.js";
import type { ApiObject, KubeList, ObjectMeta as AnyObjectMeta } from "../../../src/machinery/meta/object.js";

test("TypeScript types of API objects require exactly the fields that the API requires", () => {
  const deployment: Deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels: { app: "web" } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: {
          containers: [
            {
              name: "web",
              image: "nginx",
              imagePullPolicy: "IfNotPresent",
              ports: [{ containerPort: 80 }],
              resources: { requests: { cpu: "100m" } },
              livenessProbe: { httpGet: { port: "http", path: "/" } },
            },
          ],
        },
      },
    },
  };
  expectTypeOf(deployment).toExtend<ApiObject>();

  // @ts-expect-error a Deployment's spec needs selector and template
  const incomplete: Deployment = { spec: { replicas: 1 } };
  // @ts-expect-error a container needs a name
  const nameless: Container = { image: "nginx" };
  // @ts-expect-error the API has no such pull policy
  const pull: Container = { name: "web", imagePullPolicy: "Sometimes" };
  // @ts-expect-error the kind belongs to another version
  const version: Deployment = { apiVersion: "apps/v1beta1", kind: "Deployment" };
  // @ts-expect-error there is no such field
  const field: Pod = { spec: { containers: [], replicas: 1 } };
  expect([incomplete, nameless, pull, version, field]).toHaveLength(5);
});

test("checking the kind narrows a TypeScript union of objects", () => {
  const replicasOf = (object: Deployment | Pod): number | undefined =>
    object.kind === "Deployment" ? object.spec?.replicas : undefined;
  expect(replicasOf({ kind: "Pod" })).toBeUndefined();
});

test("TypeScript types of quantities, times, bytes and port references are their JSON types", () => {
  expectTypeOf<Quantity>().toEqualTypeOf<number | string>();
  expectTypeOf<IntOrString>().toEqualTypeOf<number | string>();
  expectTypeOf<Secret["data"]>().toEqualTypeOf<Record<string, string> | undefined>();
  expectTypeOf<ObjectMeta["generation"]>().toEqualTypeOf<number | undefined>();
  expectTypeOf<Condition["lastTransitionTime"]>().toEqualTypeOf<string>();
  expectTypeOf<NonNullable<Service["spec"]>["type"]>().toEqualTypeOf<
    "ClusterIP" | "ExternalName" | "LoadBalancer" | "NodePort" | undefined
  >();
});

test("a TypeScript string type that allows any value still suggests the well-known ones", () => {
  expectTypeOf<"kubernetes.io/tls">().toExtend<NonNullable<Secret["type"]>>();
  expectTypeOf<"example.com/own">().toExtend<NonNullable<Secret["type"]>>();
  expectTypeOf<NonNullable<Secret["type"]>>().toExtend<string>();
});

test("a field that Go sends as null may be null or missing in its TypeScript type", () => {
  expectTypeOf<ClusterRole["rules"]>().toExtend<unknown[] | null | undefined>();
  expectTypeOf<null>().toExtend<ClusterRole["rules"]>();
  expectTypeOf<null>().toExtend<EndpointSlice["endpoints"]>();
  expectTypeOf<null>().toExtend<CSINode["spec"]["drivers"]>();
  expectTypeOf<null>().toExtend<Event["eventTime"]>();
  expectTypeOf<NonNullable<NetworkPolicy["spec"]>["podSelector"]>().not.toExtend<null>();
});

test("the index of TypeScript types exports the preferred version of each kind, core's Event, and kinds whose names clash with structs", () => {
  expectTypeOf<HorizontalPodAutoscaler["apiVersion"]>().toEqualTypeOf<"autoscaling/v2" | undefined>();
  expectTypeOf<autoscalingV1.HorizontalPodAutoscaler["apiVersion"]>().toEqualTypeOf<"autoscaling/v1" | undefined>();
  expectTypeOf<Event["apiVersion"]>().toEqualTypeOf<"v1" | undefined>();
  expectTypeOf<eventsV1.Event["note"]>().toEqualTypeOf<string | undefined>();
  expectTypeOf<ResourceClaim>().toEqualTypeOf<resourceV1.ResourceClaim>();
  expectTypeOf<CustomResourceDefinition["spec"]["scope"]>().toEqualTypeOf<"Cluster" | "Namespaced">();
});

test("TypeScript types exist for what admission and conversion webhooks receive", () => {
  expectTypeOf<NonNullable<admissionV1.AdmissionReview["request"]>["uid"]>().toEqualTypeOf<string>();
});

test("the TypeScript type of metadata is shared by all objects, and has every field of the API facts", () => {
  expectTypeOf<ObjectMeta>().toEqualTypeOf<AnyObjectMeta>();
  expectTypeOf<KubeList<Deployment>>().toExtend<DeploymentList>();
  const source = readFileSync(new URL("../../../src/machinery/meta/object.ts", import.meta.url), "utf8");
  for (const name of ["ObjectMeta", "OwnerReference", "ManagedFieldsEntry", "ListMeta", "ShardInfo"]) {
    const body = new RegExp(`^export (?:interface ${name}|type ${name} =) \\{\\n([\\s\\S]*?)^\\}`, "m").exec(
      source,
    )?.[1];
    const declared = [...(body ?? "").matchAll(/^ {2}(\w+)\??:/gm)].map((match) => match[1]);
    const struct = structOf(`io.k8s.apimachinery.pkg.apis.meta.v1.${name}`);
    expect(new Set(declared), name).toEqual(new Set(struct?.fields.map((field) => field.name)));
  }
  const entry: ManagedFieldsEntry = { manager: "kubets", operation: "Apply", fieldsV1: { "f:spec": {} } };
  const owner: OwnerReference = { apiVersion: "v1", kind: "Pod", name: "a", uid: "u" };
  const metadata: AnyObjectMeta = { managedFields: [entry], ownerReferences: [owner] };
  expect(metadata.managedFields).toHaveLength(1);
});

test("K37-266: TypeScript types exist for the group versions of the newest Kubernetes version, and for none that only older ones have", () => {
  const folder = join(import.meta.dirname, "../../../src/api/types");
  const typed = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /^\w+\/v\w+\.ts$/.test(file))
    .map((file) => file.replace(".ts", "").replace("/", "."));
  const published = Object.keys(newestRelease.facts.definitions).flatMap(
    (name) => /^io\.k8s\.api\.(.*)$/.exec(name)?.[1] ?? [],
  );
  expect(published.filter((name) => !typed.includes(name))).toEqual([]);
  for (const gone of ["certificates.v1alpha1", "networking.v1beta1", "scheduling.v1alpha2", "storage.v1beta1"]) {
    expect(typed).not.toContain(gone);
  }
});
