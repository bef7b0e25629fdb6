import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../src/cluster/index.js";
import { type Kv, registerStorage } from "../../../src/cluster/server.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import {
  boxDefinition,
  boxesOf,
  DEFINITIONS,
  established,
  install,
  versionOf,
} from "../../helpers/custom-definitions.js";
import { eventually } from "../../helpers/eventually.js";
import { bindingWith, createBinding, createPolicy, validatingPolicy } from "../../helpers/policies.js";

// K37-240: `includes` is in stored expressions of 1.37 only: a server of the version before could not read it.

const VERSIONS = ["1.36", "1.37"] as const;
type Version = (typeof VERSIONS)[number];

const stores = new Map<string, Kv>();
registerStorage("stored-expressions", {
  open: async (url, { clock, timers }) => {
    const kv = openMemoryKv({ clock, timers });
    stores.set(url, kv);
    return kv;
  },
});

const clusters = new Map<Version, Cluster>();
const apiOf = (version: Version) => (clusters.get(version) as Cluster).transport();

const GROUP = "includes.example.com";
const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = { type: "application/merge-patch+json" };
const UNKNOWN = "undeclared reference to 'includes'";

const EXPRESSION = "['good', 'better'].includes(object.metadata.name)";
const policyWith = (expression: string): JsonObject =>
  validatingPolicy({ failurePolicy: "Fail", validations: [{ expression, message: "neither" }] }) as JsonObject;
const policy = policyWith(EXPRESSION);

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

/** Writes what a server of the next version would have stored: a change of the spec is a new generation. */
async function rewrite(version: Version, key: string, from: string, to: string): Promise<void> {
  const store = stores.get(`stored-expressions:${version}`) as Kv;
  const { kv } = await store.get(key);
  const text = Buffer.from(kv?.value ?? []).toString("utf8");
  expect(text).toContain(from);
  await store.update(
    key,
    Buffer.from(text.replace(from, to).replace('"generation":1', '"generation":2')),
    kv?.revision ?? 0,
  );
}

beforeAll(async () => {
  for (const version of VERSIONS) {
    const cluster = await startCluster({
      port: false,
      controllers: false,
      scheduler: false,
      kubernetesVersion: version,
      storage: `stored-expressions:${version}`,
    });
    clusters.set(version, cluster);
    const api = cluster.transport();
    await install(api, definition(["1 in self"]));
    await rewrite(
      version,
      `/registry/apiextensions.k8s.io/customresourcedefinitions/boxes.${GROUP}`,
      "1 in self",
      RULE,
    );
    await established(api, `boxes.${GROUP}`);
    expect((await createPolicy(api, "validating", policyWith("true == true"))).status).toBe(201);
    expect((await createBinding(api, "validating", bindingWith("validating"))).status).toBe(201);
    await rewrite(version, "/registry/validatingadmissionpolicies/policy", "true == true", EXPRESSION);
  }
});

afterAll(() => Promise.all([...clusters.values()].map((cluster) => cluster.close())));

const makeMap = (version: Version, name: string): Promise<Answer> =>
  call(apiOf(version), "POST", MAPS, { metadata: { name } });

test("servers of 1.36 and 1.37 refuse a new admission policy that uses the CEL function includes()", async () => {
  for (const version of VERSIONS) {
    const refused = await createPolicy(apiOf(version), "validating", { ...policy, metadata: { name: "new" } });
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(UNKNOWN);
  }
});

test("a stored admission policy with includes() works on 1.37 and fails on 1.36, and 1.37 accepts changes of other parts", async () => {
  await eventually(async () => expect((await makeMap("1.37", "bad")).text).toContain("denied request: neither"));
  expect((await makeMap("1.37", "good")).status).toBe(201);
  await eventually(async () => expect((await makeMap("1.36", "good")).text).toContain(UNKNOWN));
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

test("servers of 1.36 and 1.37 refuse a new CustomResourceDefinition that uses the CEL function includes()", async () => {
  for (const version of VERSIONS) {
    const refused = await call(apiOf(version), "POST", DEFINITIONS, definition([RULE], "new.example.com"));
    expect(refused.status).toBe(422);
    expect(refused.at("message")).toContain(UNKNOWN);
  }
});

test("a stored CustomResourceDefinition with includes() works on 1.37 and fails on 1.36, and 1.37 accepts changes of other parts", async () => {
  const make = (version: Version, l: readonly number[]) =>
    call(apiOf(version), "POST", boxesOf(GROUP), {
      apiVersion: `${GROUP}/v1`,
      kind: "Box",
      metadata: { generateName: "b-" },
      spec: { l },
    });
  await eventually(async () => expect((await make("1.37", [2])).text).toContain(`failed rule: ${RULE}`));
  const made = await make("1.37", [2, 1]);
  expect(made.status, made.text).toBe(201);
  await eventually(async () => expect((await make("1.36", [2, 1])).text).toContain(UNKNOWN));
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
