import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { abacMode } from "../../../../src/server/authz/abac/abac-mode.js";
import { policiesIn, readPolicyFile } from "../../../../src/server/authz/abac/policy-file.js";
import { alwaysDeny, chainOf } from "../../../../src/server/authz/authorizer.js";
import { asks, asksPath, user } from "../asked.js";

const V1BETA1 = "abac.authorization.kubernetes.io/v1beta1";
const policy = (spec: object): string => JSON.stringify({ apiVersion: V1BETA1, kind: "Policy", spec });
const modeOf = (...lines: string[]) => abacMode(policiesIn(lines.join("\n"), "policy.jsonl"));

const alice = user("alice");
const bob = user("bob", "devs");
const stranger = { name: "system:anonymous", groups: ["system:unauthenticated"] };

/** AUZ-2 of the source code book's requirements: the mode ABAC. */
describe("an ABAC policy", () => {
  const everything = { apiGroup: "*", resource: "*", namespace: "*" };
  const rows: readonly (readonly [name: string, line: string, asked: ReturnType<typeof asks>, allowed: boolean])[] = [
    ["allows its user", policy({ user: "alice", ...everything }), asks(alice, "create pods shop/"), true],
    ["allows no other user", policy({ user: "alice", ...everything }), asks(bob, "create pods shop/"), false],
    ["allows a group's members", policy({ group: "devs", ...everything }), asks(bob, "create pods shop/"), true],
    [
      "allows no one outside of the group",
      policy({ group: "devs", ...everything }),
      asks(alice, "get pods a/b"),
      false,
    ],
    [
      "with user and group wants both",
      policy({ user: "bob", group: "devs", ...everything }),
      asks(bob, "get pods a/b"),
      true,
    ],
    [
      "with a user of another group does not match",
      policy({ user: "bob", group: "ops", ...everything }),
      asks(bob, "get pods a/b"),
      false,
    ],
    [
      "with a group of another user does not match",
      policy({ user: "carol", group: "devs", ...everything }),
      asks(bob, "get pods a/b"),
      false,
    ],
    ["without user and group matches no user", policy(everything), asks(bob, "get pods a/b"), false],
    ["of user * matches who is authenticated", policy({ user: "*", ...everything }), asks(bob, "get pods a/b"), true],
    [
      "of user * does not match who is not",
      policy({ user: "*", ...everything }),
      asks(stranger, "get pods a/b"),
      false,
    ],
    ["of group * matches who is authenticated", policy({ group: "*", ...everything }), asks(bob, "get pods a/b"), true],
    [
      "of group * does not match who is not",
      policy({ group: "*", ...everything }),
      asks(stranger, "get pods a/b"),
      false,
    ],
    [
      "of group system:unauthenticated matches strangers",
      policy({ group: "system:unauthenticated", ...everything }),
      asks(stranger, "get pods a/b"),
      true,
    ],
    [
      "that is readonly allows get",
      policy({ user: "bob", readonly: true, ...everything }),
      asks(bob, "get pods a/b"),
      true,
    ],
    [
      "that is readonly allows list",
      policy({ user: "bob", readonly: true, ...everything }),
      asks(bob, "list pods a/"),
      true,
    ],
    [
      "that is readonly allows watch",
      policy({ user: "bob", readonly: true, ...everything }),
      asks(bob, "watch pods a/"),
      true,
    ],
    [
      "that is readonly does not allow create",
      policy({ user: "bob", readonly: true, ...everything }),
      asks(bob, "create pods a/"),
      false,
    ],
    [
      "that is readonly does not allow deletecollection",
      policy({ user: "bob", readonly: true, ...everything }),
      asks(bob, "deletecollection pods a/"),
      false,
    ],
    [
      "allows its namespace",
      policy({ user: "bob", apiGroup: "*", resource: "pods", namespace: "a" }),
      asks(bob, "get pods a/b"),
      true,
    ],
    [
      "allows no other namespace",
      policy({ user: "bob", apiGroup: "*", resource: "pods", namespace: "a" }),
      asks(bob, "get pods c/b"),
      false,
    ],
    [
      "of a namespace does not allow all namespaces",
      policy({ user: "bob", apiGroup: "*", resource: "pods", namespace: "a" }),
      asks(bob, "list pods /"),
      false,
    ],
    [
      "without a namespace allows objects of the cluster alone",
      policy({ user: "bob", apiGroup: "", resource: "nodes" }),
      asks(bob, "get nodes n1"),
      true,
    ],
    [
      "without a namespace allows none in a namespace",
      policy({ user: "bob", apiGroup: "", resource: "pods" }),
      asks(bob, "get pods a/b"),
      false,
    ],
    [
      "allows no other resource",
      policy({ user: "bob", apiGroup: "", resource: "pods", namespace: "*" }),
      asks(bob, "get secrets a/b"),
      false,
    ],
    [
      "of a resource allows its subresources",
      policy({ user: "bob", apiGroup: "", resource: "pods", namespace: "*" }),
      asks(bob, "get pods/log a/b"),
      true,
    ],
    [
      "allows its group",
      policy({ user: "bob", apiGroup: "apps", resource: "deployments", namespace: "*" }),
      asks(bob, "get apps/deployments a/b"),
      true,
    ],
    [
      "allows no other group",
      policy({ user: "bob", apiGroup: "", resource: "deployments", namespace: "*" }),
      asks(bob, "get apps/deployments a/b"),
      false,
    ],
    ["of resources allows no path", policy({ user: "bob", ...everything }), asksPath(bob, "get", "/metrics"), false],
    [
      "of a path allows it",
      policy({ user: "bob", nonResourcePath: "/metrics" }),
      asksPath(bob, "get", "/metrics"),
      true,
    ],
    [
      "of a path allows no other",
      policy({ user: "bob", nonResourcePath: "/metrics" }),
      asksPath(bob, "get", "/metrics/x"),
      false,
    ],
    [
      "of a path with * allows those below",
      policy({ user: "bob", nonResourcePath: "/logs/*" }),
      asksPath(bob, "get", "/logs/a/b"),
      true,
    ],
    [
      "of a path with * allows none beside",
      policy({ user: "bob", nonResourcePath: "/logs/*" }),
      asksPath(bob, "get", "/logs"),
      false,
    ],
    [
      "of the path * allows every path",
      policy({ user: "bob", nonResourcePath: "*" }),
      asksPath(bob, "post", "/anything"),
      true,
    ],
    [
      "of the path * allows no resource",
      policy({ user: "bob", nonResourcePath: "*" }),
      asks(bob, "get pods a/b"),
      false,
    ],
    [
      "of a path that is readonly does not allow post",
      policy({ user: "bob", readonly: true, nonResourcePath: "*" }),
      asksPath(bob, "post", "/x"),
      false,
    ],
    ["of v0 without anything allows who is authenticated", "{}", asks(bob, "delete pods a/b"), true],
    ["of v0 without anything allows every path", "{}", asksPath(bob, "post", "/x"), true],
    ["of v0 without anything allows no stranger", "{}", asks(stranger, "get pods a/b"), false],
    [
      "of v0 has every API group",
      '{"user":"bob","resource":"deployments"}',
      asks(bob, "get apps/deployments a/b"),
      true,
    ],
    ["of v0 with a resource allows no path", '{"user":"bob","resource":"pods"}', asksPath(bob, "get", "/x"), false],
    ["of v0 with a namespace allows no other", '{"user":"bob","namespace":"a"}', asks(bob, "get pods c/b"), false],
    ["of v0 with user * allows who is authenticated", '{"user":"*"}', asks(alice, "get pods a/b"), true],
    ["of v0 with user * allows no stranger", '{"user":"*"}', asks(stranger, "get pods a/b"), false],
    [
      "of v0 may name its version",
      '{"apiVersion":"abac.authorization.kubernetes.io/v0","kind":"Policy","user":"bob"}',
      asks(bob, "get pods a/b"),
      true,
    ],
    ["ignores fields that it does not know", '{"user":"bob","comment":"x"}', asks(bob, "get pods a/b"), true],
  ];
  test.each(rows)("%s", (_, line, asked, allowed) => {
    expect(modeOf(line).authorize(asked)).toEqual(
      allowed ? { decision: "allow" } : { decision: "no-opinion", reason: "No policy matched." },
    );
  });
});

describe("an ABAC policy file", () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), "abac-"))));
  afterAll(() => rmSync(folder, { recursive: true }));

  test("has a policy on each line that is neither empty nor a comment", async () => {
    const file = join(folder, "policy.jsonl");
    writeFileSync(file, `# who may what\n\n${policy({ user: "alice" })}\r\n   # more\n{"user":"bob"}\n`);
    expect((await readPolicyFile(file)).map((one) => one.user)).toEqual(["alice", "bob"]);
  });

  test("may be empty: then only system:masters has rights", () => {
    expect(policiesIn("", "p")).toEqual([]);
  });

  const faults: readonly (readonly [name: string, line: string, message: string])[] = [
    ["half of a line", '{"user":"al', 'line 2: {"user":"al: unexpected end of JSON input'],
    ["what is no JSON", '{"user" "alice"}', `line 2: {"user" "alice"}: invalid character '"' after object key`],
    [
      "a field of another type",
      '{"user":1}',
      'line 2: {"user":1}: json: cannot unmarshal number into Go struct field Policy.user of type string',
    ],
    [
      "a flag that is a text",
      policy({ user: "a", readonly: "yes" }),
      "json: cannot unmarshal string into Go struct field PolicySpec.spec.readonly of type bool",
    ],
    ["a list", "[]", "json: cannot unmarshal array into Go value of type"],
    [
      "another kind",
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1","kind":"Rule"}',
      'no kind "Rule" is registered for version "abac.authorization.kubernetes.io/v1beta1"',
    ],
    [
      "another version",
      '{"apiVersion":"abac.authorization.kubernetes.io/v9","kind":"Policy"}',
      'no kind "Policy" is registered for version "abac.authorization.kubernetes.io/v9"',
    ],
    [
      "a version without a kind",
      '{"apiVersion":"abac.authorization.kubernetes.io/v1beta1"}',
      "Object 'Kind' is missing in",
    ],
    ["a kind without a version", '{"kind":"Policy"}', "Object 'apiVersion' is missing in"],
  ];
  test.each(faults)("with %s is refused with file and line", (_, line, message) => {
    const read = () => policiesIn(`{"user":"ok"}\n${line}\n{"user":"ok"}`, "/etc/policy.jsonl");
    expect(read).toThrow("error reading policy file /etc/policy.jsonl, line 2: ");
    expect(read).toThrow(message);
  });

  test("that is missing, or is a folder, is named", async () => {
    await expect(readPolicyFile(join(folder, "none"))).rejects.toThrow(
      `open ${join(folder, "none")}: no such file or directory`,
    );
    await expect(readPolicyFile(folder)).rejects.toThrow(`read ${folder}: is a directory`);
  });
});

/** AUZ-7. */
describe("the rights of a user by ABAC policies", () => {
  const mode = modeOf(
    policy({ user: "bob", apiGroup: "apps", resource: "*", namespace: "a", readonly: true }),
    policy({ group: "devs", apiGroup: "", resource: "pods", namespace: "*" }),
    policy({ user: "bob", nonResourcePath: "/metrics", namespace: "*" }),
    policy({ user: "bob", nonResourcePath: "/logs" }),
    policy({ user: "alice", apiGroup: "*", resource: "*", namespace: "*" }),
  );

  test("are those of the policies that apply in the namespace", () => {
    expect(mode.rightsOf?.(bob, "a")).toEqual({
      resourceRules: [
        { verbs: ["get", "list", "watch"], apiGroups: ["apps"], resources: ["*"] },
        { verbs: ["*"], apiGroups: [""], resources: ["pods"] },
      ],
      nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["/metrics"] }],
      incomplete: false,
    });
  });

  test("are fewer in another namespace", () => {
    expect(mode.rightsOf?.(bob, "b")).toMatchObject({ resourceRules: [{ resources: ["pods"] }] });
  });
});

/** AUZ-4: a chain joins the reasons of those without an opinion. */
describe("the authorizer AlwaysDeny", () => {
  test("gives its reason and leaves the request to the next authorizer", async () => {
    const reason = "Everything is forbidden.";
    expect(alwaysDeny.authorize(asks(bob, "get pods a/b"))).toEqual({ decision: "no-opinion", reason });
    const chain = chainOf([alwaysDeny, modeOf('{"user":"bob"}')]);
    expect(await chain.authorize(asks(bob, "get pods a/b"))).toEqual({ decision: "allow" });
    expect(await chain.authorize(asks(alice, "get pods a/b"))).toEqual({
      decision: "no-opinion",
      reason: `${reason}\nNo policy matched.`,
    });
    expect(await chain.rightsOf(alice, "a")).toEqual({ resourceRules: [], nonResourceRules: [], incomplete: false });
  });
});
