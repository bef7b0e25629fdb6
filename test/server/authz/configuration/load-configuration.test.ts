import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  decodeConfiguration,
  loadConfiguration,
} from "../../../../src/server/authz/configuration/load-configuration.js";

let folder: string;
let kubeconfig: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "authz-config-"));
  kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, "");
});
afterAll(() => rmSync(folder, { recursive: true }));

const header = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthorizationConfiguration" };
const NODE = { type: "Node", name: "node" };
const RBAC = { type: "RBAC", name: "rbac" };

const webhook = (more: object = {}): object => ({
  timeout: "3s",
  subjectAccessReviewVersion: "v1",
  failurePolicy: "Deny",
  connectionInfo: { type: "KubeConfigFile", kubeConfigFile: kubeconfig },
  ...more,
});
const hook = (more: object = {}, name = "hook"): object => ({ type: "Webhook", name, webhook: webhook(more) });
const bytesOf = (authorizers: unknown, more: object = {}): Uint8Array =>
  Buffer.from(JSON.stringify({ ...header, ...more, authorizers }));
const load = (authorizers: unknown) => loadConfiguration(bytesOf(authorizers));

describe("an AuthorizationConfiguration", () => {
  test.each(["v1", "v1beta1", "v1alpha1"])("of version %s gets its default values", (version) => {
    const bytes = bytesOf([NODE, hook(), RBAC], { apiVersion: `apiserver.config.k8s.io/${version}` });
    expect(loadConfiguration(bytes).authorizers).toEqual([
      { type: "Node", name: "node", webhook: undefined },
      {
        type: "Webhook",
        name: "hook",
        webhook: {
          authorizedTtl: 300_000,
          cacheAuthorizedRequests: true,
          unauthorizedTtl: 30_000,
          cacheUnauthorizedRequests: true,
          timeout: 3000,
          subjectAccessReviewVersion: "v1",
          matchConditionSubjectAccessReviewVersion: "",
          failurePolicy: "Deny",
          connectionInfo: { type: "KubeConfigFile", kubeConfigFile: kubeconfig },
          matchConditions: [],
        },
      },
      { type: "RBAC", name: "rbac", webhook: undefined },
    ]);
  });

  test("may have every field", () => {
    const all = {
      authorizedTTL: "1m30s",
      cacheAuthorizedRequests: false,
      unauthorizedTTL: "500ms",
      cacheUnauthorizedRequests: false,
      timeout: "30s",
      subjectAccessReviewVersion: "v1beta1",
      matchConditionSubjectAccessReviewVersion: "v1",
      failurePolicy: "NoOpinion",
      matchConditions: [{ expression: "has(request.resourceAttributes)" }, { expression: "request.user != 'x'" }],
    };
    expect(load([hook(all)]).authorizers[0]?.webhook).toMatchObject({
      authorizedTtl: 90_000,
      cacheAuthorizedRequests: false,
      unauthorizedTtl: 500,
      cacheUnauthorizedRequests: false,
      timeout: 30_000,
      matchConditions: [{ expression: "has(request.resourceAttributes)" }, { expression: "request.user != 'x'" }],
    });
  });

  test("may be YAML or JSON", () => {
    const text =
      "# authorizers\napiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- {type: RBAC, name: rbac}\n";
    expect(loadConfiguration(Buffer.from(text)).authorizers).toMatchObject([{ type: "RBAC" }]);
  });

  test("may have several webhooks, and one of each other type", () => {
    const types = ["ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC"];
    const authorizers = [...types.map((type) => ({ type, name: type.toLowerCase() })), hook(), hook({}, "other.hook")];
    expect(load(authorizers).authorizers).toHaveLength(7);
  });
});

describe("an AuthorizationConfiguration that cannot be decoded", () => {
  const rows: readonly (readonly [name: string, text: string, message: string])[] = [
    [
      "is half written",
      '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"Autho',
      "couldn't get version/kind; json parse error: unexpected end of JSON input",
    ],
    ["is no YAML", "a: [b", "yaml: line 1: did not find expected ',' or ']'"],
    [
      "is a list",
      "- a\n",
      "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type",
    ],
    [
      "is a text",
      "hello\n",
      "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type",
    ],
    [
      "has no kind",
      "apiVersion: apiserver.config.k8s.io/v1\n",
      "Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1\n'",
    ],
    [
      "has no apiVersion",
      "kind: AuthorizationConfiguration\n",
      "Object 'apiVersion' is missing in 'kind: AuthorizationConfiguration\n'",
    ],
    ["has white space alone", "\n  \n", "Object 'Kind' is missing in '\n  \n'"],
    [
      "is of an unknown version",
      JSON.stringify({ ...header, apiVersion: "apiserver.config.k8s.io/v2" }),
      'no kind "AuthorizationConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme',
    ],
    [
      "is of another group",
      JSON.stringify({ ...header, apiVersion: "example.com/v1" }),
      'no kind "AuthorizationConfiguration" is registered for version "example.com/v1" in scheme',
    ],
    [
      "is of another kind",
      JSON.stringify({ ...header, kind: "Pod" }),
      'no kind "Pod" is registered for version "apiserver.config.k8s.io/v1" in scheme',
    ],
    [
      "has an unknown field",
      JSON.stringify({ ...header, authorizer: [] }),
      'strict decoding error: unknown field "authorizer"',
    ],
    [
      "has an unknown field in an authorizer",
      JSON.stringify({ ...header, authorizers: [{ ...RBAC, rules: [] }] }),
      'strict decoding error: unknown field "authorizers[0].rules"',
    ],
    [
      "has an unknown field in a webhook",
      JSON.stringify({ ...header, authorizers: [{ type: "Webhook", name: "a", webhook: { url: "x" } }] }),
      'strict decoding error: unknown field "authorizers[0].webhook.url"',
    ],
    [
      "has a field twice",
      "apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n- type: RBAC\n  type: Node\n  name: a\n",
      'strict decoding error: yaml: unmarshal errors:\n  line 5: key "type" already set in map',
    ],
    [
      "has an object for its authorizers",
      JSON.stringify({ ...header, authorizers: {} }),
      "json: cannot unmarshal object into Go struct field AuthorizationConfiguration.authorizers of type",
    ],
    [
      "has a number for a name",
      JSON.stringify({ ...header, authorizers: [{ type: "RBAC", name: 3 }] }),
      "json: cannot unmarshal number into Go struct field AuthorizerConfiguration.authorizers.name of type string",
    ],
    [
      "has a time without a unit",
      JSON.stringify({ ...header, authorizers: [{ type: "Webhook", name: "a", webhook: { timeout: "3" } }] }),
      'time: missing unit in duration "3"',
    ],
    [
      "has a time that is none",
      JSON.stringify({ ...header, authorizers: [{ type: "Webhook", name: "a", webhook: { timeout: "soon" } }] }),
      'time: invalid duration "soon"',
    ],
  ];
  test.each(rows)("%s", (_, text, message) => {
    expect(() => loadConfiguration(Buffer.from(text))).toThrow(
      `failed to load AuthorizationConfiguration from file: ${message}`,
    );
  });

  test("is empty: it has no authorizers", () => {
    expect(decodeConfiguration(Buffer.from(""))).toEqual({ authorizers: [] });
    expect(() => loadConfiguration(Buffer.from(""))).toThrow(
      "authorizers: Required value: at least one authorization mode must be defined",
    );
  });
});

describe("an invalid AuthorizationConfiguration is refused with field, value and what is allowed", () => {
  const TYPES = '"ABAC", "AlwaysAllow", "AlwaysDeny", "Node", "RBAC", "Webhook"';
  const rows: readonly (readonly [name: string, authorizers: () => unknown, message: string])[] = [
    ["no authorizers", () => [], "authorizers: Required value: at least one authorization mode must be defined"],
    ["no type", () => [{ name: "a" }], "authorizers[0].type: Required value"],
    [
      "an unknown type",
      () => [NODE, { type: "Magic", name: "magic" }],
      `authorizers[1].type: Unsupported value: "Magic": supported values: ${TYPES}`,
    ],
    [
      "a type in another case",
      () => [{ type: "rbac", name: "rbac" }],
      `authorizers[0].type: Unsupported value: "rbac": supported values: ${TYPES}`,
    ],
    ["a type twice", () => [RBAC, RBAC], 'authorizers[1].type: Duplicate value: "RBAC"'],
    ["no name", () => [{ type: "RBAC" }], "authorizers[0].name: Required value"],
    ["a name twice", () => [hook(), hook()], 'authorizers[1].name: Duplicate value: "hook"'],
    [
      "a name that is none",
      () => [hook({}, "My Hook")],
      'authorizers[0].name: Invalid value: "My Hook": authorizer name is invalid: a lowercase RFC 1123 subdomain must consist of',
    ],
    [
      "another name than the type's",
      () => [{ type: "RBAC", name: "mine" }],
      "expected name rbac for authorizer RBAC instead of mine",
    ],
    [
      "two names that are not the types'",
      () => [
        { type: "RBAC", name: "a" },
        { type: "Node", name: "b" },
      ],
      "[expected name rbac for authorizer RBAC instead of a, expected name node for authorizer Node instead of b]",
    ],
    [
      "a webhook without a configuration",
      () => [{ type: "Webhook", name: "a" }],
      "authorizers[0].webhook: Required value: required when type=Webhook",
    ],
    [
      "a webhook's configuration of another type",
      () => [{ ...RBAC, webhook: webhook() }],
      'authorizers[0].webhook: Invalid value: "non-null": may only be specified when type=Webhook',
    ],
    ["no timeout", () => [hook({ timeout: undefined })], "authorizers[0].timeout: Required value"],
    ["a timeout of nothing", () => [hook({ timeout: "0s" })], "authorizers[0].timeout: Required value"],
    [
      "a timeout that is too long",
      () => [hook({ timeout: "31s" })],
      'authorizers[0].timeout: Invalid value: "31s": must be > 0s and <= 30s',
    ],
    [
      "a timeout before it begins",
      () => [hook({ timeout: "-1s" })],
      'authorizers[0].timeout: Invalid value: "-1s": must be > 0s and <= 30s',
    ],
    [
      "a time for allowed that is negative",
      () => [hook({ authorizedTTL: "-5m" })],
      'authorizers[0].authorizedTTL: Invalid value: "-5m0s": must be > 0s',
    ],
    [
      "a time for denied that is negative",
      () => [hook({ unauthorizedTTL: "-1ms" })],
      'authorizers[0].unauthorizedTTL: Invalid value: "-1ms": must be > 0s',
    ],
    [
      "no version of reviews",
      () => [hook({ subjectAccessReviewVersion: "" })],
      "authorizers[0].subjectAccessReviewVersion: Required value",
    ],
    [
      "another version of reviews",
      () => [hook({ subjectAccessReviewVersion: "v2" })],
      'authorizers[0].subjectAccessReviewVersion: Unsupported value: "v2": supported values: "v1", "v1beta1"',
    ],
    ["no failure policy", () => [hook({ failurePolicy: undefined })], "authorizers[0].failurePolicy: Required value"],
    [
      "another failure policy",
      () => [hook({ failurePolicy: "Ignore" })],
      'authorizers[0].failurePolicy: Unsupported value: "Ignore": supported values: "NoOpinion", "Deny"',
    ],
    [
      "no connection",
      () => [hook({ connectionInfo: undefined })],
      "authorizers[0].connectionInfo.type: Required value",
    ],
    [
      "another connection",
      () => [hook({ connectionInfo: { type: "URL" } })],
      'authorizers[0].connectionInfo.type: Unsupported value: "URL": supported values: "InClusterConfig", "KubeConfigFile"',
    ],
    [
      "a connection of the cluster with a file",
      () => [hook({ connectionInfo: { type: "InClusterConfig", kubeConfigFile: "/x" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/x": can only be set when type=KubeConfigFile',
    ],
    [
      "a connection of the cluster, which would be to itself",
      () => [hook({ connectionInfo: { type: "InClusterConfig" } })],
      'authorizers[0].connectionInfo.type: Invalid value: "InClusterConfig": an API server cannot ask itself; use KubeConfigFile',
    ],
    [
      "no kubeconfig",
      () => [hook({ connectionInfo: { type: "KubeConfigFile" } })],
      "authorizers[0].connectionInfo.kubeConfigFile: Required value",
    ],
    [
      "a kubeconfig by a relative name",
      () => [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "hook.yaml" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "hook.yaml": must be an absolute path',
    ],
    [
      "a kubeconfig that is not there",
      () => [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: "/no/such" } })],
      'authorizers[0].connectionInfo.kubeConfigFile: Invalid value: "/no/such": error loading file: stat /no/such: no such file or directory',
    ],
    [
      "a kubeconfig that is a folder",
      () => [hook({ connectionInfo: { type: "KubeConfigFile", kubeConfigFile: folder } })],
      "must be a regular file",
    ],
    [
      "conditions without their version",
      () => [hook({ matchConditions: [{ expression: "true" }] })],
      "authorizers[0].matchConditionSubjectAccessReviewVersion: Required value: required if match conditions are specified",
    ],
    [
      "conditions of another version",
      () => [hook({ matchConditionSubjectAccessReviewVersion: "v1beta1", matchConditions: [{ expression: "true" }] })],
      'authorizers[0].matchConditionSubjectAccessReviewVersion: Unsupported value: "v1beta1": supported values: "v1"',
    ],
  ];
  test.each(rows)("%s", (_, authorizers, message) => {
    expect(() => load(authorizers())).toThrow(message);
  });

  const conditions: readonly (readonly [name: string, expressions: readonly string[], message: string])[] = [
    ["is empty", [" "], "[0].expression: Required value"],
    ["is there twice", ["true", "true"], '[1].expression: Duplicate value: "true"'],
    [
      "is no bool",
      ["request.user"],
      '[0].expression: Invalid value: "request.user": must evaluate to bool but got string',
    ],
    [
      "is no CEL",
      ["request."],
      '[0].expression: Invalid value: "request.": compilation failed: ERROR: <input>:1:9: Syntax error',
    ],
    [
      "names a field that there is not",
      ["request.name == 'a'"],
      "compilation failed: ERROR: <input>:1:8: undefined field 'name'",
    ],
    [
      "names a variable that there is not",
      ["object == null"],
      "compilation failed: ERROR: <input>:1:1: undeclared reference to 'object'",
    ],
    [
      "compares what cannot be compared",
      ["request.user == 1"],
      "compilation failed: ERROR: <input>:1:14: found no matching overload for '_==_' applied to '(string, int)'",
    ],
  ];
  test.each(conditions)("for a match condition that %s", (_, expressions, message) => {
    const matchConditions = expressions.map((expression) => ({ expression }));
    const more = { matchConditionSubjectAccessReviewVersion: "v1", matchConditions };
    expect(() => load([hook(more)])).toThrow("authorizers[0].matchConditions[");
    expect(() => load([hook(more)])).toThrow(message);
  });

  test("for too many match conditions", () => {
    const matchConditions = Array.from({ length: 65 }, (_, index) => ({ expression: `${index} > 0` }));
    expect(() => load([hook({ matchConditionSubjectAccessReviewVersion: "v1", matchConditions })])).toThrow(
      "authorizers[0].matchConditions: Too many: 65: must have at most 64 items",
    );
  });

  test("with several faults, each once", () => {
    expect(() => load([{ name: "a" }, hook({ timeout: "0s", failurePolicy: "x" })])).toThrow(
      '[authorizers[0].type: Required value, authorizers[1].timeout: Required value, authorizers[1].failurePolicy: Unsupported value: "x": supported values: "NoOpinion", "Deny"]',
    );
  });

  test("for removing types that the server had at its start", () => {
    expect(() => loadConfiguration(bytesOf([hook()]), new Set(["RBAC", "Node"]))).toThrow(
      "missing required types: [Node RBAC]",
    );
  });
});
