import { afterAll, beforeAll, expect, test } from "vitest";
import { releaseOf } from "../../../src/api/facts/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { admittingServer, type AdmittingServer } from "../../helpers/admitting-server.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { boxDefinition, boxesOf, DEFINITIONS, versionOf } from "../../helpers/custom-definitions.js";
import { bindingWith, createBinding, createPolicy, validatingPolicy } from "../../helpers/policies.js";

// K37-240: `includes` is in stored expressions of 1.37 only: a server of the version before could not read it.

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

const servers = new Map<Version, AdmittingServer>();
const apiOf = (version: Version) => (servers.get(version) as AdmittingServer).api;

const GROUP = "includes.example.com";
const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = { type: "application/merge-patch+json" };
const UNKNOWN = "undeclared reference to 'includes'";

const policy = validatingPolicy({
  failurePolicy: "Fail",
  validations: [{ expression: "['good', 'better'].includes(object.metadata.name)", message: "neither" }],
}) as JsonObject;

const definition = (rules: readonly string[], group = GROUP): JsonObject =>
  boxDefinition(group, [
    versionOf("v1", {
      l: {
        type: "array",
        maxItems: 9,
        items: { type: "integer" },
        "x-kubernetes-validations": rules.map((rule) => ({ rule })),
      },
    }),
  ]);

const RULE = "self.includes(1)";

const stored = (apiVersion: string, kind: string, object: JsonObject, more: JsonObject = {}): Uint8Array => {
  const { metadata } = object as { metadata: JsonObject };
  const own = { ...metadata, uid: `uid-of-${kind}`, creationTimestamp: "2026-01-01T00:00:00Z", generation: 1 };
  return Buffer.from(JSON.stringify({ ...object, ...more, apiVersion, kind, metadata: own }));
};

beforeAll(async () => {
  for (const version of VERSIONS) {
    const kv = openMemoryKv();
    const made = definition([RULE]);
    const { names } = made["spec"] as { names: JsonObject };
    const conditions = ["Established", "NamesAccepted"].map((type) => ({ type, status: "True" }));
    const status = { acceptedNames: names, conditions, storedVersions: ["v1"] };
    await kv.create(
      `/registry/apiextensions.k8s.io/customresourcedefinitions/boxes.${GROUP}`,
      stored("apiextensions.k8s.io/v1", "CustomResourceDefinition", made, { status }),
    );
    await kv.create(
      "/registry/validatingadmissionpolicies/policy",
      stored("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", policy),
    );
    const server = await admittingServer({}, kv, undefined, { release: await releaseOf(version) });
    servers.set(version, server);
    expect((await createBinding(server.api, "validating", bindingWith("validating"))).status).toBe(201);
  }
});

afterAll(() => Promise.all([...servers.values()].map((server) => server[Symbol.asyncDispose]())));

const makeMap = (version: Version, name: string): Promise<Answer> =>
  call(apiOf(version), "POST", MAPS, { metadata: { name } });

test("a new policy may not use it", async () => {
  for (const version of VERSIONS) {
    const refused = await createPolicy(apiOf(version), "validating", { ...policy, metadata: { name: "new" } });
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(UNKNOWN);
  }
});

test("a stored policy of 1.37 judges by it, and can be changed", async () => {
  expect((await makeMap("1.37", "good")).status).toBe(201);
  expect((await makeMap("1.37", "bad")).at("message")).toContain("denied request: neither");
  expect((await makeMap("1.36", "good")).at("message")).toContain(UNKNOWN);
  const labels = { metadata: { labels: { a: "b" } } };
  const labelled = await call(apiOf("1.37"), "PATCH", `${POLICIES}/policy`, labels, MERGE);
  expect(labelled.status, labelled.text).toBe(200);
  const validations = [
    ...(policy["spec"] as { validations: JsonObject[] }).validations,
    { expression: "[1].includes(2)" },
  ];
  const changed = await call(apiOf("1.37"), "PATCH", `${POLICIES}/policy`, { spec: { validations } }, MERGE);
  expect(changed.status).toBe(422);
  expect(changed.at("message")).toContain("spec.validations[1].expression");
  expect(changed.at("message")).not.toContain("spec.validations[0].expression");
});

test("a new definition may not use it", async () => {
  for (const version of VERSIONS) {
    const refused = await call(apiOf(version), "POST", DEFINITIONS, definition([RULE], "new.example.com"));
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(UNKNOWN);
  }
});

test("a stored definition of 1.37 judges by it, and can be changed", async () => {
  const make = (version: Version, l: readonly number[]) =>
    call(apiOf(version), "POST", boxesOf(GROUP), {
      apiVersion: `${GROUP}/v1`,
      kind: "Box",
      metadata: { generateName: "b-" },
      spec: { l },
    });
  const made = await make("1.37", [2, 1]);
  expect(made.status, made.text).toBe(201);
  expect((await make("1.37", [2])).at("message")).toContain(`failed rule: ${RULE}`);
  expect((await make("1.36", [2, 1])).at("message")).toContain(UNKNOWN);
  const path = `${DEFINITIONS}/boxes.${GROUP}`;
  const versions = (rules: readonly string[]) => ({
    spec: { versions: (definition(rules)["spec"] as { versions: JsonObject[] }).versions },
  });
  const more = await call(apiOf("1.37"), "PATCH", path, versions([RULE, "self.size() < 9"]), MERGE);
  expect(more.status, more.text).toBe(200);
  const refused = await call(apiOf("1.37"), "PATCH", path, versions([RULE, "self.includes(2)"]), MERGE);
  expect(refused.status).toBe(422);
  expect(refused.at("message")).toContain("x-kubernetes-validations[1]");
  expect(refused.at("message")).not.toContain("x-kubernetes-validations[0]");
});
