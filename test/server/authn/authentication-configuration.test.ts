import { describe, expect, test } from "vitest";
import { formatFieldErrors } from "../../../src/machinery/errors/field-error.js";
import { decodeAuthenticationConfiguration } from "../../../src/server/authn/configuration/authentication-configuration.js";
import { validateAuthenticationConfiguration } from "../../../src/server/authn/configuration/validate.js";
import { certificates } from "../../helpers/webhook-server.js";

// AUTHN-1: the structured configuration, field by field, in kube-apiserver's words.
const HEAD = { apiVersion: "apiserver.config.k8s.io/v1", kind: "AuthenticationConfiguration" };
const ISSUER = { url: "https://issuer", audiences: ["a"] };
const USERNAME = { claim: "sub", prefix: "" };

type Fields = Readonly<Record<string, unknown>>;

const problems = (configuration: Fields): string =>
  formatFieldErrors(
    validateAuthenticationConfiguration(
      decodeAuthenticationConfiguration(JSON.stringify({ ...HEAD, ...configuration })),
      ["https://cluster", "https://old"],
    ).errors,
  ).replace(/^\[\]$/, "");

const one = (authenticator: Fields): string =>
  problems({ jwt: [{ issuer: ISSUER, claimMappings: { username: USERNAME }, ...authenticator }] });
const ofIssuer = (issuer: Fields): string => one({ issuer: { ...ISSUER, ...issuer } });
const ofMappings = (mappings: Fields): string => one({ claimMappings: { username: USERNAME, ...mappings } });
const ofRules = (...claimValidationRules: readonly Fields[]): string => one({ claimValidationRules });
const ofUsers = (...userValidationRules: readonly Fields[]): string => one({ userValidationRules });
const ofExtra = (...extra: readonly Fields[]): string => ofMappings({ extra });

describe("the issuer in an AuthenticationConfiguration", () => {
  test.each([
    ["is right with a URL and an audience", {}, ""],
    ["may have several audiences that match any", { audiences: ["a", "b"], audienceMatchPolicy: "MatchAny" }, ""],
    ["may be discovered elsewhere", { discoveryURL: "https://elsewhere/x" }, ""],
    ["may have authorities", { certificateAuthority: certificates(["x"]).authority.certificate }, ""],
    ["needs a URL", { url: "" }, "jwt[0].issuer.url: Required value"],
    [
      "is no http URL",
      { url: "http://issuer" },
      'jwt[0].issuer.url: Invalid value: "http://issuer": URL scheme must be https',
    ],
    [
      "has no user",
      { url: "https://u@issuer" },
      'jwt[0].issuer.url: Invalid value: "https://u@issuer": URL must not contain a username or password',
    ],
    [
      "has no query",
      { url: "https://issuer?a=b" },
      'jwt[0].issuer.url: Invalid value: "https://issuer?a=b": URL must not contain a query',
    ],
    [
      "has no fragment",
      { url: "https://issuer#f" },
      'jwt[0].issuer.url: Invalid value: "https://issuer#f": URL must not contain a fragment',
    ],
    [
      "is a URL that can be parsed",
      { url: "https://issuer/%zz" },
      'jwt[0].issuer.url: Invalid value: "https://issuer/%zz": parse "https://issuer/%zz": invalid URL escape "%zz"',
    ],
    [
      "is not the cluster's own",
      { url: "https://cluster" },
      'jwt[0].issuer.url: Invalid value: "https://cluster": URL must not overlap with disallowed issuers: [https://cluster https://old]',
    ],
    [
      "is discovered at another URL than its own",
      { discoveryURL: "https://issuer/" },
      'jwt[0].issuer.discoveryURL: Invalid value: "https://issuer/": discoveryURL must be different from URL',
    ],
    [
      "is discovered by https",
      { discoveryURL: "http://d" },
      'jwt[0].issuer.discoveryURL: Invalid value: "http://d": URL scheme must be https',
    ],
    [
      "needs an audience",
      { audiences: [] },
      "jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required",
    ],
    ["has no empty audience", { audiences: [""] }, "jwt[0].issuer.audiences[0]: Required value"],
    [
      "has each audience once",
      { audiences: ["a", "a"], audienceMatchPolicy: "MatchAny" },
      'jwt[0].issuer.audiences[1]: Duplicate value: "a"',
    ],
    [
      "says how several audiences match",
      { audiences: ["a", "b"] },
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
    ],
    [
      "knows one way to match an audience",
      { audienceMatchPolicy: "MatchAll" },
      'jwt[0].issuer.audienceMatchPolicy: Invalid value: "MatchAll": audienceMatchPolicy must be empty or MatchAny for single audience',
    ],
    [
      "has authorities that are certificates, which errors do not show",
      { certificateAuthority: "SECRET" },
      'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
    ],
    [
      "names no egress selection of a server that has none",
      { egressSelectorType: "cluster" },
      'jwt[0].issuer.egressSelectorType: Invalid value: "cluster": oidc: egress lookup required with egress selector type "cluster"',
    ],
    [
      "names no other kind of egress selection",
      { egressSelectorType: "x" },
      'jwt[0].issuer.egressSelectorType: Invalid value: "x": egress selector must be either controlplane or cluster',
    ],
  ])("%s", (_, issuer, expected) => {
    expect(ofIssuer(issuer)).toBe(expected);
  });

  test("may name only egress selections that the server has", () => {
    const configuration = {
      jwt: ["cluster", "controlplane"].map((egressSelectorType, index) => ({
        issuer: { url: `https://issuer-${index}`, audiences: ["a"], egressSelectorType },
        claimMappings: { username: USERNAME },
      })),
    };
    const cluster = () => Promise.reject(new Error("never called"));
    const { errors } = validateAuthenticationConfiguration(configuration, [], { cluster });
    expect(formatFieldErrors(errors)).toBe(
      'jwt[1].issuer.egressSelectorType: Invalid value: "controlplane": oidc: egress lookup for "controlplane" is not configured',
    );
  });
});

describe("a claim validation rule in an AuthenticationConfiguration", () => {
  test.each<[string, readonly Fields[], string]>([
    ["is a claim and its value", [{ claim: "hd", requiredValue: "x" }], ""],
    ["is an expression", [{ expression: "claims.hd == 'x'", message: "no" }], ""],
    [
      "is one of both",
      [{ claim: "hd", expression: "true" }],
      'jwt[0].claimValidationRules[0]: Invalid value: "hd": claim and expression can\'t both be set',
    ],
    ["is at least one", [{}], "jwt[0].claimValidationRules[0]: Required value: claim or expression is required"],
    [
      "has a message for an expression alone",
      [{ claim: "hd", message: "m" }],
      'jwt[0].claimValidationRules[0].message: Invalid value: "m": may not be specified when claim is set',
    ],
    [
      "has a value for a claim alone",
      [{ expression: "true", requiredValue: "v" }],
      'jwt[0].claimValidationRules[0].requiredValue: Invalid value: "v": may not be specified when expression is set',
    ],
    [
      "names a claim once",
      [{ claim: "a" }, { claim: "a" }],
      'jwt[0].claimValidationRules[1].claim: Duplicate value: "a"',
    ],
    [
      "is an expression once",
      [{ expression: "true" }, { expression: "true" }],
      'jwt[0].claimValidationRules[1].expression: Duplicate value: "true"',
    ],
    [
      "is true or false",
      [{ expression: "claims.hd" }],
      'jwt[0].claimValidationRules[0].expression: Invalid value: "claims.hd": must evaluate to bool',
    ],
    [
      "does not know users",
      [{ expression: "user.username == ''" }],
      "jwt[0].claimValidationRules[0].expression: Invalid value: \"user.username == ''\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'user' (in container '')\n | user.username == ''\n | ^",
    ],
  ])("%s", (_, rules, expected) => {
    expect(ofRules(...rules)).toBe(expected);
  });
});

describe("a claim mapping in an AuthenticationConfiguration", () => {
  const path = "jwt[0].claimMappings";
  test.each<[string, Fields, string]>([
    [
      "may take all from expressions",
      {
        username: { expression: "claims.sub" },
        groups: { expression: "claims.roles" },
        uid: { expression: "claims.id" },
      },
      "",
    ],
    ["needs a user", { username: {} }, `${path}.username: Required value: claim or expression is required`],
    [
      "needs a prefix for a claim",
      { username: { claim: "sub" } },
      `${path}.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
    ],
    [
      "needs a prefix for groups",
      { groups: { claim: "g" } },
      `${path}.groups.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing`,
    ],
    [
      "has a claim or an expression",
      { username: { claim: "sub", expression: "claims.sub" } },
      `${path}.username: Invalid value: "": claim and expression can't both be set`,
    ],
    [
      "has no prefix for an expression",
      { username: { expression: "claims.sub", prefix: "p" } },
      `${path}.username.prefix: Invalid value: "p": may not be specified when expression is set`,
    ],
    [
      "of a uid has a claim or an expression",
      { uid: { claim: "a", expression: "claims.b" } },
      `${path}.uid: Invalid value: "": claim and expression can't both be set`,
    ],
    [
      "by e-mail must look at whether it is verified",
      { username: { expression: "claims.email" } },
      `${path}.username.expression: Invalid value: "claims.email": claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
    ],
    [
      "by e-mail may do so itself",
      { username: { expression: "claims.email_verified == true ? claims.email : ''" } },
      "",
    ],
    [
      "by e-mail may do so in extra",
      {
        username: { expression: "claims.email" },
        extra: [{ key: "x.io/v", valueExpression: "string(claims.email_verified)" }],
      },
      "",
    ],
    [
      "by e-mail may do so with an optional claim",
      { username: { expression: "claims.?email_verified.orValue(true) == true ? claims.email : ''" } },
      "",
    ],
    [
      "by an expression that cannot be read is refused",
      { username: { expression: "claims." } },
      `${path}.username.expression: Invalid value: "claims.": compilation failed: ERROR: <input>:1:8: Syntax error: no viable alternative at input '.'\n | claims.\n | .......^`,
    ],
  ])("%s", (_, mappings, expected) => {
    expect(ofMappings(mappings)).toBe(expected);
  });
});

describe("the mapping of extra attributes in an AuthenticationConfiguration", () => {
  const path = "jwt[0].claimMappings.extra";
  const reserved = "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use";
  test.each<[string, readonly Fields[], string]>([
    ["has a key with a domain", [{ key: "example.org/a", valueExpression: "'x'" }], ""],
    ["needs a key", [{ valueExpression: "'x'" }], `${path}[0].key: Required value`],
    ["needs a value", [{ key: "example.org/a" }], `${path}[0].valueExpression: Required value`],
    [
      "has no key without a domain",
      [{ key: "a", valueExpression: "'x'" }],
      `${path}[0].key: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")`,
    ],
    [
      "has no key of Kubernetes",
      [{ key: "kubernetes.io/a", valueExpression: "'x'" }],
      `${path}[0].key: Invalid value: "kubernetes.io/a": ${reserved}`,
    ],
    [
      "has no key of its subdomains",
      [{ key: "a.k8s.io/b", valueExpression: "'x'" }],
      `${path}[0].key: Invalid value: "a.k8s.io/b": ${reserved}`,
    ],
    ["may be of a domain that only ends alike", [{ key: "notk8s.io/b", valueExpression: "'x'" }], ""],
    [
      "has each key once",
      [
        { key: "e.org/a", valueExpression: "'x'" },
        { key: "e.org/a", valueExpression: "'y'" },
      ],
      `${path}[1].key: Duplicate value: "e.org/a"`,
    ],
    [
      "has keys in small letters",
      [{ key: "e.org/A", valueExpression: "'x'" }],
      `${path}[0].key: Invalid value: "e.org/A": must be lowercase`,
    ],
    [
      "has no spaces in a key",
      [{ key: "e.org/a b", valueExpression: "'x'" }],
      `${path}[0].key: Invalid value: "a b": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')`,
    ],
  ])("%s", (_, extra, expected) => {
    expect(ofExtra(...extra)).toBe(expected);
  });
});

describe("a user validation rule in an AuthenticationConfiguration", () => {
  const path = "jwt[0].userValidationRules";
  test.each<[string, readonly Fields[], string]>([
    [
      "knows name, uid, groups and extra",
      [{ expression: "user.username != '' && user.uid != '' && user.groups.size() > 0 && 'a' in user.extra" }],
      "",
    ],
    ["needs an expression", [{ message: "m" }], `${path}[0].expression: Required value`],
    [
      "is an expression once",
      [{ expression: "true" }, { expression: "true" }],
      `${path}[1].expression: Duplicate value: "true"`,
    ],
    [
      "is true or false",
      [{ expression: "user.username" }],
      `${path}[0].expression: Invalid value: "user.username": must evaluate to bool`,
    ],
    [
      "knows no other field",
      [{ expression: "user.name == ''" }],
      `${path}[0].expression: Invalid value: "user.name == ''": compilation failed: ERROR: <input>:1:5: undefined field 'name'\n | user.name == ''\n | ....^`,
    ],
  ])("%s", (_, rules, expected) => {
    expect(ofUsers(...rules)).toBe(expected);
  });
});

describe("an AuthenticationConfiguration", () => {
  const jwt = (url: string, more: Fields = {}) => ({
    issuer: { ...ISSUER, url, ...more },
    claimMappings: { username: USERNAME },
  });
  test.each<[string, Fields, string]>([
    ["may be empty", {}, ""],
    [
      "has an issuer once",
      { jwt: [jwt("https://a"), jwt("https://a")] },
      'jwt[1].issuer.url: Duplicate value: "https://a"',
    ],
    [
      "discovers issuers at different places",
      { jwt: [jwt("https://a", { discoveryURL: "https://d" }), jwt("https://b", { discoveryURL: "https://d" })] },
      'jwt[1].issuer.discoveryURL: Duplicate value: "https://d"',
    ],
    [
      "has at most 64 issuers",
      { jwt: Array.from({ length: 65 }, (_, i) => jwt(`https://i${i}`)) },
      "jwt: Too many: 65: must have at most 64 items",
    ],
    ["may let everyone in", { anonymous: { enabled: true } }, ""],
    ["may let everyone in somewhere", { anonymous: { enabled: true, conditions: [{ path: "/livez" }] } }, ""],
    [
      "has no places for a door that is shut",
      { anonymous: { enabled: false, conditions: [{ path: "/livez" }] } },
      'anonymous.conditions: Invalid value: [{"Path":"/livez"}]: enabled should be set to true when conditions are defined',
    ],
    [
      "tells all that is wrong",
      { jwt: [{ issuer: {} }] },
      "[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required, jwt[0].claimMappings.username: Required value: claim or expression is required]",
    ],
  ])("%s", (_, configuration, expected) => {
    expect(problems(configuration)).toBe(expected);
  });
});

describe("an AuthenticationConfiguration file", () => {
  const yaml = (lines: string): string =>
    `apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n${lines}`;
  test.each([
    ["may be YAML", yaml("jwt: []")],
    ["may be of v1beta1", yaml("jwt: []").replace("/v1\n", "/v1beta1\n")],
    ["may be of v1alpha1", yaml("").replace("/v1\n", "/v1alpha1\n")],
    ["may be JSON", JSON.stringify(HEAD)],
  ])("%s", (_, text) => {
    expect(decodeAuthenticationConfiguration(text).jwt ?? []).toEqual([]);
  });

  test.each([
    ["that is empty", "", "empty config data"],
    [
      "without a kind",
      "apiVersion: apiserver.config.k8s.io/v1",
      "Object 'Kind' is missing in 'apiVersion: apiserver.config.k8s.io/v1'",
    ],
    [
      "of another kind",
      "apiVersion: v1\nkind: Pod",
      'no kind "Pod" is registered for version "v1" in scheme "pkg/kubeapiserver/options/authentication.go:888"',
    ],
    [
      "of a version that there is not",
      yaml("").replace("/v1\n", "/v2\n"),
      'no kind "AuthenticationConfiguration" is registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/kubeapiserver/options/authentication.go:888"',
    ],
    [
      "with an unknown field",
      yaml("jwt:\n- issuer:\n    uri: x"),
      'strict decoding error: unknown field "jwt[0].issuer.uri"',
    ],
    ["with a field in other letters", yaml("JWT: []"), 'strict decoding error: unknown field "JWT"'],
    [
      "with a field twice",
      yaml("jwt: []\njwt: []"),
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "jwt" already set in map',
    ],
    [
      "with text for a list",
      yaml("jwt: x"),
      "json: cannot unmarshal string into Go struct field AuthenticationConfiguration.jwt of type",
    ],
    ["half written", yaml("jwt:\n- issuer: {url: 'https://a"), "yaml: line"],
  ])("%s is refused", (_, text, message) => {
    expect(() => decodeAuthenticationConfiguration(text)).toThrow(message);
  });
});
