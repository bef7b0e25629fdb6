import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { builtinRecords } from "../../../../src/server/builtin/index.js";
import { recordId } from "../../../../src/server/endpoints/resource-record.js";
import type { Connecter } from "../../../../src/server/registry/resource.js";
import { respondText } from "../../../../src/server/request/respond.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, MAPS_RULE, validatingPolicy } from "../../../helpers/policies.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const APPS = "/apis/apps/v1/namespaces/default/deployments";
const MERGE = "application/merge-patch+json";

let server: AdmittingServer;

const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const deployment = { metadata: { name: "app" }, spec: { selector: { matchLabels: { a: "b" } }, template } };

beforeAll(async () => {
  server = await admittingServer({});
  const { api } = server;
  await done(api, "POST", "/api/v1/namespaces", { metadata: { name: "shop", labels: { team: "shop" } } });
  await done(api, "POST", APPS, deployment);
  await done(api, "POST", "/api/v1/namespaces/default/pods", { metadata: { name: "p" }, spec: template.spec });
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  for (const namespace of ["default", "shop"]) {
    await call(server.api, "DELETE", `/api/v1/namespaces/${namespace}/configmaps`);
  }
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
  readonly type?: string;
}

const createMap: Sent = {
  method: "POST",
  path: `${MAPS}?dryRun=All`,
  body: { metadata: { name: "a", labels: { a: "1" } } },
};
const createGenerated: Sent = { ...createMap, body: { metadata: { generateName: "a-" } } };
const createElsewhere: Sent = { ...createMap, path: "/api/v1/namespaces/shop/configmaps?dryRun=All" };
const scaleUp: Sent = {
  method: "PATCH",
  path: `${APPS}/app/scale?dryRun=All`,
  body: { spec: { replicas: 2 } },
  type: MERGE,
};
const makeNamespace = (labels = {}): Sent => ({
  method: "POST",
  path: "/api/v1/namespaces?dryRun=All",
  body: { metadata: { name: "new", labels } },
});
const makeRole: Sent = {
  method: "POST",
  path: "/apis/rbac.authorization.k8s.io/v1/clusterroles?dryRun=All",
  body: { metadata: { name: "a" }, rules: [] },
};
const makeScaler = (version: string): Sent => ({
  method: "POST",
  path: `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers?dryRun=All`,
  body: { metadata: { name: "a" }, spec: { scaleTargetRef: { kind: "Deployment", name: "app" }, maxReplicas: 3 } },
});
const review: Sent = {
  method: "POST",
  path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
  body: {},
};
const makeBinding: Sent = {
  method: "POST",
  path: "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings?dryRun=All",
  body: bindingWith("validating", {}, "other"),
};
const makeWebhooks: Sent = {
  method: "POST",
  path: "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations?dryRun=All",
  body: { metadata: { name: "a" }, webhooks: [] },
};

/** Whether the policy was asked: it says what it saw. */
async function asked(constraints: object, sent: Sent, binding: object = {}): Promise<string | undefined> {
  const messageExpression =
    "request.resource.group + '/' + request.resource.version + '/' + request.resource.resource + ' ' + request.kind.version + ' ' + request.kind.kind";
  const validations = [{ expression: "false", messageExpression }];
  await using _ = await enforce(
    server.api,
    "validating",
    [validatingPolicy({ matchConstraints: constraints, validations })],
    [bindingWith("validating", binding)],
  );
  const { method, path, body, type } = sent;
  const answer = await call(server.api, method, path, body, type === undefined ? {} : { type });
  return /denied request: (.*)$/.exec(answer.at("message") as string)?.[1];
}

const rule = (fields: object) => ({ ...MAPS_RULE, ...fields });
const anything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] };
const MAP = "/v1/configmaps v1 ConfigMap";

const constraintRows: readonly (readonly [title: string, constraints: object, sent: Sent, seen: string | undefined])[] =
  [
    ["a rule names the resource", { resourceRules: [MAPS_RULE] }, createMap, MAP],
    ["a rule names another resource", { resourceRules: [rule({ resources: ["secrets"] })] }, createMap, undefined],
    ["a rule names another operation", { resourceRules: [rule({ operations: ["DELETE"] })] }, createMap, undefined],
    ["the second rule matches", { resourceRules: [rule({ resources: ["secrets"] }), MAPS_RULE] }, createMap, MAP],
    ["a rule names the object", { resourceRules: [rule({ resourceNames: ["b", "a"] })] }, createMap, MAP],
    ["a rule names other objects", { resourceRules: [rule({ resourceNames: ["b"] })] }, createMap, undefined],
    [
      "a rule names an object and the name is to be generated",
      { resourceRules: [rule({ resourceNames: ["a"] })] },
      createGenerated,
      undefined,
    ],
    ["a rule excludes it", { resourceRules: [MAPS_RULE], excludeResourceRules: [MAPS_RULE] }, createMap, undefined],
    [
      "a rule excludes the object by its name",
      { resourceRules: [MAPS_RULE], excludeResourceRules: [rule({ resourceNames: ["a"] })] },
      createMap,
      undefined,
    ],
    [
      "a rule excludes other objects",
      { resourceRules: [MAPS_RULE], excludeResourceRules: [rule({ resourceNames: ["b"] })] },
      createMap,
      MAP,
    ],
    ["a rule is for the cluster", { resourceRules: [rule({ scope: "Cluster" })] }, createMap, undefined],
    ["a rule is for namespaces", { resourceRules: [rule({ scope: "Namespaced" })] }, createMap, MAP],
    [
      "the object selector matches",
      { resourceRules: [MAPS_RULE], objectSelector: { matchLabels: { a: "1" } } },
      createMap,
      MAP,
    ],
    [
      "the object selector does not match",
      { resourceRules: [MAPS_RULE], objectSelector: { matchLabels: { a: "2" } } },
      createMap,
      undefined,
    ],
    [
      "the namespace selector matches",
      { resourceRules: [MAPS_RULE], namespaceSelector: { matchLabels: { team: "shop" } } },
      createElsewhere,
      MAP,
    ],
    [
      "the namespace selector does not match",
      { resourceRules: [MAPS_RULE], namespaceSelector: { matchLabels: { team: "shop" } } },
      createMap,
      undefined,
    ],
    [
      "the namespace selector is about the new namespace itself",
      { resourceRules: [anything], namespaceSelector: { matchLabels: { team: "new" } } },
      makeNamespace({ team: "new" }),
      "/v1/namespaces v1 Namespace",
    ],
    [
      "the namespace selector is about namespaces, and the object is of the cluster",
      { resourceRules: [anything], namespaceSelector: { matchLabels: { team: "new" } } },
      makeRole,
      "rbac.authorization.k8s.io/v1/clusterroles v1 ClusterRole",
    ],
    [
      "a rule names the subresource",
      { resourceRules: [rule({ apiGroups: ["apps"], resources: ["deployments/scale"] })] },
      scaleUp,
      "apps/v1/deployments v1 Scale",
    ],
    [
      "a rule names the main resource, at its subresource",
      { resourceRules: [rule({ apiGroups: ["apps"], resources: ["deployments"] })] },
      scaleUp,
      undefined,
    ],
    [
      "a rule names another version of it",
      { resourceRules: [{ ...anything, apiGroups: ["autoscaling"], apiVersions: ["v1"] }] },
      makeScaler("v2"),
      "autoscaling/v1/horizontalpodautoscalers v1 HorizontalPodAutoscaler",
    ],
    [
      "a rule names another version of it, exactly",
      { resourceRules: [{ ...anything, apiGroups: ["autoscaling"], apiVersions: ["v1"] }], matchPolicy: "Exact" },
      makeScaler("v2"),
      undefined,
    ],
    ["it is a review of a user", { resourceRules: [anything] }, review, undefined],
    ["it is a binding of policies", { resourceRules: [anything] }, makeBinding, undefined],
    [
      "it is a configuration of webhooks",
      { resourceRules: [anything] },
      makeWebhooks,
      "admissionregistration.k8s.io/v1/validatingwebhookconfigurations v1 ValidatingWebhookConfiguration",
    ],
  ];

describe("an admission policy's matchConstraints match or not:", () => {
  test.each(constraintRows)("%s", async (_, constraints, sent, seen) => {
    expect(await asked(constraints, sent)).toBe(seen);
  });
});

const bindingRows: readonly (readonly [title: string, matchResources: object, seen: string | undefined])[] = [
  ["has no rules", {}, MAP],
  ["has a rule for it", { resourceRules: [MAPS_RULE] }, MAP],
  ["has a rule for something else", { resourceRules: [rule({ resources: ["secrets"] })] }, undefined],
  ["excludes it", { excludeResourceRules: [MAPS_RULE] }, undefined],
  ["selects its namespace", { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "default" } } }, MAP],
  ["selects another namespace", { namespaceSelector: { matchLabels: { team: "shop" } } }, undefined],
  [
    "selects other objects",
    { objectSelector: { matchExpressions: [{ key: "a", operator: "DoesNotExist" }] } },
    undefined,
  ],
];

describe("an admission policy binding's matchResources match or not: it", () => {
  test.each(bindingRows)("%s", async (_, matchResources, seen) => {
    expect(await asked({ resourceRules: [MAPS_RULE] }, createMap, { matchResources })).toBe(seen);
  });
});

describe("admission policies and their bindings", () => {
  const refuse = (name: string) =>
    validatingPolicy({ validations: [{ expression: "false", message: `by ${name}` }] }, name);

  test("do nothing for a policy without a binding", async () => {
    await using _ = await enforce(server.api, "validating", [refuse("policy")], []);
    expect((await call(server.api, "POST", createMap.path, createMap.body)).status).toBe(201);
  });

  test("do nothing for a binding without its policy", async () => {
    await using _ = await enforce(server.api, "validating", [refuse("other")], [bindingWith("validating")]);
    expect((await call(server.api, "POST", createMap.path, createMap.body)).status).toBe(201);
  });

  test("name in a refusal the first policy by name, and send the warnings of all", async () => {
    await using _ = await enforce(
      server.api,
      "validating",
      [refuse("b"), refuse("a"), refuse("c")],
      [
        bindingWith("validating", { policyName: "b" }, "1"),
        bindingWith("validating", { policyName: "a" }, "2"),
        bindingWith("validating", { policyName: "c", validationActions: ["Warn"] }, "3"),
      ],
    );
    const { at, headers } = await call(server.api, "POST", createMap.path, createMap.body);
    expect([at("message"), headers["warning"]]).toEqual([
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'a' with binding '2' denied request: by a`,
      [`299 - "Validation failed for ValidatingAdmissionPolicy 'c' with binding '3': by c"`],
    ]);
  });

  test("change with the next request after an update", async () => {
    await using _ = await enforce(server.api, "validating", [refuse("policy")], [bindingWith("validating")]);
    const refused = await call(server.api, "POST", createMap.path, createMap.body);
    const path = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/policy";
    await done(server.api, "PATCH", path, { spec: { validations: [{ expression: "true" }] } }, MERGE);
    const admitted = await call(server.api, "POST", createMap.path, createMap.body);
    expect([refused.status, admitted.status]).toEqual([422, 201]);
  });

  test("see a connection with its options as the object", async () => {
    const exec: Connecter = {
      connectMethods: ["GET", "POST"],
      hasSubpath: false,
      connect: () => Promise.resolve((request) => respondText(request, 200, "connected")),
    };
    const records = builtinRecords.map((record) =>
      recordId(record) === "/pods" ? { ...record, subresources: { exec: { connecter: () => exec } } } : record,
    );
    await using connecting = await admittingServer({}, undefined, records);
    const resourceRules = [{ ...anything, operations: ["CONNECT"], resources: ["pods/exec"] }];
    const expression = "object.kind == 'PodExecOptions' && object.command[0] == 'ls'";
    await using _ = await enforce(
      connecting.api,
      "validating",
      [validatingPolicy({ matchConstraints: { resourceRules }, validations: [{ expression }] })],
      [bindingWith("validating")],
    );
    const send = (command: string) =>
      call(connecting.api, "POST", `/api/v1/namespaces/default/pods/web/exec?command=${command}`);
    const [admitted, refused] = [await send("ls"), await send("rm")];
    expect([admitted.text, refused.status, refused.at("message")]).toEqual([
      "connected",
      422,
      `pods "web" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: failed expression: ${expression}`,
    ]);
  });
});
