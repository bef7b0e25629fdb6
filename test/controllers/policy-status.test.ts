import { afterAll, beforeAll, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../src/cluster/index.js";
import { done } from "../helpers/admitting-server.js";
import { call } from "../helpers/api-caller.js";
import { eventually } from "../helpers/eventually.js";
import { validatingPolicy } from "../helpers/policies.js";

const POLICIES = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";

let cluster: Cluster;
let api: ReturnType<Cluster["transport"]>;
let made = 0;

const rule = (apiGroup: string, ...resources: string[]) => ({
  apiGroups: [apiGroup],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources,
});

beforeAll(async () => {
  cluster = await startCluster({ port: false });
  api = cluster.transport();
  const schema = {
    openAPIV3Schema: {
      type: "object",
      properties: {
        spec: {
          type: "object",
          properties: {
            size: { type: "integer" },
            any: { "x-kubernetes-preserve-unknown-fields": true },
            "x-y": { type: "string" },
          },
        },
      },
    },
  };
  await done(api, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  });
  await eventually(async () => {
    expect((await call(api, "GET", "/apis/example.com/v1/widgets")).status).toBe(200);
  });
});

afterAll(async () => {
  await cluster[Symbol.asyncDispose]();
});

/** The status that a policy gets. */
async function statusOf(spec: object): Promise<unknown> {
  const name = `policy-${made++}`;
  await done(api, "POST", POLICIES, validatingPolicy(spec, name));
  let status: unknown;
  await eventually(async () => {
    status = (await call(api, "GET", `${POLICIES}/${name}`)).at("status");
    expect(status).toHaveProperty("observedGeneration");
  });
  return status;
}

const DEPLOYMENT = "apps/v1, Kind=Deployment: ";
const POD = "/v1, Kind=Pod: ";
const WIDGET = "example.com/v1, Kind=Widget: ";
const undefinedField = (expression: string, field: string): string => {
  const at = expression.lastIndexOf(`.${field}`) + 1;
  return `ERROR: <input>:1:${at}: undefined field '${field}'\n | ${expression}\n | ${".".repeat(at - 1)}^\n`;
};

type Warnings = readonly (readonly [fieldRef: string, warning: string])[];
const rows: readonly (readonly [what: string, rules: readonly object[], spec: object, warnings: Warnings])[] = [
  ["is right", [rule("apps", "deployments")], { validations: [{ expression: "object.spec.replicas > 1" }] }, []],
  [
    "reads a field that is not there",
    [rule("apps", "deployments")],
    { validations: [{ expression: "object.spec.replica > 1" }] },
    [["spec.validations[0].expression", DEPLOYMENT + undefinedField("object.spec.replica > 1", "replica")]],
  ],
  [
    "reads a field of the old object that is not there",
    [rule("apps", "deployments")],
    { validations: [{ expression: "true" }, { expression: "oldObject.spec.x == 1" }] },
    [["spec.validations[1].expression", DEPLOYMENT + undefinedField("oldObject.spec.x == 1", "x")]],
  ],
  [
    "compares a number with a text",
    [rule("apps", "deployments")],
    { validations: [{ expression: "object.spec.replicas == 'x'" }] },
    [
      [
        "spec.validations[0].expression",
        `${DEPLOYMENT}ERROR: <input>:1:22: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.replicas == 'x'\n | .....................^\n`,
      ],
    ],
  ],
  [
    "has a wrong message expression",
    [rule("apps", "deployments")],
    { validations: [{ expression: "true", messageExpression: "string(object.x)" }] },
    [["spec.validations[0].messageExpression", `${DEPLOYMENT}${undefinedField("string(object.x)", "x")}`]],
  ],
  [
    "is right for one kind and wrong for another",
    [rule("", "pods"), rule("apps", "deployments")],
    { validations: [{ expression: "object.spec.nodeName == ''" }] },
    [["spec.validations[0].expression", DEPLOYMENT + undefinedField("object.spec.nodeName == ''", "nodeName")]],
  ],
  [
    "is wrong for two kinds",
    [rule("apps", "deployments"), rule("", "pods")],
    { validations: [{ expression: "object.wrong == ''" }] },
    [
      [
        "spec.validations[0].expression",
        `${POD}${undefinedField("object.wrong == ''", "wrong")}\n${DEPLOYMENT}${undefinedField("object.wrong == ''", "wrong")}`,
      ],
    ],
  ],
  [
    "names its kinds by a wildcard",
    [rule("*", "deployments")],
    { validations: [{ expression: "object.wrong == ''" }] },
    [],
  ],
  [
    "is about a subresource",
    [rule("apps", "deployments/scale")],
    { validations: [{ expression: "object.wrong == ''" }] },
    [],
  ],
  [
    "is about a kind that is not served",
    [rule("none.io", "things")],
    { validations: [{ expression: "object.wrong == ''" }] },
    [],
  ],
  [
    "reads labels, times, lists, int-or-strings and the namespace",
    [rule("apps", "deployments")],
    {
      validations: [
        {
          expression:
            "object.metadata.labels['a'] == 'b' && object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z') && object.spec.template.spec.containers.all(c, c.image != '') && object.spec.strategy.rollingUpdate.maxSurge == '25%' && object.metadata.namespace == 'x'",
        },
      ],
    },
    [],
  ],
  [
    "reads quantities, which have no type",
    [rule("", "pods")],
    { validations: [{ expression: "object.spec.containers[0].resources.limits['cpu'] == '1'" }] },
    [
      [
        "spec.validations[0].expression",
        POD + undefinedField("object.spec.containers[0].resources.limits['cpu'] == '1'", "limits"),
      ],
    ],
  ],
  [
    "reads a variable as another type",
    [rule("apps", "deployments")],
    {
      variables: [{ name: "n", expression: "object.spec.replicas" }],
      validations: [{ expression: "variables.n == 'x'" }],
    },
    [
      [
        "spec.validations[0].expression",
        `${DEPLOYMENT}ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.n == 'x'\n | ............^\n`,
      ],
    ],
  ],
  [
    "asks about the request's resource, which the check does not know",
    [rule("", "pods")],
    { validations: [{ expression: "authorizer.requestResource.check('create').allowed()" }] },
    [
      [
        "spec.validations[0].expression",
        `${POD}ERROR: <input>:1:11: unexpected failed resolution of 'kubernetes.authorization.Authorizer'\n | authorizer.requestResource.check('create').allowed()\n | ..........^\n`,
      ],
    ],
  ],
  [
    "reads parameters",
    [rule("", "pods")],
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      validations: [{ expression: "params.data['x'] == 'y' && params.datas == null" }],
    },
    [
      [
        "spec.validations[0].expression",
        POD + undefinedField("params.data['x'] == 'y' && params.datas == null", "datas"),
      ],
    ],
  ],
  [
    "reads a custom kind",
    [rule("example.com", "widgets")],
    {
      validations: [
        { expression: "object.spec.size > 1 && object.metadata.labels['a'] == 'b' && object.spec.x__dash__y == 'z'" },
        { expression: "object.spec.any == 1" },
        { expression: "object.spec.size == 'x'" },
      ],
    },
    [
      ["spec.validations[1].expression", WIDGET + undefinedField("object.spec.any == 1", "any")],
      [
        "spec.validations[2].expression",
        `${WIDGET}ERROR: <input>:1:18: found no matching overload for '_==_' applied to '(int, string)'\n | object.spec.size == 'x'\n | .................^\n`,
      ],
    ],
  ],
];

test.each(rows)("the status of a ValidatingAdmissionPolicy that %s", async (_, resourceRules, spec, warnings) => {
  const typeChecking =
    warnings.length === 0 ? {} : { expressionWarnings: warnings.map(([fieldRef, warning]) => ({ fieldRef, warning })) };
  expect(await statusOf({ matchConstraints: { resourceRules }, ...spec })).toEqual({
    observedGeneration: 1,
    typeChecking,
  });
});

// Server-side apply leaves nothing of an object whose last field it removes.
test("the status of a changed ValidatingAdmissionPolicy names the new generation", async () => {
  const resourceRules = [rule("apps", "deployments")];
  await done(
    api,
    "POST",
    POLICIES,
    validatingPolicy(
      { matchConstraints: { resourceRules }, validations: [{ expression: "object.x == 1" }] },
      "changed",
    ),
  );
  await eventually(async () => {
    expect((await call(api, "GET", `${POLICIES}/changed`)).at("status.observedGeneration")).toBe(1);
  });
  await done(
    api,
    "PATCH",
    `${POLICIES}/changed`,
    { spec: { validations: [{ expression: "object.kind == 'x'" }] } },
    "application/merge-patch+json",
  );
  await eventually(async () => {
    expect((await call(api, "GET", `${POLICIES}/changed`)).at("status")).toEqual({ observedGeneration: 2 });
  });
});
