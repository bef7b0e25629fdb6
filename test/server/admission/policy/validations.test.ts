import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ApiRequest } from "../../../../src/server/request/api-request.js";
import { admittingServer, type AdmittingServer, done } from "../../../helpers/admitting-server.js";
import { type Answer, call } from "../../../helpers/api-caller.js";
import { bindingWith, enforce, validatingPolicy } from "../../../helpers/policies.js";

const MAPS = "/api/v1/namespaces/default/configmaps";
const MERGE = { type: "application/merge-patch+json" };

let server: AdmittingServer;

beforeAll(async () => {
  server = await admittingServer({});
  await done(server.api, "PATCH", "/api/v1/namespaces/default", { metadata: { labels: { team: "red" } } }, MERGE.type);
});

afterAll(async () => {
  expect(server.faults).toEqual([]);
  await server[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await call(server.api, "DELETE", MAPS);
});

const BY = `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'policy' with binding 'binding' denied request: `;

/** Creates a config map under a policy with one binding. */
async function create(spec: object, binding: object = {}, query = ""): Promise<Answer> {
  await using _ = await enforce(
    server.api,
    "validating",
    [validatingPolicy(spec)],
    [bindingWith("validating", binding)],
  );
  const metadata = { name: "a", labels: { tier: "gold" } };
  return call(server.api, "POST", MAPS + query, { metadata, data: { size: "3", name: "web" } });
}

/** The last request of a config map. */
function lastWrite(): ApiRequest {
  const found = server.requests.findLast(({ info }) => info.resource === "configmaps");
  if (found === undefined) throw new Error("no config map was written");
  return found;
}

/** Loops in loops, 10 times each: what it costs grows by 10 with a level. */
const deep = (levels: number): string =>
  Array.from({ length: levels }, (_, level) => `[1,2,3,4,5,6,7,8,9,10].all(v${level}, `).join("") +
  "true" +
  ")".repeat(levels);

describe("the expression of a validating admission policy", () => {
  test.each([
    "true",
    "object.metadata.name == 'a'",
    "oldObject == null",
    "int(object.data.size) < 4",
    "object.kind == 'ConfigMap' && object.apiVersion == 'v1'",
    "object.data.exists(k, k == 'size')",
    "has(object.data) && !has(object.binaryData)",
    "object.metadata.?annotations['x'].orValue('none') == 'none'",
    "request.operation == 'CREATE'",
    "request.name == 'a' && request.namespace == 'default'",
    "request.resource.resource == 'configmaps' && request.resource.group == '' && request.resource.version == 'v1'",
    "request.kind.kind == 'ConfigMap' && request.requestKind == request.kind && request.requestResource == request.resource",
    "!has(request.subResource)",
    "request.userInfo.username == 'admin' && 'system:authenticated' in request.userInfo.groups",
    "request.dryRun == false",
    "request.options.kind == 'CreateOptions' && request.options.apiVersion == 'meta.k8s.io/v1'",
    "namespaceObject.metadata.name == 'default' && namespaceObject.metadata.labels.team == 'red'",
    "namespaceObject.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
    "namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers == ['kubernetes']",
    "authorizer.group('apps').resource('deployments').namespace('x').check('create').allowed()",
    "authorizer.requestResource.check('create').allowed()",
    "quantity('1Gi').isGreaterThan(quantity('100Mi'))",
    "isURL('https://example.com') && url('https://example.com/x').getEscapedPath() == '/x'",
    "ip('10.0.0.1').family() == 4 && cidr('10.0.0.0/8').containsIP('10.1.2.3')",
    "object.data.name.find('[a-z]+') == 'web'",
    "object.data.transformMap(k, v, k + v).size() == 2",
    "'a,b'.split(',') == ['a', 'b'] && [3, 1, 2].sort() == [1, 2, 3]",
    "!format.dns1123Label().validate(object.metadata.name).hasValue()",
  ])("accepts the request when true: %s", async (expression) => {
    const { status, text } = await create({ validations: [{ expression }] });
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
  });

  const NO_KEY = "resulted in error: no such key: ";
  type Row = readonly [what: string, spec: object, message: string, code?: number, reason?: string];
  const refusals: readonly Row[] = [
    ["is false", { validations: [{ expression: "false" }] }, "failed expression: false"],
    ["has spaces around it", { validations: [{ expression: "  1 == 2 " }] }, "failed expression: 1 == 2"],
    ["has a message", { validations: [{ expression: "false", message: " no more " }] }, "no more"],
    [
      "has a message expression",
      { validations: [{ expression: "false", messageExpression: "'size ' + object.data.size" }] },
      "size 3",
    ],
    [
      "has both messages",
      { validations: [{ expression: "false", message: "static", messageExpression: "'made'" }] },
      "made",
    ],
    [
      "has a message expression that fails",
      { validations: [{ expression: "false", message: "static", messageExpression: "string(object.x)" }] },
      "static",
    ],
    [
      "has a message expression that is blank",
      { validations: [{ expression: "false", messageExpression: "'  '" }] },
      "failed expression: false",
    ],
    [
      "has a message of two lines",
      { validations: [{ expression: "false", messageExpression: String.raw`'a\nb'` }] },
      "failed expression: false",
    ],
    [
      "has a message that is too long",
      { validations: [{ expression: "false", messageExpression: `'${"x".repeat(5121)}'` }] },
      "failed expression: false",
    ],
    [
      "has the reason Invalid",
      { validations: [{ expression: "false", reason: "Invalid" }] },
      "failed expression: false",
    ],
    [
      "has the reason Forbidden",
      { validations: [{ expression: "false", reason: "Forbidden" }] },
      "failed expression: false",
      403,
      "Forbidden",
    ],
    [
      "has the reason RequestEntityTooLarge",
      { validations: [{ expression: "false", reason: "RequestEntityTooLarge" }] },
      "failed expression: false",
      413,
      "RequestEntityTooLarge",
    ],
    [
      "is the second of three",
      { validations: [{ expression: "true" }, { expression: "1 > 2" }, { expression: "2 > 3" }] },
      "failed expression: 1 > 2",
    ],
    ["fails", { validations: [{ expression: "object.spec.x == 1" }] }, `expression 'object.spec.x == 1' ${NO_KEY}spec`],
    [
      "reads a number where there is a text",
      { validations: [{ expression: "object.data.size < 4" }] },
      "expression 'object.data.size < 4' resulted in error: no such overload",
    ],
    [
      "costs more than an expression may",
      { validations: [{ expression: deep(6) }] },
      `expression '${deep(6)}' resulted in error: operation cancelled: actual cost limit exceeded`,
    ],
    [
      "costs more than all may together",
      { validations: Array.from({ length: 15 }, () => ({ expression: `${deep(5)} && ${deep(5)}` })) },
      "validation failed due to running out of cost budget, no further validation rules will be run",
    ],
    [
      "leaves too little for the messages",
      {
        validations: Array.from({ length: 14 }, () => ({
          expression: `!(${deep(5)} && ${deep(5)})`,
          messageExpression: `${deep(5)} ? 'a' : 'b'`,
        })),
      },
      "failed messageExpression: validation failed due to running out of cost budget, no further validation rules will be run",
    ],
    [
      "reads a variable",
      {
        variables: [{ name: "size", expression: "int(object.data.size)" }],
        validations: [{ expression: "variables.size > 3", messageExpression: "'is ' + string(variables.size)" }],
      },
      "is 3",
    ],
    [
      "reads variables of variables",
      {
        variables: [
          { name: "data", expression: "object.data" },
          { name: "keys", expression: "variables.data.map(k, k)" },
          { name: "sorted", expression: "variables.keys.sort()" },
        ],
        validations: [{ expression: "false", messageExpression: "variables.sorted.join(' ')" }],
      },
      "name size",
    ],
    [
      "reads a variable that fails",
      {
        variables: [{ name: "bad", expression: "object.spec" }],
        validations: [{ expression: "variables.bad == 1" }],
      },
      `expression 'variables.bad == 1' resulted in error: composited variable "bad" fails to evaluate: no such key: spec`,
    ],
    [
      "reads a variable of a variable that fails",
      {
        variables: [
          { name: "bad", expression: "object.spec" },
          { name: "worse", expression: "variables.bad.x" },
        ],
        validations: [{ expression: "variables.worse == 1" }],
      },
      `expression 'variables.worse == 1' resulted in error: composited variable "worse" fails to evaluate: composited variable "bad" fails to evaluate: no such key: spec`,
    ],
    [
      "reads a variable that costs too much",
      {
        variables: [{ name: "dear", expression: deep(6) }],
        validations: [{ expression: "variables.dear" }],
      },
      `expression 'variables.dear' resulted in error: composited variable "dear" fails to evaluate: operation cancelled: actual cost limit exceeded`,
    ],
    [
      "has a match condition that fails",
      { matchConditions: [{ name: "c", expression: "object.spec == 1" }], validations: [{ expression: "true" }] },
      `expression 'object.spec == 1' ${NO_KEY}spec`,
    ],
  ];
  const rows = refusals.map(
    ([what, spec, message, code = 422, reason = "Invalid"]) => [what, spec, message, code, reason] as const,
  );
  test.each(rows)("that %s refuses the request", async (_, spec, message, code, reason) => {
    const { status, at } = await create(spec);
    expect([status, at("reason"), at("message")]).toEqual([code, reason, BY + message]);
    expect(at("details")).toEqual({
      name: "a",
      kind: "configmaps",
      causes: [{ message: (BY + message).replace('configmaps "a" is forbidden: ', "") }],
    });
  });

  test("may be a variable that no expression reads, which costs nothing and cannot fail", async () => {
    const variables = [{ name: "bad", expression: "object.spec" }];
    expect((await create({ variables, validations: [{ expression: "true || variables.bad" }] })).status).toBe(201);
  });
});

describe("a validating admission policy with failurePolicy Ignore", () => {
  const failurePolicy = "Ignore";
  test.each<[string, object]>([
    ["an expression fails", { validations: [{ expression: "object.spec.x == 1" }] }],
    ["an expression costs too much", { validations: [{ expression: deep(6) }] }],
    [
      "a match condition fails",
      { matchConditions: [{ name: "c", expression: "object.spec == 1" }], validations: [{ expression: "false" }] },
    ],
    [
      "the kind of its parameters is not served",
      { paramKind: { apiVersion: "x.io/v1", kind: "X" }, validations: [{ expression: "false" }] },
    ],
    ["an audit annotation fails", { auditAnnotations: [{ key: "k", valueExpression: "string(object.spec)" }] }],
  ])("accepts the request when %s", async (_, spec) => {
    expect((await create({ failurePolicy, ...spec })).status).toBe(201);
  });

  test("refuses the request when an expression is false", async () => {
    const { at } = await create({
      failurePolicy,
      validations: [{ expression: "false" }],
    });
    expect(at("message")).toBe(`${BY}failed expression: false`);
  });
});

describe("match conditions of a validating admission policy", () => {
  test.each<[string, readonly string[], number]>([
    ["are all true", ["true", "object.data.size == '3'"], 422],
    ["are not all true", ["true", "object.data.size == '4'"], 201],
    ["fail, and one is false", ["object.spec == 1", "false"], 201],
    ["see no namespace", ["namespaceObject == null"], 422],
    ["ask the authorizer", ["!authorizer.requestResource.check('create').allowed()"], 201],
  ])("that %s", async (_, expressions, code) => {
    const matchConditions = expressions.map((expression, index) => ({ name: `c${index}`, expression }));
    const { status } = await create({ matchConditions, validations: [{ expression: "false" }] });
    expect(status).toBe(code);
  });
});

describe("the validationActions of an admission policy binding", () => {
  const validations = [{ expression: "true" }, { expression: "false", message: "no <b>" }, { expression: "1 > 2" }];
  const WARNED = "Validation failed for ValidatingAdmissionPolicy 'policy' with binding 'binding': ";

  test("Warn sends a warning for each failed validation", async () => {
    const { status, headers } = await create({ validations }, { validationActions: ["Warn"] });
    expect(status).toBe(201);
    expect(headers["warning"]).toEqual([`299 - "${WARNED}no <b>"`, `299 - "${WARNED}failed expression: 1 > 2"`]);
  });

  test("K37-105: Audit adds one annotation with all failed validations", async () => {
    const { status } = await create({ validations }, { validationActions: ["Audit"] });
    const { annotations } = lastWrite();
    expect(status).toBe(201);
    expect(Object.fromEntries(annotations.entries())).toEqual({
      "validation.policy.admission.k8s.io/validation_failure": String.raw`[{"message":"no \u003cb\u003e","policy":"policy","binding":"binding","expressionIndex":1,"validationActions":["Audit"]},{"message":"failed expression: 1 \u003e 2","policy":"policy","binding":"binding","expressionIndex":2,"validationActions":["Audit"]}]`,
    });
  });

  test("Deny and Audit do both", async () => {
    const { at } = await create({ validations }, { validationActions: ["Deny", "Audit"] });
    const { annotations } = lastWrite();
    expect([at("message"), Object.fromEntries(annotations.entries())]).toEqual([
      `${BY}no <b>`,
      {
        "validation.policy.admission.k8s.io/validation_failure": String.raw`[{"message":"no \u003cb\u003e","policy":"policy","binding":"binding","expressionIndex":1,"validationActions":["Deny","Audit"]},{"message":"failed expression: 1 \u003e 2","policy":"policy","binding":"binding","expressionIndex":2,"validationActions":["Deny","Audit"]}]`,
      },
    ]);
  });
});

describe("audit annotations of a validating admission policy", () => {
  const rows: readonly (readonly [what: string, expression: string, value: string | undefined])[] = [
    ["a text", "'size ' + object.data.size", "size 3"],
    ["a text with spaces around it", "'  x '", "x"],
    ["null", "null", undefined],
    ["a blank text", "' '", undefined],
    ["a text that is too long", `'${"é".repeat(2000)}' + '${"x".repeat(20)}'`, "é".repeat(2000) + "x".repeat(20)],
  ];
  test.each(rows)("%s", async (_, valueExpression, value) => {
    const { status } = await create({ auditAnnotations: [{ key: "key", valueExpression }] });
    const { annotations } = lastWrite();
    expect([status, Object.fromEntries(annotations.entries())]).toEqual([
      201,
      value === undefined ? {} : { "policy/key": value },
    ]);
  });

  test("whose expression fails refuse the request", async () => {
    const { status, at } = await create({ auditAnnotations: [{ key: "k", valueExpression: "string(object.spec)" }] });
    expect([status, at("message")]).toEqual([
      422,
      `${BY}expression 'string(object.spec)' resulted in error: no such key: spec`,
    ]);
  });

  test("of two bindings with different parameters are one, with both values", async () => {
    await done(server.api, "POST", MAPS, { metadata: { name: "p1" }, data: { v: "one" } });
    await done(server.api, "POST", MAPS, { metadata: { name: "p2" }, data: { v: "two" } });
    const paramRef = (name: string) => ({ paramRef: { name, parameterNotFoundAction: "Deny" } });
    const policy = {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      auditAnnotations: [
        { key: "value", valueExpression: "string(params.data.v)" },
        { key: "same", valueExpression: "'same'" },
      ],
    };
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy(policy)],
      [bindingWith("validating", paramRef("p1"), "b1"), bindingWith("validating", paramRef("p2"), "b2")],
    );
    await done(server.api, "POST", MAPS, { metadata: { name: "a" } });
    const { annotations } = lastWrite();
    expect(Object.fromEntries(annotations.entries())).toEqual({ "policy/value": "one, two", "policy/same": "same" });
  });
});

describe("the objects that expressions of an admission policy see", () => {
  test("of an update are the new and the old one", async () => {
    await done(server.api, "POST", MAPS, { metadata: { name: "a" }, data: { size: "1" } });
    const expression = "int(object.data.size) >= int(oldObject.data.size)";
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ validations: [{ expression, message: "never shrink" }] })],
      [bindingWith("validating")],
    );
    const grow = await call(server.api, "PATCH", `${MAPS}/a`, { data: { size: "2" } }, MERGE);
    const shrink = await call(server.api, "PATCH", `${MAPS}/a`, { data: { size: "0" } }, MERGE);
    expect([grow.status, shrink.status, shrink.at("message")]).toEqual([200, 422, `${BY}never shrink`]);
  });

  test("of a deletion are the old one and null", async () => {
    await done(server.api, "POST", MAPS, { metadata: { name: "a", labels: { keep: "yes" } } });
    const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["configmaps"] };
    const expression = "object != null || oldObject.metadata.?labels['keep'].orValue('') != 'yes'";
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] })],
      [bindingWith("validating")],
    );
    const { status, at } = await call(server.api, "DELETE", `${MAPS}/a`);
    expect([status, at("message")]).toEqual([422, `${BY}failed expression: ${expression}`]);
  });

  test("have their defaults, and the empty structs that Go writes", async () => {
    const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] };
    const expression = [
      "object.spec.replicas == 1",
      "object.spec.template.spec.containers[0].resources == {}",
      "has(object.status)",
      "object.spec.strategy.rollingUpdate.maxSurge == '25%'",
      "object.spec.template.spec.terminationGracePeriodSeconds == 30",
      "has(object.metadata.uid) && object.metadata.generation == 1",
    ].join(" && ");
    await using _ = await enforce(
      server.api,
      "validating",
      [validatingPolicy({ matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] })],
      [bindingWith("validating")],
    );
    const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
    const path = "/apis/apps/v1/namespaces/default/deployments?dryRun=All";
    const spec = { selector: { matchLabels: { a: "b" } }, template };
    const { status, text } = await call(server.api, "POST", path, { metadata: { name: "app" }, spec });
    expect([status, status === 201 ? "" : text]).toEqual([201, ""]);
  });
});
