import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { factsOfVersion } from "../../../tools/api-facts/facts-of-version.mjs";
import { VERSIONS } from "../../../tools/api-facts/versions.mjs";
import {
  DEFAULT_VERSION,
  NEWEST_VERSION,
  newestRelease,
  releaseOf,
  SERVED_VERSIONS,
  servedVersionOf,
  UnservedVersionError,
} from "../../../src/api/facts/index.js";
import { schemaEpochOf } from "../../../src/api/scheme/published.js";
import { allDefinitionsOf } from "../../../src/api/facts/unpublished.js";

test("K37-260: a Kubernetes version is written as major.minor, and an unserved one is refused with the list of served ones", async () => {
  for (const text of ["1.36", "v1.36", "v1.36.3", "kube=1.36"]) expect(servedVersionOf(text)).toBe("1.36");
  for (const text of ["1.35", "1.360", "kube=1.35", "latest", "", "1"]) {
    expect(() => servedVersionOf(text)).toThrow(UnservedVersionError);
    await expect(releaseOf(text)).rejects.toThrow(
      `"${text}" is no version of Kubernetes that is served: there are 1.36, 1.37`,
    );
  }
  expect(await releaseOf()).toBe(await releaseOf(DEFAULT_VERSION));
  expect(await releaseOf(NEWEST_VERSION)).toBe(newestRelease);
  expect(await releaseOf("1.37")).toBe(await releaseOf("v1.37.0"));
});

test("the generator of API facts makes exactly the Kubernetes versions that the server serves", () => {
  expect(VERSIONS).toEqual(SERVED_VERSIONS);
});

describe.each(SERVED_VERSIONS)("K37-261, K37-262: the generated API facts of Kubernetes %s", (version) => {
  const made = factsOfVersion(version);

  test("have the digest of a fresh generation from the stored sources", async () => {
    const { facts } = await releaseOf(version);
    const { digest, ...rest } = facts;
    const expected = createHash("sha512").update(JSON.stringify(made.published)).digest("hex").toUpperCase();
    expect(digest).toBe(expected);
    // In the order in which the generator writes them.
    const { source, groups, resources, kinds, unions, enums, definitions } = rest;
    const tables = { source, groups, resources, kinds, unions, enums, definitions };
    expect(createHash("sha512").update(JSON.stringify(tables)).digest("hex").toUpperCase()).toBe(expected);
  });

  test("have the internal kinds that OpenAPI does not publish", async () => {
    const definitions = allDefinitionsOf(await releaseOf(version));
    const expected = Object.entries(made.unpublished.definitions).flatMap(([name, types]) =>
      Object.keys(types).map((type) => `${name}.${type}`),
    );
    expect(definitions.names()).toEqual(expected);
  });
});

test("K37-269: servers of different Kubernetes versions mark their stores with different schema epochs", async () => {
  const epochs = await Promise.all(SERVED_VERSIONS.map(async (version) => schemaEpochOf(await releaseOf(version))));
  expect(new Set(epochs).size).toBe(SERVED_VERSIONS.length);
});

describe("K37-263: the life cycle of an API version alone decides whether it is served", () => {
  test.each(SERVED_VERSIONS)(
    "Kubernetes %s serves no API version that was removed before it or introduced after it",
    async (version) => {
      const release = await releaseOf(version);
      const wrong = release.resources().filter(({ introduced = "1.0", removed = "1.999" }) => {
        const minor = (text: string): number => Number(text.split(".")[1]);
        return minor(introduced) > release.minor || minor(removed) <= release.minor;
      });
      expect(wrong.map(({ groupVersion, name }) => `${groupVersion} ${name}`)).toEqual([]);
    },
  );
});

test("K37-001, K37-002: 1.37 serves 72 resources, by default those of stable versions", async () => {
  const release = await releaseOf("1.37");
  expect(release.servedResources()).toHaveLength(72);
  expect(release.servedGroupVersions().filter((one) => /alpha|beta/.test(one))).toEqual([]);
  expect(release.servedGroups({ "api/all": true }).map(({ name }) => name)).toEqual([
    "",
    "apiregistration.k8s.io",
    "apps",
    "events.k8s.io",
    "authentication.k8s.io",
    "authorization.k8s.io",
    "autoscaling",
    "batch",
    "certificates.k8s.io",
    "networking.k8s.io",
    "policy",
    "rbac.authorization.k8s.io",
    "storage.k8s.io",
    "admissionregistration.k8s.io",
    "apiextensions.k8s.io",
    "scheduling.k8s.io",
    "coordination.k8s.io",
    "node.k8s.io",
    "discovery.k8s.io",
    "resource.k8s.io",
    "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io",
    "storagemigration.k8s.io",
    "lifecycle.k8s.io",
  ]);
});

test("K37-104: 1.37 has the published hashes of the versions that it stores", async () => {
  const release = await releaseOf("1.37");
  const hashOf = (name: string): ReadonlySet<string | undefined> =>
    new Set(release.resources().flatMap((one) => (one.name === name ? [one.storageVersionHash] : [])));
  expect(hashOf("podgroups")).toEqual(new Set(["QjOl2H5qPs0="]));
  expect(hashOf("workloads")).toEqual(new Set(["Fgcxusx6IUo="]));
  expect(hashOf("compositepodgroups")).toEqual(new Set(["L+dT284DGFE="]));
  expect(hashOf("storageversionmigrations")).toEqual(new Set(["pCjmmKOkLy4="]));
  expect(hashOf("podcertificaterequests")).toEqual(new Set(["wYA9yXQH8fg="]));
});

test("K37-006: 1.37 sends warnings for the API versions that it deprecates", async () => {
  const [older, newer] = [await releaseOf("1.36"), await releaseOf("1.37")];
  const warningOf = (release: typeof older, groupVersion: string, name: string): string | undefined =>
    release.resources().find((one) => one.groupVersion === groupVersion && one.name === name)?.deprecationWarning;
  const bundles = ["certificates.k8s.io/v1beta1", "clustertrustbundles"] as const;
  expect(warningOf(older, ...bundles)).toBeUndefined();
  expect(warningOf(newer, ...bundles)).toBe(
    "certificates.k8s.io/v1beta1 ClusterTrustBundle is deprecated in v1.37+, unavailable in v1.40+; use certificates.k8s.io/v1 ClusterTrustBundle",
  );
});

test("K37-005: --runtime-config cannot enable API versions that 1.37 does not know", async () => {
  const release = await releaseOf("1.37");
  const gone = [
    "scheduling.k8s.io/v1alpha2",
    "certificates.k8s.io/v1alpha1",
    "networking.k8s.io/v1beta1",
    "storage.k8s.io/v1beta1",
  ];
  const asked = Object.fromEntries(gone.map((groupVersion) => [groupVersion, true]));
  expect(release.servedGroupVersions(asked)).toEqual(release.servedGroupVersions());
  expect((await releaseOf("1.36")).servedGroupVersions(asked)).toEqual(expect.arrayContaining(gone));
  expect(release.definitions.structOf("io.k8s.api.core.v1.PodStatusResult")).toBeUndefined();
});
