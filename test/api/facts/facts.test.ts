import { describe, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { Schema } from "../../../src/machinery/schema/schema.js";

const release = await releaseOf("1.36");
const { definitions } = release;

describe("the resources that Kubernetes 1.36 serves", () => {
  test("are by default those of the stable versions, in kube-apiserver's order", () => {
    expect(release.servedGroupVersions().slice(0, 8)).toEqual([
      "v1",
      "apiregistration.k8s.io/v1",
      "apps/v1",
      "events.k8s.io/v1",
      "authentication.k8s.io/v1",
      "authorization.k8s.io/v1",
      "autoscaling/v2",
      "autoscaling/v1",
    ]);
    expect(release.servedGroupVersions().filter((version) => /alpha|beta/.test(version))).toEqual([]);
    expect(release.servedResources()).toHaveLength(68);
  });

  test.each([
    ["one version more", { "resource.k8s.io/v1beta2": true }, ["v1", "v1beta2"]],
    ["all beta versions", { "api/beta": true }, ["v1", "v1beta2", "v1beta1"]],
    ["everything but one", { "api/all": true, "resource.k8s.io/v1beta1": false }, ["v1", "v1beta2", "v1alpha3"]],
    ["a stable version turned off", { "resource.k8s.io/v1": false }, []],
  ])("follow --runtime-config: %s", (_name, runtimeConfig, versions) => {
    const group = release
      .servedGroups(runtimeConfig as Record<string, boolean>)
      .find(({ name }) => name === "resource.k8s.io");
    expect(group?.versions ?? []).toEqual(versions);
  });

  test("have short names, categories and subresources", () => {
    const deployments = release
      .servedResources()
      .find(({ groupVersion, name }) => groupVersion === "apps/v1" && name === "deployments");
    expect(deployments).toMatchObject({ shortNames: ["deploy"], categories: ["all"], singularName: "deployment" });
    expect(deployments?.subresources.map(({ name }) => name)).toEqual(["scale", "status"]);
    const all = release.servedResources().filter(({ categories }) => categories.includes("all"));
    expect([...new Set(all.map(({ name }) => name))].join(" ")).toBe(
      "pods replicationcontrollers services daemonsets deployments replicasets statefulsets horizontalpodautoscalers cronjobs jobs",
    );
  });
});

test("a deprecated resource has the warning of kube-apiserver", () => {
  const warnings = release.servedResources().flatMap((resource) => resource.deprecationWarning ?? []);
  expect(warnings).toEqual([
    "v1 ComponentStatus is deprecated in v1.19+",
    "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  ]);
});

test("a resource that only a later release deprecates has no warning", () => {
  const bundles = release
    .servedResources({ "certificates.k8s.io/v1beta1": true })
    .find(({ name, version }) => name === "clustertrustbundles" && version === "v1beta1");
  expect(bundles).toHaveProperty("deprecated", "1.37");
  expect(bundles?.deprecationWarning).toBeUndefined();
});

test.each([
  [
    "resource.k8s.io/v1beta1",
    "resourceclaims",
    "resource.k8s.io/v1beta1 ResourceClaim is deprecated in v1.35+, unavailable in v1.38+",
  ],
  [
    "resource.k8s.io/v1beta2",
    "resourceclaims",
    "resource.k8s.io/v1beta2 ResourceClaim is deprecated in v1.36+, unavailable in v1.39+",
  ],
  [
    "certificates.k8s.io/v1alpha1",
    "clustertrustbundles",
    "certificates.k8s.io/v1alpha1 ClusterTrustBundle is deprecated in v1.34+, unavailable in v1.37+",
  ],
])(
  "K36-A: a version of %s without a marker of its life cycle is deprecated three minor versions after its introduction",
  (groupVersion, plural, warning) => {
    const found = release
      .servedResources({ [groupVersion]: true })
      .find((one) => one.groupVersion === groupVersion && one.name === plural);
    expect(found?.deprecationWarning).toBe(warning);
  },
);

test("K36-B: all versions of a resource have the hash of the one that is stored", () => {
  const hashes = new Map<string, Set<string | undefined>>();
  for (const { group, name, storageVersionHash } of release.resources()) {
    hashes.set(`${group}/${name}`, (hashes.get(`${group}/${name}`) ?? new Set()).add(storageVersionHash));
  }
  expect([...hashes].filter(([, of]) => of.size > 1)).toEqual([]);
  // Published for 1.36.
  expect(hashes.get("resource.k8s.io/devicetaintrules")).toEqual(new Set(["DJ3UJ0fj8MI="]));
});

test("K36-C: /apis has resource.k8s.io between discovery.k8s.io and flowcontrol.apiserver.k8s.io", () => {
  const names = release.servedGroups().map(({ name }) => name);
  const at = names.indexOf("resource.k8s.io");
  expect(names.slice(at - 1, at + 2)).toEqual(["discovery.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io"]);
});

describe("the schemas of the API facts", () => {
  test("exist for every resource, with apiVersion, kind and metadata", () => {
    for (const { group, version, kind, verbs } of release.resources()) {
      const schema = definitions.schemaFor({ group, version, kind });
      expect(schema?.fields.slice(0, 3).map(({ name }) => name)).toEqual(["kind", "apiVersion", "metadata"]);
      if (verbs.includes("list")) expect(definitions.schemaFor({ group, version, kind: `${kind}List` })).toBeDefined();
    }
  });

  test("resolve every reference, are built once and may be recursive", () => {
    const seen = new Set<Schema>();
    const walk = (schema: Schema): void => {
      if (seen.has(schema)) return;
      seen.add(schema);
      if (schema.type === "struct") for (const field of schema.fields) walk(field.schema);
      if (schema.type === "list") walk(schema.items);
      if (schema.type === "map") walk(schema.values);
    };
    for (const name of definitions.names()) walk(definitions.structOf(name) as Schema);
    const props = definitions.structOf("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
    expect(props?.byName.get("not")?.schema).toBe(props);
  });

  test("have the merge keys, defaults and protobuf numbers of their fields", () => {
    const service = definitions.schemaFor({ group: "", version: "v1", kind: "Service" });
    const spec = service?.byName.get("spec")?.schema;
    const ports = spec?.type === "struct" ? spec.byName.get("ports") : undefined;
    expect(ports).toMatchObject({ patchStrategy: ["merge"], patchMergeKey: "port", protobuf: 1, omitEmpty: true });
    expect(ports?.schema).toMatchObject({ type: "list", listType: "map", listMapKeys: ["port", "protocol"] });
    const port = ports?.schema.type === "list" && ports.schema.items.type === "struct" ? ports.schema.items : undefined;
    expect(port?.byName.get("protocol")).toMatchObject({ default: "TCP", schema: { enum: ["SCTP", "TCP", "UDP"] } });
  });

  test("do not exist for an unknown kind", () => {
    expect(definitions.schemaFor({ group: "apps", version: "v1", kind: "Nothing" })).toBeUndefined();
    expect(definitions.structOf("constructor")).toBeUndefined();
    expect(definitions.structOf("io.k8s.api.core.v1.toString")).toBeUndefined();
  });
});
