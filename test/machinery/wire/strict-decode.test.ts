import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { decodeTyped } from "../../../src/machinery/wire/decode-typed.js";
import { encodeObjectText } from "../../../src/machinery/wire/encode.js";
import { isStatusError } from "../../../src/machinery/errors/status-error.js";
import { applyDefaults } from "../../../src/machinery/schema/defaults.js";

const apps = (kind: string) => ({ group: "apps", version: "v1", kind });
const core = (kind: string) => ({ group: "", version: "v1", kind });

function decode(text: string, expected = apps("Deployment"), mode: "Ignore" | "Warn" | "Strict" = "Strict") {
  return decodeTyped(new TextEncoder().encode(text), { expected, schemaOf: schemaFor, mode });
}

function refusal(text: string, expected = apps("Deployment")): string {
  try {
    decode(text, expected);
  } catch (error) {
    if (isStatusError(error) && error.reason === "BadRequest") return error.message;
    throw error;
  }
  return "accepted";
}

const deployment = (spec: string): string => `{"apiVersion":"apps/v1","kind":"Deployment","spec":${spec}}`;
const cannot = 'Deployment in version "v1" cannot be handled as a Deployment: ';

describe("a request body of the wrong form is refused as kube-apiserver does", () => {
  test.each([
    [
      "a string for a number",
      deployment('{"replicas":"3"}'),
      "json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "a number too large for int32",
      deployment('{"replicas":5000000000}'),
      "json: cannot unmarshal number 5000000000 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "a fraction for an integer",
      deployment('{"replicas":1.5}'),
      "json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32",
    ],
    [
      "an object for a list",
      deployment('{"template":{"spec":{"containers":{}}}}'),
      "json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container",
    ],
    [
      "a list for an object",
      deployment('{"template":[]}'),
      "json: cannot unmarshal array into Go struct field DeploymentSpec.spec.template of type v1.PodTemplateSpec",
    ],
    [
      "a number for a label",
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"a":1}}}',
      "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string",
    ],
    [
      "a number for a named string",
      deployment('{"template":{"spec":{"containers":[{"ports":[{"protocol":6}]}]}}}'),
      "json: cannot unmarshal number into Go struct field ContainerPort.spec.template.spec.containers.ports.protocol of type v1.Protocol",
    ],
    [
      "a string for a resource list",
      deployment('{"template":{"spec":{"containers":[{"resources":{"limits":"1"}}]}}}'),
      "json: cannot unmarshal string into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList",
    ],
    [
      "a bool for an int-or-string",
      deployment('{"strategy":{"rollingUpdate":{"maxSurge":true}}}'),
      "json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32",
    ],
    [
      "a quantity that is none",
      deployment('{"template":{"spec":{"containers":[{"resources":{"limits":{"cpu":"1x"}}}]}}}'),
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    ],
    [
      "a time that is none",
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"creationTimestamp":"yesterday"}}',
      'parsing time "yesterday" as "2006-01-02T15:04:05Z07:00": cannot parse "yesterday" as "2006"',
    ],
    [
      "a month that is none",
      '{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"creationTimestamp":"2020-13-01T00:00:00Z"}}',
      'parsing time "2020-13-01T00:00:00Z": month out of range',
    ],
    [
      "unknown and repeated fields",
      deployment(
        '{"replicas":1,"foo":1,"template":{"spec":{"containers":[{"name":"a"},{"bar":{"baz":1}}]}},"replicas":2}',
      ),
      'strict decoding error: unknown field "spec.foo", unknown field "spec.template.spec.containers[1].bar", duplicate field "spec.replicas"',
    ],
    ["a kind nobody knows", '{"apiVersion":"apps/v1","kind":"Foo"}', ""],
  ])("%s", (_name, text, message) => {
    if (message !== "") expect(refusal(text)).toBe(cannot + message);
    else {
      expect(refusal(text)).toBe(
        'Foo in version "v1" cannot be handled as a Deployment: no kind "Foo" is registered for version "apps/v1" in scheme "pkg/api/legacyscheme/scheme.go:30"',
      );
    }
  });

  test("for text that is not JSON, with the start of the body", () => {
    expect(refusal("{")).toBe(
      "the object provided is unrecognized (must be of type Deployment): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    );
    expect(refusal("nonsense")).toMatch(/looking for|literal null .*\(6e6f6e73656e7365\)$/);
  });

  test("for invalid base64", () => {
    const secret = '{"apiVersion":"v1","kind":"Secret","data":{"a":"not base64"}}';
    expect(refusal(secret, core("Secret"))).toBe(
      'Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 3',
    );
  });
});

describe("a request body that is accepted", () => {
  test("is decoded as Go would encode it again: without nulls and empty values, with zero structs and canonical scalars", () => {
    const { object, schema } =
      decode(`{"metadata":{"name":"a","labels":null,"annotations":{},"creationTimestamp":"2020-01-01T01:00:00.5+01:00"},
      "spec":{"paused":false,"replicas":0,"selector":null,"template":{"spec":{"containers":[{"name":"b","resources":{"limits":{"memory":"1024Mi","cpu":0.5}}}]}}}}`);
    expect(encodeObjectText(object, schema)).toBe(
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a","creationTimestamp":"2020-01-01T00:00:00Z"},' +
        '"spec":{"replicas":0,"selector":null,"template":{"metadata":{},"spec":{"containers":[{"name":"b",' +
        '"resources":{"limits":{"cpu":"500m","memory":"1Gi"}}}]}},"strategy":{}},"status":{}}',
    );
  });

  test("loses unknown fields, with a warning only when asked for", () => {
    const { object, warnings } = decode(deployment('{"foo":1,"replicas":2}'), apps("Deployment"), "Warn");
    expect(object).toEqual({ apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 2 } });
    expect(warnings).toEqual(['unknown field "spec.foo"']);
  });

  test("keeps free-form values as they are", () => {
    const text =
      '{"apiVersion":"apps/v1","kind":"ControllerRevision","data":{"z":{"a":null,"b":9007199254740993}},"revision":1}';
    const { object, schema, warnings } = decode(text, apps("ControllerRevision"));
    expect(warnings).toEqual([]);
    expect(encodeObjectText(object, schema)).toBe(
      '{"kind":"ControllerRevision","apiVersion":"apps/v1","metadata":{},"data":{"z":{"a":null,"b":9007199254740993}},"revision":1}',
    );
  });

  test("has required lists and null entries as Go writes them", () => {
    const role = { group: "rbac.authorization.k8s.io", version: "v1", kind: "Role" };
    const { object, schema } = decode('{"rules":null}', role);
    expect(encodeObjectText(object, schema)).toBe(
      '{"kind":"Role","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{},"rules":null}',
    );
    const map = decode('{"data":{"b":"<x>","a":null}}', core("ConfigMap"));
    expect(encodeObjectText(map.object, map.schema)).toBe(
      '{"kind":"ConfigMap","apiVersion":"v1","metadata":{},"data":{"a":"","b":"\\u003cx\\u003e"}}',
    );
  });

  test("may nest a recursive type deeply, but not deeper than the stack", () => {
    const crd = { group: "apiextensions.k8s.io", version: "v1", kind: "CustomResourceDefinition" };
    const nested = (depth: number): string =>
      `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${'{"not":'.repeat(depth)}{}${"}".repeat(depth)}}}]}}`;
    expect(decode(nested(200), crd).warnings).toEqual([]);
    expect(refusal(nested(5_000), crd)).toContain("exceeded max depth");
  });
});

test("static default values fill missing fields whose struct is present", () => {
  const { object, schema } = decode(
    deployment('{"template":{"spec":{"containers":[{"ports":[{"containerPort":1},{"protocol":"UDP"}]}]}}}'),
  );
  applyDefaults(object, schema);
  expect(object["spec"]).toEqual({
    template: { spec: { containers: [{ ports: [{ containerPort: 1, protocol: "TCP" }, { protocol: "UDP" }] }] } },
  });
});
