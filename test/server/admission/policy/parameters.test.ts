import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../../src/cluster/index.js";
import { done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, mutatingPolicy, validatingPolicy } from "../../../helpers/policies.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const LIMITS = "/apis/rules.example.com/v1/namespaces/default/limits";
const GLOBALS = "/apis/rules.example.com/v1/globallimits";
const MAP_KIND = { apiVersion: "v1", kind: "ConfigMap" };
const LIMIT_KIND = { apiVersion: "rules.example.com/v1", kind: "Limit" };
const GLOBAL_KIND = { apiVersion: "rules.example.com/v1", kind: "GlobalLimit" };

let cluster: Cluster;
let api: ReturnType<Cluster["transport"]>;

const definition = (plural: string, kind: string, scope: string) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${plural}.rules.example.com` },
  spec: {
    group: "rules.example.com",
    scope,
    names: { plural, kind },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              most: { type: "integer" },
              tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
              all: { type: "array", items: { type: "string" } },
              spec: {
                type: "object",
                properties: { size: { type: "integer", default: 1 }, note: { type: "string" } },
              },
            },
          },
        },
      },
    ],
  },
});

beforeAll(async () => {
  cluster = await startCluster({ port: false, controllers: false });
  api = cluster.transport();
  const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await done(api, "POST", definitions, definition("limits", "Limit", "Namespaced"));
  await done(api, "POST", definitions, definition("globallimits", "GlobalLimit", "Cluster"));
  for (const path of [LIMITS, GLOBALS]) {
    while ((await call(api, "GET", path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await done(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop" } });
  await done(api, "POST", LIMITS, { metadata: { name: "small", labels: { set: "a" } }, most: 1 });
  await done(api, "POST", LIMITS, { metadata: { name: "large", labels: { set: "a" } }, most: 100 });
  await done(api, "POST", LIMITS.replace("default", "shop"), { metadata: { name: "shops" }, most: 5 });
  await done(api, "POST", GLOBALS, { metadata: { name: "world" }, most: 7 });
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const namespace of ["default", "shop"]) {
    await call(api, "DELETE", `/api/v1/namespaces/${namespace}/configmaps`);
  }
});

/** Creates a config map of size 10 under a policy with parameters. */
async function create(paramKind: object | undefined, paramRef: object | undefined, path = MAPS): Promise<Answer> {
  const validations = [
    { expression: "params == null || 10 <= params.most", messageExpression: "'at most ' + string(params.most)" },
  ];
  const spec = paramKind === undefined ? { validations: [{ expression: "true" }] } : { paramKind, validations };
  await using _ = await enforce(
    api,
    "validating",
    [validatingPolicy(spec)],
    [bindingWith("validating", paramRef === undefined ? {} : { paramRef })],
  );
  return call(api, "POST", path, { metadata: { name: "a" } });
}

const DENIED = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'policy' `;
const BOUND = `${DENIED}with binding 'binding' denied request: `;
const NOT_FOUND = `${BOUND}failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`;
const deny = { parameterNotFoundAction: "Deny" };
const allow = { parameterNotFoundAction: "Allow" };
const SHOP_MAPS = MAPS.replace("default", "shop");

describe("the parameters of an admission policy", () => {
  const rows: readonly (readonly [
    what: string,
    kind: object | undefined,
    ref: object | undefined,
    message: string | undefined,
    path?: string,
  ])[] = [
    ["are null where the binding names none", LIMIT_KIND, undefined, undefined],
    ["are not looked for where the policy has no kind of them", undefined, { name: "none", ...deny }, undefined],
    ["by name", LIMIT_KIND, { name: "small", ...deny }, `${BOUND}at most 1`],
    ["by name, that allow it", LIMIT_KIND, { name: "large", ...deny }, undefined],
    ["by name, that are not there", LIMIT_KIND, { name: "none", ...deny }, NOT_FOUND],
    ["by name, that are not there and need not be", LIMIT_KIND, { name: "none", ...allow }, undefined],
    ["by name, of another namespace than the request's", LIMIT_KIND, { name: "shops", ...deny }, NOT_FOUND],
    [
      "by name, of a namespace that the binding names",
      LIMIT_KIND,
      { name: "shops", namespace: "shop", ...deny },
      `${BOUND}at most 5`,
    ],
    ["by name, of the request's namespace", LIMIT_KIND, { name: "shops", ...deny }, `${BOUND}at most 5`, SHOP_MAPS],
    [
      "by selector: each of them",
      LIMIT_KIND,
      { selector: { matchLabels: { set: "a" } }, ...deny },
      `${BOUND}at most 1`,
    ],
    ["by selector: all", LIMIT_KIND, { selector: {}, ...deny }, `${BOUND}at most 5`, SHOP_MAPS],
    ["by selector, that are not there", LIMIT_KIND, { selector: { matchLabels: { set: "b" } }, ...deny }, NOT_FOUND],
    [
      "by selector, that are not there and need not be",
      LIMIT_KIND,
      { selector: { matchLabels: { set: "b" } }, ...allow },
      undefined,
    ],
    ["of the cluster", GLOBAL_KIND, { name: "world", ...deny }, `${BOUND}at most 7`],
    [
      "of the cluster, in a namespace",
      GLOBAL_KIND,
      { name: "world", namespace: "default", ...deny },
      `${BOUND}failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped \`paramKind\``,
    ],
    [
      "of a kind that is not served",
      { apiVersion: "rules.example.com/v2", kind: "Limit" },
      { name: "small", ...deny },
      `${DENIED}denied request: failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v2, Kind=Limit'`,
    ],
    [
      "of a built-in kind that there is none of",
      { apiVersion: "v1", kind: "Config" },
      { name: "small", ...deny },
      `${DENIED}denied request: failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Config'`,
    ],
  ];
  const all = rows.map(([what, kind, ref, message, path = MAPS]) => [what, kind, ref, message, path] as const);
  test.each(all)("%s", async (_, kind, ref, message, path) => {
    const { status, at } = await create(kind, ref, path);
    expect([status, at("message")]).toEqual(message === undefined ? [201, undefined] : [422, message]);
  });

  test("in namespaces have no namespace when the request's object has none", async () => {
    const resourceRules = [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["clusterroles"] }];
    await using _ = await enforce(
      api,
      "validating",
      [
        validatingPolicy({
          paramKind: LIMIT_KIND,
          matchConstraints: { resourceRules },
          validations: [{ expression: "true" }],
        }),
      ],
      [bindingWith("validating", { paramRef: { name: "small", ...deny } })],
    );
    const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    expect((await call(api, "POST", path, { metadata: { name: "r" }, rules: [] })).at("message")).toBe(
      `clusterroles.rbac.authorization.k8s.io "r" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources`,
    );
  });

  test("of a built-in kind have their kind and version (K37-246)", async () => {
    await done(api, "POST", MAPS, { metadata: { name: "settings" }, data: { prefix: "ok-" } });
    const expression =
      "params.kind == 'ConfigMap' && params.apiVersion == 'v1' && object.metadata.name.startsWith(params.data.prefix)";
    await using _ = await enforce(
      api,
      "validating",
      [validatingPolicy({ paramKind: MAP_KIND, validations: [{ expression }] })],
      [bindingWith("validating", { paramRef: { name: "settings", ...deny } })],
    );
    const statuses = [];
    for (const name of ["ok-1", "a"]) statuses.push((await call(api, "POST", MAPS, { metadata: { name } })).status);
    expect(statuses).toEqual([201, 422]);
  });

  test("that change apply to the next request", async () => {
    const statuses = [];
    for (const most of [9, 10]) {
      const merge = "application/merge-patch+json";
      await done(api, "PATCH", `${LIMITS}/large`, { most }, merge);
      statuses.push((await create(LIMIT_KIND, { name: "large", ...deny })).status);
    }
    expect(statuses).toEqual([422, 201]);
  });

  test("can be used as soon as their kind is served", async () => {
    const kind = { apiVersion: "rules.example.com/v1", kind: "Late" };
    await using _ = await enforce(
      api,
      "validating",
      [validatingPolicy({ paramKind: kind, validations: [{ expression: "params.most > 10" }] })],
      [bindingWith("validating", { paramRef: { name: "x", ...deny } })],
    );
    const before = await call(api, "POST", MAPS, { metadata: { name: "a" } });
    await done(
      api,
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition("lates", "Late", "Cluster"),
    );
    const path = "/apis/rules.example.com/v1/lates";
    while ((await call(api, "GET", path)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 5));
    await done(api, "POST", path, { metadata: { name: "x" }, most: 11 });
    const after = await call(api, "POST", MAPS, { metadata: { name: "a" } });
    expect([before.status, after.status]).toEqual([422, 201]);
  });
});

describe("admission policies for custom kinds", () => {
  const rules = {
    resourceRules: [
      { apiGroups: ["rules.example.com"], apiVersions: ["v1"], operations: ["*"], resources: ["limits"] },
    ],
  };

  test("validate them, with their defaults", async () => {
    await using _ = await enforce(
      api,
      "validating",
      [
        validatingPolicy({
          matchConstraints: rules,
          validations: [
            { expression: "object.spec.size > 1", messageExpression: "'size ' + string(object.spec.size)" },
          ],
        }),
      ],
      [bindingWith("validating")],
    );
    const { at } = await call(api, "POST", LIMITS, { metadata: { name: "l" }, spec: {} });
    expect(at("message")).toBe(
      `limits.rules.example.com "l" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: size 1`,
    );
  });

  const apply = (expression: string) => ({ patchType: "ApplyConfiguration", applyConfiguration: { expression } });
  const patch = (expression: string) => ({ patchType: "JSONPatch", jsonPatch: { expression } });
  const UNKNOWN = "policy 'policy' with binding 'binding' denied request: error applying patch: ";
  test.each<[string, object, string, unknown]>([
    ["a field", apply(`Object{spec: Object.spec{note: "x"}}`), "spec", { size: 1, note: "x" }],
    ["an item of a set", apply(`Object{tags: ["b"]}`), "tags", ["a", "b"]],
    ["a patch", patch(`[JSONPatch{op: "add", path: "/tags/-", value: "c"}]`), "tags", ["a", "c"]],
    [
      "a field that the schema does not have",
      apply(`Object{spec: Object.spec{wrong: "x"}}`),
      "message",
      `${UNKNOWN}failed to convert patch object to typed object: .spec.wrong: field not declared in schema`,
    ],
    [
      "an atomic list",
      apply(`Object{all: ["b"]}`),
      "message",
      `${UNKNOWN}invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .all`,
    ],
  ])("mutate them: %s", async (_, mutation, at, value) => {
    await using __ = await enforce(
      api,
      "mutating",
      [
        mutatingPolicy({
          matchConstraints: { resourceRules: [{ ...rules.resourceRules[0], operations: ["CREATE"] }] },
          mutations: [mutation],
        }),
      ],
      [bindingWith("mutating")],
    );
    const answer = await call(api, "POST", `${LIMITS}?dryRun=All`, { metadata: { name: "l" }, spec: {}, tags: ["a"] });
    expect(answer.at(at)).toEqual(value);
  });
});
