import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { bootstrapTokens } from "../../../src/server/authn/bootstrap-token.js";

// AUN-4 and the table of authenticators: bootstrap tokens.
const NOW = Date.parse("2026-01-01T00:00:00Z");
const TOKEN = "abcdef.0123456789abcdef";
const DATA = { "token-id": "abcdef", "token-secret": "0123456789abcdef", "usage-bootstrap-authentication": "true" };

interface Given {
  readonly data?: Readonly<Record<string, string>>;
  readonly metadata?: JsonObject;
  readonly type?: string;
}

function lookUp({ data = {}, metadata = {}, type = "bootstrap.kubernetes.io/token" }: Given, token = TOKEN) {
  const encoded = Object.entries({ ...DATA, ...data }).map(([key, value]) => [
    key,
    Buffer.from(value).toString("base64"),
  ]);
  const secret = { metadata: { name: "bootstrap-token-abcdef", ...metadata }, type, data: Object.fromEntries(encoded) };
  const find = (resource: string, namespace: string, name: string) =>
    Promise.resolve(
      `${resource} ${namespace}/${name}` === "secrets kube-system/bootstrap-token-abcdef" ? secret : undefined,
    );
  return bootstrapTokens(find, () => NOW)(token);
}

describe("a bootstrap token authenticates its own user", () => {
  test.each([
    ["in the group of all of them", {}, ["system:bootstrappers"]],
    [
      "in the groups of its secret, in order and once",
      { data: { "auth-extra-groups": "system:bootstrappers:b,system:bootstrappers:a,system:bootstrappers:b" } },
      ["system:bootstrappers", "system:bootstrappers:a", "system:bootstrappers:b"],
    ],
    ["until it expires", { data: { expiration: "2026-01-01T00:00:01Z" } }, ["system:bootstrappers"]],
    [
      "whatever the zone of its expiration",
      { data: { expiration: "2026-01-01T05:00:00+04:00" } },
      ["system:bootstrappers"],
    ],
  ])("%s", async (_, given: Given, groups) => {
    expect(await lookUp(given)).toEqual({ name: "system:bootstrap:abcdef", groups });
  });
});

describe("a bootstrap token is refused", () => {
  test.each<[string, Given, string?]>([
    ["with another secret", {}, "abcdef.0123456789abcdee"],
    ["with a secret that is too short", {}, "abcdef.0123456789abcde"],
    ["with a secret that is too long", {}, "abcdef.0123456789abcdef0"],
    ["in large letters", {}, "ABCDEF.0123456789ABCDEF"],
    ["with something before it", {}, " abcdef.0123456789abcdef"],
    ["with a line behind it", {}, "abcdef.0123456789abcdef\n"],
    ["whose secret is not there", {}, "ghijkl.0123456789abcdef"],
    ["whose secret is being deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    ["whose secret is of another type", { type: "Opaque" }],
    ["whose secret has another id", { data: { "token-id": "ghijkl" } }],
    ["whose secret has no token", { data: { "token-secret": "" } }],
    ["that has expired", { data: { expiration: "2025-12-31T23:59:59Z" } }],
    ["that expires now", { data: { expiration: "2026-01-01T00:00:00Z" } }],
    ["whose expiration is no time", { data: { expiration: "tomorrow" } }],
    ["that is for signing alone", { data: { "usage-bootstrap-authentication": "false" } }],
    ["whose usage is not exactly true", { data: { "usage-bootstrap-authentication": "True" } }],
    ["with a group of administrators", { data: { "auth-extra-groups": "system:masters" } }],
    ["with an empty group", { data: { "auth-extra-groups": "system:bootstrappers:a," } }],
    ["with a group in large letters", { data: { "auth-extra-groups": "system:bootstrappers:A" } }],
    ["with a group that ends in a dash", { data: { "auth-extra-groups": "system:bootstrappers:a-" } }],
  ])("%s", async (_, given, token) => {
    expect(await lookUp(given, token)).toBeUndefined();
  });
});
