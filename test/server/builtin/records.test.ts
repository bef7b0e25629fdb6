import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { resources, servedResources } from "../../../src/api/facts/index.js";
import { systemClock } from "../../../src/base/time/clock.js";
import { systemRandom } from "../../../src/base/numbers/random.js";
import { builtinRecords } from "../../../src/server/builtin/index.js";
import { alwaysAllow, chainOf } from "../../../src/server/authz/authorizer.js";
import { operationsOf } from "../../../src/server/endpoints/operations.js";
import { recordId } from "../../../src/server/endpoints/resource-record.js";
import { createServer } from "../../../src/server/generic/server.js";
import { createStorage } from "../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";

const builtin = resolve(import.meta.dirname, "../../../src/server/builtin");

/** The files that hold the records of several kinds that are alike. */
const SHARED_FILES: Readonly<Record<string, readonly string[]>> = {
  "admissionregistration/admission-policies.ts": [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
  ],
  "admissionregistration/webhook-configuration.ts": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  "authentication/reviews.ts": ["SelfSubjectReview", "TokenReview"],
  "authorization/access-review.ts": ["LocalSubjectAccessReview", "SelfSubjectAccessReview", "SubjectAccessReview"],
  "coordination/lease.ts": ["Lease", "LeaseCandidate"],
  "core/event.ts": ["Event"],
  "core/pods/pod-binding.ts": ["Binding"],
  "lifecycle/evictions.ts": ["Eviction", "EvictionRequest"],
  "networking/ingress.ts": ["Ingress", "IngressClass"],
  "networking/service-addresses.ts": ["IPAddress", "ServiceCIDR"],
  "rbac/role-bindings.ts": ["ClusterRoleBinding", "RoleBinding"],
  "rbac/roles.ts": ["ClusterRole", "Role"],
  "resource/devices.ts": ["DeviceClass", "DeviceTaintRule"],
  "resource/resource-claim.ts": ["ResourceClaim", "ResourceClaimTemplate"],
  "scheduling/pod-group.ts": ["CompositePodGroup", "PodGroup", "Workload"],
  "storage/csi.ts": ["CSIDriver", "CSINode", "CSIStorageCapacity"],
  "storage/storage-class.ts": ["StorageClass", "VolumeAttributesClass"],
};

/** "CSIDriver" as "csi-driver". */
const kebab = (kind: string): string =>
  kind
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1-$2")
    .replace(/([a-z])([A-Z])/g, "$1-$2")
    .toLowerCase();

const generator = (await import("../../../tools/generate-builtin-records.mjs" as string)) as {
  readonly file: string;
  readonly builtinRecords: () => string;
};

describe("the list of built-in resource records", () => {
  test("has every record that a file exports (node tools/generate-builtin-records.mjs)", () => {
    expect(readFileSync(generator.file, "utf8")).toBe(generator.builtinRecords());
  });

  test("names resources of the API facts, each once", () => {
    const ids = builtinRecords.map(recordId);
    const known = new Set(resources().map(({ group, name }) => `${group}/${name}`));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !known.has(id))).toEqual([]);
  });

  test.each(builtinRecords.map((record) => [recordId(record), record] as const))(
    "has %s from the file of its group and kind, or a file shared with similar kinds",
    (_, { group, resource }) => {
      const kind = resources().find((facts) => facts.group === group && facts.name === resource)?.kind ?? "";
      const [shared] = Object.entries(SHARED_FILES).find(([, kinds]) => kinds.includes(kind)) ?? [];
      const named = `${group === "" ? "core" : group.split(".")[0]}/${kebab(kind)}.ts`;
      const file = join(builtin, shared ?? named);
      expect(existsSync(file) && readFileSync(file, "utf8")).toContain(`resource: "${resource}"`);
    },
  );

  test("names only subresources and verbs of the API facts", () => {
    const unknown = builtinRecords.flatMap((record) => {
      const versions = resources().filter(({ group, name }) => group === record.group && name === record.resource);
      const verbs = new Set(versions.flatMap((facts) => facts.verbs));
      const names = new Set(versions.flatMap(({ subresources }) => subresources.map(({ name }) => name)));
      return [
        ...Object.keys(record.handlers ?? {}).filter((verb) => !verbs.has(verb)),
        ...Object.keys(record.subresources ?? {}).filter((name) => !names.has(name)),
      ].map((name) => `${recordId(record)} ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

describe("discovery of built-in resources", () => {
  const storage = createStorage({ kv: openMemoryKv({ clock: systemClock }), clock: systemClock, compactionSeconds: 0 });
  const server = createServer({
    storage,
    records: builtinRecords,
    runtimeConfig: { "api/all": true },
    clock: systemClock,
    random: systemRandom,
    requestRandom: systemRandom,
    tokens: [],
    serverAddress: () => "",
  });
  const context = {
    resource: (groupVersion: string, resource: string) => server.registry.current.find(groupVersion, resource),
    authorization: chainOf([alwaysAllow]),
    tokens: () => Promise.resolve({ reasons: [] }),
    network: {},
  };

  afterAll(async () => {
    await server.stop();
    await storage.close();
  });

  /** What needs a node's agent, or a part of the server that this one was made without. */
  const NOT_SERVED: Readonly<Record<string, string>> = {
    "serviceaccounts/token": "this server has no token issuer",
  };

  test("lists only verbs that have a handler, except for those in this test's list", () => {
    const missing = new Set<string>();
    for (const facts of servedResources({ "api/all": true })) {
      const resource = server.registry.current.find(facts.groupVersion, facts.name);
      if (resource === undefined) throw new Error(`${facts.groupVersion} ${facts.name} is not served`);
      const operations = operationsOf(resource, context);
      for (const verb of facts.verbs) {
        if (operations.get("")?.verbs.has(verb) !== true) missing.add(`${facts.groupVersion}/${facts.name} ${verb}`);
      }
      for (const { name, verbs } of facts.subresources) {
        const known = operations.get(name);
        if (known?.connecter !== undefined) continue;
        if (verbs.some((verb) => known?.verbs.has(verb) !== true)) missing.add(`${facts.name}/${name}`);
      }
    }
    expect([...missing].sort()).toEqual(Object.keys(NOT_SERVED));
  });
});
