import { describe, expect, test } from "vitest";
import {
  validateAdmissionPolicy,
  validateAdmissionPolicyStatusUpdate,
  validateAdmissionPolicyUpdate,
  validateMutatingAdmissionPolicy,
} from "../../../src/api/validation/admissionregistration/admission-policy.js";
import { validateMutatingAdmissionPolicyBinding } from "../../../src/api/validation/admissionregistration/admission-policy-binding.js";
import { type FieldError, formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
const matchConstraints = {
  resourceRules: [rule],
  matchPolicy: "Equivalent",
  namespaceSelector: {},
  objectSelector: {},
};
const common = { failurePolicy: "Fail", matchConstraints };

const validating = (spec: object): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingAdmissionPolicy",
  metadata: { name: "p.example.com" },
  spec: { ...common, ...spec },
});
const mutating = (spec: object): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "MutatingAdmissionPolicy",
  metadata: { name: "p.example.com" },
  spec: { ...common, reinvocationPolicy: "Never", ...spec },
});

const texts = (errors: readonly FieldError[]): string[] => errors.map(formatFieldError);
const params = { paramKind: { apiVersion: "v1", kind: "ConfigMap" } };
const checks = { validations: [{ expression: "true" }] };

const undeclared = (expression: string, name: string, at = 1): string =>
  `compilation failed: ERROR: <input>:1:${at}: undeclared reference to '${name}' (in container '')\n | ${expression}\n | ${".".repeat(at - 1)}^`;

describe("validation of a ValidatingAdmissionPolicy whose CEL expressions", () => {
  const EXPRESSION = "spec.validations[0].expression: Invalid value: ";
  const MESSAGE = "spec.validations[0].messageExpression: Invalid value: ";
  const ANNOTATION = "spec.auditAnnotations[0].valueExpression: Invalid value: ";
  const CONDITION = "spec.matchConditions[0].expression: Invalid value: ";
  const rows: readonly (readonly [what: string, spec: object, errors: readonly string[]])[] = [
    ["are right", { validations: [{ expression: "object.spec.replicas < 3" }] }, []],
    [
      "are no language",
      { validations: [{ expression: "object. x ==" }] },
      [
        `${EXPRESSION}"object. x ==": compilation failed: ERROR: <input>:1:13: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}\n | object. x ==\n | ............^`,
      ],
    ],
    [
      "are a text",
      { validations: [{ expression: "'a'" }] },
      [`${EXPRESSION}"'a'": must evaluate to bool but got string`],
    ],
    [
      "are of any type",
      { validations: [{ expression: "object.x" }] },
      [`${EXPRESSION}"object.x": must evaluate to bool but got dyn`],
    ],
    [
      "are a list",
      { validations: [{ expression: "[1]" }] },
      [`${EXPRESSION}"[1]": must evaluate to bool but got list(int)`],
    ],
    [
      "are null",
      { validations: [{ expression: "null" }] },
      [`${EXPRESSION}"null": must evaluate to bool but got null_type`],
    ],
    [
      "are a time",
      { validations: [{ expression: "timestamp('2020-01-01T00:00:00Z')" }] },
      [`${EXPRESSION}"timestamp('2020-01-01T00:00:00Z')": must evaluate to bool but got google.protobuf.Timestamp`],
    ],
    [
      "name what is not there",
      { validations: [{ expression: "objet == null" }] },
      [`${EXPRESSION}"objet == null": ${undeclared("objet == null", "objet")}`],
    ],
    [
      "name a field of the request that is not there",
      { validations: [{ expression: "request.user == 'x'" }] },
      [
        `${EXPRESSION}"request.user == 'x'": compilation failed: ERROR: <input>:1:8: undefined field 'user'\n | request.user == 'x'\n | .......^`,
      ],
    ],
    [
      "compare what cannot be compared",
      { validations: [{ expression: "request.name == 1" }] },
      [
        `${EXPRESSION}"request.name == 1": compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, int)'\n | request.name == 1\n | .............^`,
      ],
    ],
    [
      "use parameters that there are none of",
      { validations: [{ expression: "params == null" }] },
      [`${EXPRESSION}"params == null": ${undeclared("params == null", "params")}`],
    ],
    ["use parameters", { ...params, validations: [{ expression: "params.data.x == 'y'" }] }, []],
    [
      "use variables that there are none of",
      { validations: [{ expression: "variables.x" }] },
      [`${EXPRESSION}"variables.x": ${undeclared("variables.x", "variables")}`],
    ],
    [
      "use a variable",
      { variables: [{ name: "x", expression: "1" }], validations: [{ expression: "variables.x > 2" }] },
      [],
    ],
    [
      "use another variable",
      { variables: [{ name: "x", expression: "1" }], validations: [{ expression: "variables.y" }] },
      [
        `${EXPRESSION}"variables.y": compilation failed: ERROR: <input>:1:10: undefined field 'y'\n | variables.y\n | .........^`,
      ],
    ],
    [
      "use a variable as another type",
      { variables: [{ name: "x", expression: "'a'" }], validations: [{ expression: "variables.x > 2" }] },
      [
        `${EXPRESSION}"variables.x > 2": compilation failed: ERROR: <input>:1:13: found no matching overload for '_>_' applied to '(string, int)'\n | variables.x > 2\n | ............^`,
      ],
    ],
    [
      "use a list of a variable",
      {
        variables: [{ name: "x", expression: "[1, 2]" }],
        validations: [{ expression: "variables.x.exists(i, i == 'a')" }],
      },
      [
        `${EXPRESSION}"variables.x.exists(i, i == 'a')": compilation failed: ERROR: <input>:1:25: found no matching overload for '_==_' applied to '(int, string)'\n | variables.x.exists(i, i == 'a')\n | ........................^`,
      ],
    ],
    [
      "have a variable that is wrong, which counts as any type",
      { variables: [{ name: "x", expression: "y" }], validations: [{ expression: "variables.x > 2" }] },
      [`spec.variables[0].expression: Invalid value: "y": ${undeclared("y", "y")}`],
    ],
    [
      "have a variable of one that comes later",
      {
        variables: [
          { name: "a", expression: "variables.b" },
          { name: "b", expression: "1" },
        ],
        ...checks,
      },
      [
        `spec.variables[0].expression: Invalid value: "variables.b": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^`,
      ],
    ],
    [
      "have a variable that is an authorizer's answer",
      {
        variables: [{ name: "x", expression: "authorizer.path('/').check('get')" }],
        validations: [{ expression: "variables.x.allowed()" }],
      },
      [],
    ],
    [
      "make objects, as only mutating policies do",
      { validations: [{ expression: "Object{} == Object{}" }] },
      [
        `${EXPRESSION}"Object{} == Object{}": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{} == Object{}\n | ......^\nERROR: <input>:1:19: undeclared reference to 'Object' (in container '')\n | Object{} == Object{}\n | ..................^`,
      ],
    ],
    [
      "have a pattern that is none",
      { validations: [{ expression: "'a'.matches('[')" }] },
      [
        `${EXPRESSION}"'a'.matches('[')": compilation failed: ERROR: <input>:1:13: invalid matches argument\n | 'a'.matches('[')\n | ............^`,
      ],
    ],
    [
      "have a message that is a number",
      { validations: [{ expression: "true", messageExpression: "1" }] },
      [`${MESSAGE}"1": must evaluate to string but got int`],
    ],
    [
      "have a message that asks the authorizer",
      { validations: [{ expression: "true", messageExpression: "authorizer.path('/').check('get').reason()" }] },
      [
        `${MESSAGE}"authorizer.path('/').check('get').reason()": ${undeclared("authorizer.path('/').check('get').reason()", "authorizer")}`,
      ],
    ],
    [
      "have a message that is blank",
      { validations: [{ expression: "true", messageExpression: " " }] },
      [`${MESSAGE}" ": must be non-empty if specified`],
    ],
    [
      "have an annotation that is a number, shown with its spaces",
      { auditAnnotations: [{ key: "k", valueExpression: " 1 " }] },
      [`${ANNOTATION}" 1 ": must evaluate to one of [string null_type] but got int`],
    ],
    ["have an annotation that is null", { auditAnnotations: [{ key: "k", valueExpression: "null" }] }, []],
    [
      "have a condition that is a text",
      { matchConditions: [{ name: "c", expression: "'x'" }], ...checks },
      [`${CONDITION}"'x'": must evaluate to bool but got string`],
    ],
    [
      "have a condition with parameters",
      { ...params, matchConditions: [{ name: "c", expression: "params == null" }], ...checks },
      [],
    ],
    [
      "have a condition with parameters that there are none of",
      { matchConditions: [{ name: "c", expression: "params == null" }], ...checks },
      [`${CONDITION}"params == null": ${undeclared("params == null", "params")}`],
    ],
    [
      "have a condition with a variable, which conditions do not know when they are written",
      {
        variables: [{ name: "x", expression: "true" }],
        matchConditions: [{ name: "c", expression: "variables.x" }],
        ...checks,
      },
      [`${CONDITION}"variables.x": ${undeclared("variables.x", "variables")}`],
    ],
  ];
  test.each(rows)("%s", (_, spec, errors) => {
    expect(texts(validateAdmissionPolicy(validating(spec)))).toEqual(errors);
  });

  test("compiles the CEL expressions again in an update, except unchanged match conditions", () => {
    const old = validating({
      matchConditions: [{ name: "c", expression: "'x'" }],
      validations: [{ expression: "'y'" }],
    });
    expect(texts(validateAdmissionPolicyUpdate(old, old))).toEqual([
      `${EXPRESSION}"'y'": must evaluate to bool but got string`,
    ]);
  });
});

describe("validation of a ValidatingAdmissionPolicy's status, whose expression warning", () => {
  test.each<[string, string, readonly string[]]>([
    ["is right", "spec.validations[0].expression", []],
    ["names no field", " ", ["fieldRef: Required value"]],
    [
      "names what is no field",
      "spec.validations[",
      ['fieldRef: Invalid value: "spec.validations[": invalid JSONPath: unterminated array'],
    ],
  ])("%s", (_, fieldRef, errors) => {
    const expressionWarnings = [{ fieldRef, warning: "w" }];
    const policy = { ...validating(checks), status: { typeChecking: { expressionWarnings } } } as KubeObject;
    expect(texts(validateAdmissionPolicyStatusUpdate(policy))).toEqual(
      errors.map((one) => `status.typeChecking.expressionWarnings[0].${one}`),
    );
  });
});

describe("validation of a MutatingAdmissionPolicy whose CEL expressions", () => {
  const apply = (expression: string) => ({
    mutations: [{ patchType: "ApplyConfiguration", applyConfiguration: { expression } }],
  });
  const patch = (expression: string) => ({ mutations: [{ patchType: "JSONPatch", jsonPatch: { expression } }] });
  const APPLY = "spec.mutations[0].applyConfiguration.expression: Invalid value: ";
  const PATCH = "spec.mutations[0].jsonPatch.expression: Invalid value: ";
  const rows: readonly (readonly [what: string, spec: object, errors: readonly string[]])[] = [
    ["make an object", apply("Object{spec: Object.spec{replicas: 1}}"), []],
    ["make a patch", patch(`[JSONPatch{op: "add", path: "/x", value: 1}]`), []],
    [
      "make a map",
      apply(`{"spec": 1}`),
      [`${APPLY}"{\\"spec\\": 1}": must evaluate to Object but got map(string, int)`],
    ],
    [
      "make a part of an object",
      apply("Object.spec{}"),
      [`${APPLY}"Object.spec{}": must evaluate to Object but got Object.spec`],
    ],
    [
      "make one operation",
      patch(`JSONPatch{op: "add"}`),
      [`${PATCH}"JSONPatch{op: \\"add\\"}": must evaluate to list(JSONPatch) but got JSONPatch`],
    ],
    [
      "make an operation with a path that is a number",
      patch(`[JSONPatch{op: "add", path: 1}]`),
      [
        `${PATCH}"[JSONPatch{op: \\"add\\", path: 1}]": compilation failed: ERROR: <input>:1:27: expected type of field 'path' is 'string' but provided type is 'int'\n | [JSONPatch{op: "add", path: 1}]\n | ..........................^`,
      ],
    ],
    [
      "make an operation with a field that there is none of",
      patch(`[JSONPatch{opp: "add"}]`),
      [
        `${PATCH}"[JSONPatch{opp: \\"add\\"}]": compilation failed: ERROR: <input>:1:15: undefined field 'opp'\n | [JSONPatch{opp: "add"}]\n | ..............^`,
      ],
    ],
    ["are missing", apply("  "), ["spec.mutations[0].applyConfiguration.expression: Required value"]],
    [
      "use a variable",
      { variables: [{ name: "x", expression: "1" }], ...apply("Object{spec: Object.spec{replicas: variables.x}}") },
      [],
    ],
    [
      "use a variable that there is none of",
      apply("Object{x: variables.y}"),
      [
        `${APPLY}"Object{x: variables.y}": compilation failed: ERROR: <input>:1:20: undefined field 'y'\n | Object{x: variables.y}\n | ...................^`,
      ],
    ],
    [
      "are of the other form too",
      {
        mutations: [
          { patchType: "JSONPatch", jsonPatch: { expression: "[]" }, applyConfiguration: { expression: "Object{}" } },
        ],
      },
      [
        `${PATCH}"[]": must evaluate to list(JSONPatch) but got list(dyn)`,
        'spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch',
      ],
    ],
    [
      "are for deletions",
      {
        matchConstraints: { ...matchConstraints, resourceRules: [{ ...rule, operations: ["DELETE"] }] },
        ...apply("Object{}"),
      },
      [
        'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
      ],
    ],
  ];
  test.each(rows)("%s", (_, spec, errors) => {
    expect(texts(validateMutatingAdmissionPolicy(mutating(spec)))).toEqual(errors);
  });

  test("validation of a MutatingAdmissionPolicyBinding refuses the operation DELETE", () => {
    const resourceRules = [{ ...rule, operations: ["CREATE", "DELETE"] }];
    const binding = {
      metadata: { name: "b" },
      spec: { policyName: "p", matchResources: { ...matchConstraints, resourceRules } },
    };
    expect(texts(validateMutatingAdmissionPolicyBinding(binding as KubeObject))).toEqual([
      'spec.matchResources.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CONNECT", "CREATE", "UPDATE"',
    ]);
  });
});
