import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createStorage } from "../../../../src/server/storage/create-storage.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure, CONFIG_MAPS } from "../../../helpers/configured-webhooks.js";
import { allow, NO_CALL, startWebhookServer, type WebhookServer } from "../../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const APPS = "/apis/apps/v1/namespaces/default/deployments";
const SCALERS = "/namespaces/default/horizontalpodautoscalers";
const MERGE = { type: "application/merge-patch+json" };

let server: AdmittingServer;
let hooks: WebhookServer;
let clientConfig: object;

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = { metadata: { name: "app" }, spec: { selector: { matchLabels: { a: "b" } }, template } };
const scaler = {
  metadata: { name: "s" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "app" }, maxReplicas: 3 },
};

beforeAll(async () => {
  server = await admittingServer({});
  hooks = await startWebhookServer();
  clientConfig = hooks.on("/hook", (given) => allow(given));
  const { api } = server;
  await done(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop", labels: { team: "shop" } } });
  await done(api, "POST", APPS, deployment);
  await done(api, "POST", `/apis/autoscaling/v1${SCALERS}`, scaler);
  await done(api, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec: template.spec });
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const namespace of ["default", "shop"]) {
    await call(server.api, "DELETE", `/api/v1/namespaces/${namespace}/configmaps`);
  }
  hooks.calls.length = 0;
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

/** What the webhook is asked about, as "group/version/resource kind" for each call. */
async function asked(fields: object, sent: Sent): Promise<readonly string[]> {
  await using _ = await configure(server.api, "validating", [{ clientConfig, ...fields }]);
  const { method, path, body, type } = sent;
  const answer = await call(server.api, method, path, body, type === undefined ? {} : { type });
  if (answer.status >= 300) throw new Error(answer.text);
  return hooks.calls.map(({ request }) => {
    const { resource, kind, subResource } = request as unknown as {
      resource: { group: string; version: string; resource: string };
      kind: { group: string; version: string; kind: string };
      subResource?: string;
    };
    const sub = subResource === undefined ? "" : `/${subResource}`;
    const named = [resource.group, resource.version, resource.resource].join("/") + sub;
    return `${named} ${kind.group}/${kind.version} ${kind.kind}`;
  });
}

const createMap: Sent = { method: "POST", path: MAPS, body: { metadata: { name: "a" } } };
const scaleUp: Sent = { method: "PATCH", path: `${APPS}/app/scale`, body: { spec: { replicas: 2 } }, ...MERGE };
const setStatus: Sent = { method: "PATCH", path: `${APPS}/app/status`, body: { status: { replicas: 1 } }, ...MERGE };
const label: Sent = {
  method: "PATCH",
  path: `${APPS}/app`,
  body: { metadata: { labels: { c: String(Date.now()) } } },
  ...MERGE,
};
const makeNamespace = (name: string): Sent => ({
  method: "POST",
  path: "/api/v1/namespaces",
  body: { metadata: { name } },
});
const makeRole = (name: string): Sent => ({
  method: "POST",
  path: "/apis/rbac.authorization.k8s.io/v1/clusterroles",
  body: { metadata: { name }, rules: [] },
});
const evict: Sent = {
  method: "POST",
  path: "/api/v1/namespaces/default/pods/p/eviction?dryRun=All",
  body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" } },
};

const MAP = ["/v1/configmaps /v1 ConfigMap"];
const DEPLOYMENT = ["apps/v1/deployments apps/v1 Deployment"];
const SCALE = ["apps/v1/deployments/scale autoscaling/v1 Scale"];

const rule = (...resources: string[]) => ({ ...CONFIG_MAPS, apiGroups: ["*"], apiVersions: ["*"], resources });

const rules: readonly (readonly [title: string, rule: object, sent: Sent, asked: readonly string[]])[] = [
  ["names the resource", CONFIG_MAPS, createMap, MAP],
  ["names another resource", { ...CONFIG_MAPS, resources: ["secrets"] }, createMap, []],
  ["names another group", { ...CONFIG_MAPS, apiGroups: ["apps"] }, createMap, []],
  ["names another version", { ...CONFIG_MAPS, apiVersions: ["v2"] }, createMap, []],
  [
    "names several groups, versions and resources",
    { ...CONFIG_MAPS, apiGroups: ["apps", ""], apiVersions: ["v2", "v1"], resources: ["pods", "configmaps"] },
    createMap,
    MAP,
  ],
  ["has wildcards", rule("*"), createMap, MAP],
  ["has the operation", { ...CONFIG_MAPS, operations: ["UPDATE", "CREATE"] }, createMap, MAP],
  ["has another operation", { ...CONFIG_MAPS, operations: ["UPDATE", "DELETE", "CONNECT"] }, createMap, []],
  ["names the main resource only, at a subresource", rule("deployments"), setStatus, []],
  ["names all main resources, at a subresource", rule("*"), setStatus, []],
  ["names the subresource", rule("deployments/status"), setStatus, ["apps/v1/deployments/status apps/v1 Deployment"]],
  ["names another subresource", rule("deployments/scale"), setStatus, []],
  ["names all subresources of the resource", rule("deployments/*"), scaleUp, SCALE],
  ["names the subresource of all resources", rule("*/scale"), scaleUp, SCALE],
  ["names everything", rule("*/*"), scaleUp, SCALE],
  ["names everything, at a main resource", rule("*/*"), label, DEPLOYMENT],
  ["names all subresources, at the main resource", rule("deployments/*"), label, DEPLOYMENT],
  ["names evictions", rule("pods/eviction"), evict, ["/v1/pods/eviction policy/v1 Eviction"]],
  ["is of the namespaced scope, for an object of a namespace", { ...rule("*"), scope: "Namespaced" }, createMap, MAP],
  ["is of the cluster's scope, for an object of a namespace", { ...rule("*"), scope: "Cluster" }, createMap, []],
  ["is of all scopes", { ...rule("*"), scope: "*" }, createMap, MAP],
  [
    "is of the cluster's scope, for an object of the cluster",
    { ...rule("*"), scope: "Cluster" },
    makeRole("r1"),
    ["rbac.authorization.k8s.io/v1/clusterroles rbac.authorization.k8s.io/v1 ClusterRole"],
  ],
  [
    "is of the namespaced scope, for an object of the cluster",
    { ...rule("*"), scope: "Namespaced" },
    makeRole("r2"),
    [],
  ],
  [
    "is of the cluster's scope, for a namespace",
    { ...rule("*"), scope: "Cluster" },
    makeNamespace("n1"),
    ["/v1/namespaces /v1 Namespace"],
  ],
  ["is of the namespaced scope, for a namespace", { ...rule("*"), scope: "Namespaced" }, makeNamespace("n2"), []],
];

test.each(rules)("whether an admission webhook is called by a rule that %s", async (_, one, sent, expected) => {
  expect(await asked({ rules: [one] }, sent)).toEqual(expected);
});

test("an admission webhook with several matching rules is called once, and one without rules never", async () => {
  expect(await asked({ rules: [CONFIG_MAPS, rule("*")] }, createMap)).toEqual(MAP);
  hooks.calls.length = 0;
  await call(server.api, "DELETE", `${MAPS}/a`);
  expect(await asked({ rules: [] }, createMap)).toEqual([]);
});

describe("the match policy of an admission webhook", () => {
  const versioned = (version: string) => ({
    rules: [
      { ...CONFIG_MAPS, apiGroups: ["autoscaling"], apiVersions: [version], resources: ["horizontalpodautoscalers"] },
    ],
  });
  const at = (version: string): Sent => ({
    method: "PATCH",
    path: `/apis/autoscaling/${version}${SCALERS}/s?dryRun=All`,
    body: { metadata: { labels: { a: "b" } } },
    ...MERGE,
  });
  const kind = (version: string) => [
    `autoscaling/${version}/horizontalpodautoscalers autoscaling/${version} HorizontalPodAutoscaler`,
  ];
  const rows: readonly (readonly [title: string, fields: object, sent: Sent, asked: readonly string[]])[] = [
    ["Equivalent matches another version and names it", versioned("v2"), at("v1"), kind("v2")],
    [
      "Equivalent matches the request's version first",
      { rules: [...versioned("v2").rules, ...versioned("v1").rules] },
      at("v1"),
      kind("v1"),
    ],
    ["Exact does not match another version", { ...versioned("v2"), matchPolicy: "Exact" }, at("v1"), []],
    ["Exact matches the version", { ...versioned("v1"), matchPolicy: "Exact" }, at("v1"), kind("v1")],
    ["Equivalent does not match a version that is not served", versioned("v2beta2"), at("v1"), []],
  ];
  test.each(rows)("%s", async (_, fields, sent, expected) => {
    expect(await asked(fields, sent)).toEqual(expected);
  });

  test("Equivalent shows both objects in the version of the rule, and names the original request", async () => {
    await asked(versioned("v2"), at("v1"));
    const [{ request } = NO_CALL] = hooks.calls;
    const spec = { maxReplicas: 3, metrics: [expect.objectContaining({ type: "Resource" })] };
    expect(request).toMatchObject({
      requestKind: { group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" },
      requestResource: { group: "autoscaling", version: "v1", resource: "horizontalpodautoscalers" },
      object: { apiVersion: "autoscaling/v2", metadata: { labels: { a: "b" } }, spec },
      oldObject: { apiVersion: "autoscaling/v2", spec },
    });
  });

  test("Exact shows both objects in the request's version, whatever version is stored", async () => {
    await asked({ ...versioned("v1"), matchPolicy: "Exact" }, at("v1"));
    const [{ request } = NO_CALL] = hooks.calls;
    expect(request).toMatchObject({
      object: { apiVersion: "autoscaling/v1", spec: { maxReplicas: 3, targetCPUUtilizationPercentage: 80 } },
      oldObject: { apiVersion: "autoscaling/v1" },
    });
  });

  test("Equivalent matches the same objects in another API group", async () => {
    const events = { rules: [{ ...CONFIG_MAPS, apiGroups: ["events.k8s.io"], resources: ["events"] }] };
    const sent: Sent = {
      method: "POST",
      path: "/api/v1/namespaces/default/events",
      body: { metadata: { name: "e" }, involvedObject: { kind: "Pod", namespace: "default", name: "p" }, message: "m" },
    };
    expect(await asked(events, sent)).toEqual(["events.k8s.io/v1/events events.k8s.io/v1 Event"]);
    expect(hooks.calls[0]?.request).toMatchObject({ object: { note: "m", regarding: { name: "p" } } });
  });
});

describe("the selectors of an admission webhook", () => {
  const inShop: Sent = { ...createMap, path: MAPS.replace("default", "shop") };
  const team = { matchLabels: { team: "shop" } };
  const colour = (value: string): Sent => ({
    ...createMap,
    body: { metadata: { name: "a", labels: { colour: value } } },
  });
  const red = { matchExpressions: [{ key: "colour", operator: "In", values: ["red"] }] };
  const NAMESPACES = { ...CONFIG_MAPS, resources: ["namespaces"] };
  const labelled = (name: string): Sent => ({
    ...makeNamespace(name),
    body: { metadata: { name, labels: { team: "shop" } } },
  });
  const rows: readonly (readonly [title: string, fields: object, sent: Sent, asked: readonly string[]])[] = [
    ["namespaceSelector matches the namespace's labels", { namespaceSelector: team }, inShop, MAP],
    ["namespaceSelector leaves other namespaces out", { namespaceSelector: team }, createMap, []],
    [
      "namespaceSelector by the name label",
      { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } },
      createMap,
      MAP,
    ],
    [
      "namespaceSelector does not exempt objects of the cluster",
      { namespaceSelector: team, rules: [rule("clusterroles")] },
      makeRole("r3"),
      ["rbac.authorization.k8s.io/v1/clusterroles rbac.authorization.k8s.io/v1 ClusterRole"],
    ],
    [
      "namespaceSelector looks at a new namespace itself",
      { namespaceSelector: team, rules: [NAMESPACES] },
      labelled("n3"),
      ["/v1/namespaces /v1 Namespace"],
    ],
    [
      "namespaceSelector leaves a new namespace out",
      { namespaceSelector: team, rules: [NAMESPACES] },
      makeNamespace("n4"),
      [],
    ],
    [
      "namespaceSelector looks at the stored namespace when it is deleted",
      { namespaceSelector: team, rules: [NAMESPACES] },
      { method: "DELETE", path: "/api/v1/namespaces/shop?dryRun=All" },
      ["/v1/namespaces /v1 Namespace"],
    ],
    ["objectSelector matches the object's labels", { objectSelector: red }, colour("red"), MAP],
    ["objectSelector leaves other objects out", { objectSelector: red }, colour("blue"), []],
    ["objectSelector leaves an object without labels out", { objectSelector: red }, createMap, []],
    [
      "objectSelector that forbids a label matches an object without labels",
      { objectSelector: { matchExpressions: [{ key: "colour", operator: "DoesNotExist" }] } },
      createMap,
      MAP,
    ],
    ["both must match", { objectSelector: red, namespaceSelector: team }, colour("red"), []],
  ];
  test.each(rows)("%s", async (_, fields, sent, expected) => {
    expect(await asked(fields, sent)).toEqual(expected);
  });

  test("objectSelector matches an update of which the old object has the label, and a delete", async () => {
    await done(server.api, "POST", MAPS, colour("red").body);
    const fields = { objectSelector: red };
    expect(
      await asked(fields, { method: "PATCH", path: `${MAPS}/a`, body: { metadata: { labels: null } }, ...MERGE }),
    ).toEqual(MAP);
    hooks.calls.length = 0;
    expect(await asked(fields, { method: "DELETE", path: `${MAPS}/a` })).toEqual([]);
  });
});

describe("admission webhook configurations", () => {
  test("are not sent to admission webhooks themselves", async () => {
    const everything = { clientConfig, rules: [rule("*/*")] };
    await using _ = await configure(server.api, "validating", [everything], "first");
    hooks.calls.length = 0;
    await using __ = await configure(
      server.api,
      "mutating",
      [{ ...everything, clientConfig: hooks.on("/other", (given) => allow(given)) }],
      "second",
    );
    expect(hooks.calls).toEqual([]);
  });

  test("take effect at once when created, changed or deleted", async () => {
    const create = async (name: string) => {
      hooks.calls.length = 0;
      await done(server.api, "POST", MAPS, { metadata: { name } });
      return hooks.calls.length;
    };
    const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/config";
    expect(await create("c1")).toBe(0);
    await using _ = await configure(server.api, "validating", [{ clientConfig }]);
    expect(await create("c2")).toBe(1);
    const resources = [{ op: "replace", path: "/webhooks/0/rules/0/resources", value: ["secrets"] }];
    await done(server.api, "PATCH", path, resources, "application/json-patch+json");
    expect(await create("c3")).toBe(0);
    await done(server.api, "PATCH", path, [{ ...resources[0], value: ["configmaps"] }], "application/json-patch+json");
    expect(await create("c4")).toBe(1);
    await done(server.api, "DELETE", path);
    expect(await create("c5")).toBe(0);
  });

  test("are read from the storage when there is no watch cache", async () => {
    const storage = createStorage({ kv: openMemoryKv(), watchCache: false, compactionSeconds: 0 });
    await using direct = await admittingServer({}, undefined, undefined, { storage });
    await using _ = await configure(direct.api, "validating", [{ clientConfig }]);
    await done(direct.api, "POST", MAPS, { metadata: { name: "a" } });
    expect(hooks.calls).toHaveLength(1);
  });

  test("order mutating webhooks by the configurations' names, then by their lists", async () => {
    const named = (name: string) => ({
      name: `${name}.webhook.test`,
      clientConfig: hooks.on(`/${name}`, (given) => allow(given)),
    });
    await using _ = await configure(server.api, "mutating", [named("z"), named("y")], "b");
    await using __ = await configure(server.api, "mutating", [named("x")], "a");
    await done(server.api, "POST", MAPS, { metadata: { name: "a" } });
    expect(hooks.calls.map(({ path }) => path)).toEqual(["/x?timeout=10s", "/z?timeout=10s", "/y?timeout=10s"]);
  });

  test("let validating webhooks be called at the same time, after all mutating ones", async () => {
    let waiting = 0;
    const together = new Promise<void>((resolve) => {
      hooks.on("/meet", (given, response) => {
        if (++waiting === 2) resolve();
        void together.then(() =>
          response.setHeader("content-type", "application/json").end(JSON.stringify(allow(given))),
        );
      });
    });
    const meet = { clientConfig: { ...clientConfig, url: `${hooks.url}/meet` } };
    await using _ = await configure(server.api, "validating", [
      { ...meet, name: "a.webhook.test" },
      { ...meet, name: "b.webhook.test" },
    ]);
    await using __ = await configure(server.api, "mutating", [{ clientConfig }]);
    await done(server.api, "POST", MAPS, { metadata: { name: "a" } });
    expect(hooks.calls.map(({ path }) => path.split("?")[0])).toEqual(["/hook", "/meet", "/meet"]);
  });
});
