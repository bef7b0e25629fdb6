import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Authorizer } from "../../../../src/server/authz/authorizer.js";
import { builtinRecords } from "../../../../src/server/builtin/index.js";
import { openMemoryKv } from "../../../../src/server/storage/memory/memory-kv.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { configure, CONFIG_MAPS } from "../../../helpers/configured-webhooks.js";
import { allow, startWebhookServer, type WebhookServer } from "../../../helpers/webhook-server.js";

const MAPS = "/api/v1/namespaces/default/configmaps";

let server: AdmittingServer;
let hooks: WebhookServer;
let clientConfig: object;

/** Answers later, as one that asks another server does. */
const readersOnly: Authorizer = async ({ verb }) => {
  await new Promise((resolve) => setImmediate(resolve));
  if (verb === "explode") throw new Error("the authorizer is broken");
  return verb === "get" ? { decision: "allow", reason: "reading is free" } : { decision: "no-opinion" };
};

beforeAll(async () => {
  server = await admittingServer({}, openMemoryKv(), builtinRecords);
  hooks = await startWebhookServer();
  clientConfig = hooks.on("/hook", (given) => allow(given));
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
  await hooks[Symbol.asyncDispose]();
});

beforeEach(async () => {
  hooks.calls.length = 0;
  await call(server.api, "DELETE", MAPS);
});

/** "is called", "is not called", or the error. */
type Outcome = string;

/** Creates a config map while a webhook has these conditions. */
async function outcomeOf(expressions: readonly string[], fields: object = {}): Promise<Outcome> {
  const matchConditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }));
  await using _ = await configure(server.api, "validating", [{ clientConfig, matchConditions, ...fields }]);
  const body = { metadata: { name: "a", labels: { tier: "gold" } }, data: { a: "1" } };
  const { status, at } = await call(server.api, "POST", MAPS, body);
  if (status >= 300) return `${status} ${at("message") as string}`;
  return hooks.calls.length === 0 ? "is not called" : "is called";
}

const FORBIDDEN = '403 configmaps "a" is forbidden: ';
const MISSING = "expression 'object.spec == 1' resulted in error: no such key: spec";
const rows: readonly (readonly [when: string, expressions: readonly string[], outcome: Outcome])[] = [
  ["a condition is true", ["object.metadata.name == 'a'"], "is called"],
  ["a condition is false", ["object.metadata.name == 'b'"], "is not called"],
  ["all conditions are true", ["true", "object.data.a == '1'"], "is called"],
  ["one of several is false", ["true", "false", "true"], "is not called"],
  ["a condition fails", ["object.spec == 1"], `${FORBIDDEN}${MISSING}`],
  [
    "two conditions fail",
    ["object.spec == 1", "object.x == 2"],
    `${FORBIDDEN}[${MISSING}, expression 'object.x == 2' resulted in error: no such key: x]`,
  ],
  ["two conditions fail in the same way", ["object.spec == 1", "object.spec == 1"], `${FORBIDDEN}${MISSING}`],
  ["one fails and a later one is false", ["object.spec == 1", "false"], "is not called"],
  ["one is false and a later one fails", ["false", "object.spec == 1"], "is not called"],
  ["there is no old object", ["oldObject == null"], "is called"],
  ["the request is a create", ["request.operation == 'CREATE' && request.dryRun == false"], "is called"],
  ["the user has a name", ["request.userInfo.username == 'admin'"], "is called"],
  ["the user is in a group", ["'system:masters' in request.userInfo.groups"], "is called"],
  [
    "the resource is known",
    ["request.resource.resource == 'configmaps' && request.kind.kind == 'ConfigMap'"],
    "is called",
  ],
  ["the namespace's object is never there", ["namespaceObject == null"], "is called"],
  ["a label decides", ["object.metadata.?labels['tier'].orValue('') == 'gold'"], "is called"],
  [
    "there is no authorizer: all is allowed",
    ["authorizer.group('').resource('pods').check('list').allowed()"],
    "is called",
  ],
  ["it asks about the request's resource", ["authorizer.requestResource.check('create').allowed()"], "is called"],
  [
    "it costs too much",
    [
      "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))",
    ],
    `${FORBIDDEN}expression '[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a+b+c+d+e+f > 0))))))' resulted in error: operation cancelled: actual cost limit exceeded`,
  ],
];

describe("an admission webhook with match conditions", () => {
  test.each(rows)("when %s: %s", async (_, expressions, outcome) => {
    expect(await outcomeOf(expressions)).toBe(outcome);
  });

  test("that fail is not called with failure policy Ignore", async () => {
    expect(await outcomeOf(["object.spec == 1"], { failurePolicy: "Ignore" })).toBe("is not called");
  });

  test("sees the object in the version that its rules name", async () => {
    const rule = { ...CONFIG_MAPS, apiGroups: ["autoscaling"], apiVersions: ["v1"], resources: ["*"] };
    const expression =
      "object.apiVersion == 'autoscaling/v1' && object.spec.targetCPUUtilizationPercentage == 80 && request.kind.version == 'v1' && request.resource.version == 'v2' && request.requestKind.version == 'v2'";
    const fields = { clientConfig, rules: [rule], matchConditions: [{ name: "v1", expression }] };
    await using _ = await configure(server.api, "validating", [fields]);
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
    const spec = { scaleTargetRef: { kind: "Deployment", name: "app" }, maxReplicas: 3, metrics };
    const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
    const answer = await call(server.api, "POST", path, { metadata: { name: "s" }, spec });
    expect([answer.status, hooks.calls.length]).toEqual([201, 1]);
  });

  // The user of the test may do everything; the service account may read.
  const robot = "authorizer.serviceAccount('default', 'robot')";
  test.each([
    [`${robot}.group('').resource('pods').namespace('default').check('get').allowed()`, "is called"],
    [`${robot}.group('').resource('pods').check('delete').allowed()`, "is not called"],
    ["authorizer.group('').resource('pods').check('delete').allowed()", "is called"],
    ["authorizer.requestResource.check('create').allowed()", "is called"],
    [`${robot}.path('/healthz').check('get').reason() == 'reading is free'`, "is called"],
    [`${robot}.path('/a').check('put').allowed() || ${robot}.path('/b').check('get').allowed()`, "is called"],
    [`${robot}.path('/x').check('explode').error() == 'the authorizer is broken'`, "is called"],
    [`${robot}.path('/x').check('explode').errored()`, "is called"],
  ])("asks the server's authorizer, which may answer later: %s", async (expression, outcome) => {
    await using guarded = await admittingServer({}, openMemoryKv(), builtinRecords, { authorizers: [readersOnly] });
    const matchConditions = [{ name: "asked", expression }];
    await using _ = await configure(guarded.api, "validating", [{ clientConfig, matchConditions }]);
    const { status } = await call(guarded.api, "POST", MAPS, { metadata: { name: "a" } });
    expect([status, hooks.calls.length === 0 ? "is not called" : "is called"]).toEqual([201, outcome]);
  });
});

describe("a webhook configuration's match conditions are validated:", () => {
  const path = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
  const AT = "webhooks[0].matchConditions[0].expression: Invalid value: ";

  test.each([
    [
      "1 +",
      `${AT}"1 +": compilation failed: ERROR: <input>:1:4: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | 1 +\n | ...^`,
    ],
    ["object.metadata.name", `${AT}"object.metadata.name": must evaluate to bool but got dyn`],
    ["'a'", `${AT}"'a'": must evaluate to bool but got string`],
    [
      "params == null",
      `${AT}"params == null": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params == null\n | ^`,
    ],
    [
      "variables.x",
      `${AT}"variables.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x\n | ^`,
    ],
    [
      "request.object == null",
      `${AT}"request.object == null": compilation failed: ERROR: <input>:1:8: undefined field 'object'\n | request.object == null\n | .......^`,
    ],
  ])("%j", async (expression, message) => {
    const webhooks = [
      {
        name: "one.webhook.test",
        rules: [CONFIG_MAPS],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        clientConfig,
        matchConditions: [{ name: "c", expression }],
      },
    ];
    const { status, at } = await call(server.api, "POST", path, { metadata: { name: "wrong" }, webhooks });
    const prefix = 'ValidatingWebhookConfiguration.admissionregistration.k8s.io "wrong" is invalid: ';
    expect([status, at("message")]).toEqual([422, prefix + message]);
  });
});
