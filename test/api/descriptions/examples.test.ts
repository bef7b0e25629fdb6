import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exampleKinds, exampleOf } from "../../../src/api/examples/index.js";
import { NEWEST_VERSION, servedResources } from "../../../src/api/facts/index.js";
import { kubernetesClient, type KubernetesClient } from "../../../src/client/index.js";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { parseYaml } from "../../../src/machinery/text/yaml/read.js";

// `explain --example` prints manifests that apply as they are.
let cluster: Cluster;
let client: KubernetesClient;

beforeAll(async () => {
  cluster = await startCluster({ port: false, kubernetesVersion: NEWEST_VERSION });
  client = kubernetesClient(cluster);
});
afterAll(async () => {
  await client.close();
  await cluster.close();
});

/** Kinds that are asked and answered, or made by the server alone. */
const NONE = [
  "/Binding",
  "/ComponentStatus",
  "authentication.k8s.io/SelfSubjectReview",
  "authentication.k8s.io/TokenReview",
  "authorization.k8s.io/LocalSubjectAccessReview",
  "authorization.k8s.io/SelfSubjectAccessReview",
  "authorization.k8s.io/SelfSubjectRulesReview",
  "authorization.k8s.io/SubjectAccessReview",
  "certificates.k8s.io/PodCertificateRequest",
];

test("every kind whose objects the server can store has an example manifest", () => {
  const served = new Set(servedResources().map(({ group, kind }) => `${group}/${kind}`));
  expect([...served].filter((kind) => !exampleKinds.includes(kind)).toSorted()).toEqual(NONE);
  expect(exampleKinds.filter((kind) => !served.has(kind))).toEqual([]);
});

describe("a running server accepts the example manifest without a warning", () => {
  test.each(exampleKinds)("of %s", async (id) => {
    const [group = "", kind = ""] = id.split("/");
    const object = parseYaml(exampleOf(group, kind) ?? "") as unknown as KubeObject;
    expect(object.kind).toBe(kind);
    const resource = await client.resourceFor<KubeObject>({
      ...object,
      metadata: { namespace: "default", ...object.metadata },
    });
    const options = { fieldManager: "example", fieldValidation: "Strict" } as const;
    const applied = await resource.apply(object, options);
    expect(applied.metadata?.name).toBe(object.metadata?.name);
  });
});
