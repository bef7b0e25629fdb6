import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  APPLY,
  Arena,
  bindingOf,
  JSON_PATCH,
  jewel,
  MERGE,
  RBAC,
  RBAC_GROUP,
  ruleOf,
  STRATEGIC,
  type Try,
  tryAll,
} from "./arena.js";

const IN = `${RBAC}/namespaces/default`;
const SECRETS = "/api/v1/namespaces/default/secrets";
const POLICY = `${RBAC_GROUP}:roles,rolebindings,clusterroles,clusterrolebindings`;

let arena: Arena;

const role = (name: string, ...rules: readonly string[]) => ({ metadata: { name }, rules: rules.map(ruleOf) });
const kinded = (kind: string, object: object) => ({ apiVersion: `${RBAC_GROUP}/v1`, kind, ...object });
const gathering = (name: string, ...rules: readonly string[]) => ({
  ...role(name, ...rules),
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { gather: "yes" } }] },
});

/**
 * will may write every role and binding and read pods, and nothing else. eve may also escalate roles, bob may bind one role, and
 * ben may bind roles of the namespace alone. ada is admin of one namespace, ed has "edit" there.
 */
beforeAll(async () => {
  arena = await Arena.open();
  await arena.create("/api/v1/namespaces", { metadata: { name: "other" } });
  await arena.create(SECRETS, jewel("jewel"));
  await arena.allow("will,eve,bob,ben,nell", `create,get,list,update,patch,delete,deletecollection ${POLICY}`);
  await arena.allow("will,nell", "get,list pods");
  await arena.allow("eve", `escalate ${RBAC_GROUP}:clusterroles narrow`);
  await arena.allow("bob", `bind ${RBAC_GROUP}:clusterroles view`);
  await arena.allowIn("default", "ben", `bind ${RBAC_GROUP}:clusterroles`);
  await arena.allowIn("default", "nell", "get secrets jewel");
  await arena.create(`${IN}/rolebindings`, bindingOf("ada", "ClusterRole/admin", "ada"));
  await arena.create(`${IN}/rolebindings`, bindingOf("ed", "ClusterRole/edit", "ed"));
  await arena.create(`${IN}/rolebindings`, bindingOf("vera", "ClusterRole/view", "vera"));
  await arena.create(`${RBAC}/clusterroles`, role("narrow", "get pods"));
  await arena.create(`${RBAC}/clusterroles`, role("secrets-of-all", "get,list secrets"));
  await arena.create(`${RBAC}/clusterroles`, gathering("gatherer"));
  await arena.create(`${RBAC}/clusterroles`, {
    ...role("gathered", "get secrets"),
    metadata: { name: "gathered", labels: { gather: "yes" } },
  });
  await arena.create(`${IN}/roles`, role("small", "get pods"));
  await arena.create(`${IN}/rolebindings`, bindingOf("small", "Role/small", "somebody"));
  await arena.create(`${RBAC}/clusterrolebindings`, bindingOf("lords", "ClusterRole/cluster-admin", "lord"));
});

afterAll(() => arena[Symbol.asyncDispose]());

test("the attackers of this file may write roles and bindings: only the granted rights are refused", async () => {
  const readsPods = role("harmless", "get,list pods");
  for (const [who, path, object] of [
    ["will", `${IN}/roles`, readsPods],
    ["will", `${IN}/rolebindings`, bindingOf("harmless", "Role/small", "somebody")],
    ["nell", `${IN}/roles`, role("own", "get secrets jewel")],
    ["eve", `${RBAC}/clusterroles`, role("narrow", WILD)],
    ["bob", `${IN}/rolebindings`, bindingOf("viewers", "ClusterRole/view", "somebody")],
    ["ben", `${IN}/rolebindings`, bindingOf("editors", "ClusterRole/edit", "somebody")],
    ["ada", `${IN}/rolebindings`, bindingOf("admins", "ClusterRole/admin", "somebody")],
  ] as const) {
    const update = object.metadata && (object.metadata as { name: string }).name === "narrow";
    const shot = update
      ? { method: "PUT", path: `${path}/narrow?dryRun=All`, body: object }
      : { method: "POST", path: `${path}?dryRun=All`, body: object };
    const answer = await arena.send(who, shot);
    expect(answer.status, `${who}: ${answer.text}`).toBe(update ? 200 : 201);
  }
});

const REFUSED = "403 Forbidden";
const WILD = "* *:*";

describe("a user may not grant more rights than it has by a role", () => {
  const rows: readonly Try[] = [
    ["a role that reads secrets", "will", `POST ${IN}/roles`, REFUSED, role("r", "get secrets")],
    [
      "in dry run, which would tell whether it works",
      "will",
      `POST ${IN}/roles?dryRun=All`,
      REFUSED,
      role("r", "get secrets"),
    ],
    [
      "of a generated name",
      "will",
      `POST ${IN}/roles`,
      REFUSED,
      { metadata: { generateName: "r-" }, rules: [ruleOf("get secrets")] },
    ],
    ["of all verbs", "will", `POST ${IN}/roles`, REFUSED, role("r", "* pods")],
    ["of all resources", "will", `POST ${IN}/roles`, REFUSED, role("r", "get *")],
    ["of all subresources of what one reads", "will", `POST ${IN}/roles`, REFUSED, role("r", "get pods/*")],
    ["of a subresource of all resources", "will", `POST ${IN}/roles`, REFUSED, role("r", "get */exec")],
    ["of all groups", "will", `POST ${IN}/roles`, REFUSED, role("r", "get *:pods")],
    ["a cluster role of everything", "will", `POST ${RBAC}/clusterroles`, REFUSED, role("r", WILD)],
    ["a cluster role of paths", "will", `POST ${RBAC}/clusterroles`, REFUSED, role("r", "get !/metrics")],
    ["a cluster role of all paths", "will", `POST ${RBAC}/clusterroles`, REFUSED, role("r", "* !*")],
    [
      "a cluster role of what one has in one namespace",
      "nell",
      `POST ${RBAC}/clusterroles`,
      REFUSED,
      role("r", "get secrets jewel"),
    ],
    [
      "a role in another namespace of what one has in one",
      "nell",
      `POST ${RBAC}/namespaces/other/roles`,
      REFUSED,
      role("r", "get secrets jewel"),
    ],
    ["a role of all names where one has one", "nell", `POST ${IN}/roles`, REFUSED, role("r", "get secrets")],
    ["a role of another name than one has", "nell", `POST ${IN}/roles`, REFUSED, role("r", "get secrets jewel2")],
    [
      "a role that lists by name where one only gets",
      "nell",
      `POST ${IN}/roles`,
      REFUSED,
      role("r", "list secrets jewel"),
    ],
    [
      "the right to escalate",
      "will",
      `POST ${RBAC}/clusterroles`,
      REFUSED,
      role("r", `escalate ${RBAC_GROUP}:clusterroles`),
    ],
    ["the right to bind", "will", `POST ${RBAC}/clusterroles`, REFUSED, role("r", `bind ${RBAC_GROUP}:clusterroles`)],
    ["the right to impersonate", "will", `POST ${RBAC}/clusterroles`, REFUSED, role("r", "impersonate users,groups")],
    ["the right to make tokens", "will", `POST ${IN}/roles`, REFUSED, role("r", "create serviceaccounts/token")],
    ["a harmless rule before it", "will", `POST ${IN}/roles`, REFUSED, role("r", "get pods", "get secrets")],
    ["a rule for many, one of which one lacks", "will", `POST ${IN}/roles`, REFUSED, role("r", "get pods,secrets")],
    ["a role that PUT creates", "will", `PUT ${IN}/roles/r`, REFUSED, role("r", "get secrets")],
    [
      "a role that an apply creates",
      "will",
      `PATCH ${IN}/roles/r?fieldManager=m`,
      REFUSED,
      kinded("Role", role("r", "get secrets")),
      { type: APPLY },
    ],
    [
      "a role that a forced apply creates",
      "will",
      `PATCH ${IN}/roles/r?fieldManager=m&force=true`,
      REFUSED,
      kinded("Role", role("r", "get secrets")),
      { type: APPLY },
    ],
    ["a change by PUT", "will", `PUT ${IN}/roles/small`, REFUSED, role("small", "get secrets")],
    ["a change by PUT in dry run", "will", `PUT ${IN}/roles/small?dryRun=All`, REFUSED, role("small", "get secrets")],
    [
      "a change by a merge patch",
      "will",
      `PATCH ${IN}/roles/small`,
      REFUSED,
      { rules: [ruleOf("get secrets")] },
      { type: MERGE },
    ],
    [
      "a change by a strategic merge patch",
      "will",
      `PATCH ${IN}/roles/small`,
      REFUSED,
      { rules: [ruleOf("get secrets")] },
      { type: STRATEGIC },
    ],
    [
      "a rule added by a JSON patch",
      "will",
      `PATCH ${IN}/roles/small`,
      REFUSED,
      [{ op: "add", path: "/rules/-", value: ruleOf("get secrets") }],
      { type: JSON_PATCH },
    ],
    [
      "a verb added by a JSON patch",
      "will",
      `PATCH ${IN}/roles/small`,
      REFUSED,
      [{ op: "add", path: "/rules/0/verbs/-", value: "delete" }],
      { type: JSON_PATCH },
    ],
    [
      "names taken off a rule by a JSON patch",
      "nell",
      `PATCH ${IN}/roles/allowed-nell-5`,
      REFUSED,
      [{ op: "remove", path: "/rules/0/resourceNames" }],
      { type: JSON_PATCH },
    ],
    [
      "a change by an apply",
      "will",
      `PATCH ${IN}/roles/small?fieldManager=m&force=true`,
      REFUSED,
      kinded("Role", role("small", "get secrets")),
      { type: APPLY },
    ],
    [
      "a change by an apply in YAML",
      "will",
      `PATCH ${RBAC}/clusterroles/narrow?fieldManager=m&force=true`,
      REFUSED,
      `apiVersion: ${RBAC_GROUP}/v1\nkind: ClusterRole\nmetadata: {name: narrow}\nrules: [{verbs: ["*"], apiGroups: ["*"], resources: ["*"]}]\n`,
      { type: APPLY },
    ],
    [
      "a part of a role that is no subresource",
      "will",
      `PUT ${RBAC}/clusterroles/narrow/status`,
      REFUSED,
      role("narrow", WILD),
    ],
    [
      "status of a role by who may write everything of roles",
      "lord",
      `PUT ${RBAC}/clusterroles/narrow/status`,
      "404 NotFound",
      role("narrow", WILD),
    ],
    [
      "a label on a bootstrap role of more than one has",
      "will",
      `PATCH ${RBAC}/clusterroles/admin`,
      REFUSED,
      { metadata: { labels: { gather: "yes" } } },
      { type: MERGE },
    ],
    ["one that escalates one role, another role", "eve", `POST ${RBAC}/clusterroles`, REFUSED, role("r", WILD)],
    ["one that escalates cluster roles, a role", "eve", `POST ${IN}/roles`, REFUSED, role("narrow", "get secrets")],
    ["a namespace's admin, a cluster role", "ada", `POST ${RBAC}/clusterroles`, REFUSED, role("r", "get secrets")],
    ["a namespace's admin, a role of nodes", "ada", `POST ${IN}/roles`, REFUSED, role("r", "get nodes/proxy")],
    [
      "a namespace's admin, a role in another namespace",
      "ada",
      `POST ${RBAC}/namespaces/other/roles`,
      REFUSED,
      role("r", "get pods"),
    ],
    ["an editor, a role of what it has", "ed", `POST ${IN}/roles`, REFUSED, role("r", "get pods")],
    ["a viewer, secrets", "vera", `GET ${SECRETS}/jewel`, REFUSED],
    ["a viewer, the list of secrets", "vera", `GET ${SECRETS}`, REFUSED],
  ];
  tryAll(rows, () => arena);
});

describe("a user may not grant more rights than it has by role aggregation", () => {
  const rows: readonly Try[] = [
    ["an empty role that gathers", "will", `POST ${RBAC}/clusterroles`, REFUSED, gathering("g")],
    [
      "a role that gathers and has a harmless rule",
      "will",
      `POST ${RBAC}/clusterroles`,
      REFUSED,
      gathering("g", "get pods"),
    ],
    [
      "a rule of aggregation added by PUT",
      "will",
      `PUT ${RBAC}/clusterroles/narrow`,
      REFUSED,
      gathering("narrow", "get pods"),
    ],
    [
      "by a merge patch",
      "will",
      `PATCH ${RBAC}/clusterroles/narrow`,
      REFUSED,
      { aggregationRule: { clusterRoleSelectors: [{}] } },
      { type: MERGE },
    ],
    [
      "by a JSON patch",
      "will",
      `PATCH ${RBAC}/clusterroles/narrow`,
      REFUSED,
      [{ op: "add", path: "/aggregationRule", value: { clusterRoleSelectors: [{}] } }],
      { type: JSON_PATCH },
    ],
    [
      "by an apply",
      "will",
      `PATCH ${RBAC}/clusterroles/narrow?fieldManager=m&force=true`,
      REFUSED,
      kinded("ClusterRole", gathering("narrow", "get pods")),
      { type: APPLY },
    ],
    [
      "a selector more in a role that gathers",
      "will",
      `PATCH ${RBAC}/clusterroles/gatherer`,
      REFUSED,
      { aggregationRule: { clusterRoleSelectors: [{}] } },
      { type: MERGE },
    ],
    [
      "the rule taken from a role that gathers",
      "will",
      `PUT ${RBAC}/clusterroles/gatherer`,
      REFUSED,
      role("gatherer", "get pods"),
    ],
    [
      "a label that makes view gather a role of more",
      "will",
      `PATCH ${RBAC}/clusterroles/secrets-of-all`,
      REFUSED,
      { metadata: { labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } } },
      { type: MERGE },
    ],
    [
      "that label by a JSON patch",
      "will",
      `PATCH ${RBAC}/clusterroles/secrets-of-all`,
      REFUSED,
      [{ op: "add", path: "/metadata/labels", value: { gather: "yes" } }],
      { type: JSON_PATCH },
    ],
    [
      "a new role with that label, of more",
      "will",
      `POST ${RBAC}/clusterroles`,
      REFUSED,
      {
        metadata: { name: "g", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } },
        rules: [ruleOf("get secrets")],
      },
    ],
    [
      "a role that is gathered gets more",
      "will",
      `PATCH ${RBAC}/clusterroles/gathered`,
      REFUSED,
      { rules: [ruleOf(WILD)] },
      { type: MERGE },
    ],
    [
      "gathering by one that may escalate, without all rights",
      "eve",
      `POST ${RBAC}/clusterroles`,
      REFUSED,
      gathering("g"),
    ],
    [
      "aggregation in a namespace's role, which has none",
      "lord",
      `POST ${IN}/roles?fieldValidation=Strict`,
      "400 BadRequest",
      gathering("g"),
    ],
  ];
  tryAll(rows, () => arena);
});

describe("a user may not grant more rights than it has by a binding", () => {
  const own = (name: string, to: string, who = "will") => bindingOf(name, to, who);
  const rows: readonly Try[] = [
    [
      "oneself to cluster-admin",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin"),
    ],
    [
      "oneself to cluster-admin in a namespace",
      "will",
      `POST ${IN}/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin"),
    ],
    [
      "in dry run",
      "will",
      `POST ${RBAC}/clusterrolebindings?dryRun=All`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin"),
    ],
    [
      "of a generated name",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      { ...own("", "ClusterRole/cluster-admin"), metadata: { generateName: "b-" } },
    ],
    [
      "a group of oneself",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin", "@system:authenticated"),
    ],
    [
      "everybody without credentials",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin", "@system:unauthenticated"),
    ],
    [
      "somebody else",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/secrets-of-all", "friend"),
    ],
    [
      "no subjects, to be filled later",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      { ...own("b", "ClusterRole/cluster-admin"), subjects: [] },
    ],
    ["a role that does not exist yet", "will", `POST ${IN}/rolebindings`, "404 NotFound", own("b", "Role/later")],
    [
      "a cluster role that does not exist yet",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      "404 NotFound",
      own("b", "ClusterRole/later"),
    ],
    ["by PUT", "will", `PUT ${IN}/rolebindings/b`, REFUSED, own("b", "ClusterRole/admin")],
    [
      "by an apply",
      "will",
      `PATCH ${RBAC}/clusterrolebindings/b?fieldManager=m`,
      REFUSED,
      kinded("ClusterRoleBinding", own("b", "ClusterRole/cluster-admin")),
      { type: APPLY },
    ],
    [
      "one's name added to a binding of more, by a merge patch",
      "will",
      `PATCH ${RBAC}/clusterrolebindings/lords`,
      REFUSED,
      { subjects: [{ apiGroup: RBAC_GROUP, kind: "User", name: "will" }] },
      { type: MERGE },
    ],
    [
      "by a JSON patch",
      "will",
      `PATCH ${RBAC}/clusterrolebindings/lords`,
      REFUSED,
      [{ op: "replace", path: "/subjects/0/name", value: "will" }],
      { type: JSON_PATCH },
    ],
    [
      "by a strategic merge patch",
      "will",
      `PATCH ${RBAC}/clusterrolebindings/lords`,
      REFUSED,
      { subjects: [{ apiGroup: RBAC_GROUP, kind: "User", name: "will" }] },
      { type: STRATEGIC },
    ],
    [
      "by an apply of subjects alone",
      "will",
      `PATCH ${RBAC}/clusterrolebindings/cluster-admin?fieldManager=m&force=true`,
      REFUSED,
      kinded("ClusterRoleBinding", own("cluster-admin", "ClusterRole/cluster-admin")),
      { type: APPLY },
    ],
    [
      "the role of a binding exchanged",
      "will",
      `PATCH ${IN}/rolebindings/small`,
      "422 Invalid",
      { roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: "narrow" } },
      { type: MERGE },
    ],
    [
      "the role of a binding exchanged for more",
      "will",
      `PATCH ${IN}/rolebindings/small`,
      REFUSED,
      { roleRef: { apiGroup: RBAC_GROUP, kind: "ClusterRole", name: "cluster-admin" } },
      { type: MERGE },
    ],
    [
      "a binding of another group's role",
      "will",
      `POST ${IN}/rolebindings`,
      "422 Invalid",
      { ...own("b", "ClusterRole/narrow"), roleRef: { apiGroup: "example.com", kind: "ClusterRole", name: "narrow" } },
    ],
    ["a kind that is no role", "will", `POST ${RBAC}/clusterrolebindings`, "500", own("b", "Pod/cluster-admin")],
    [
      "a role in a cluster role binding",
      "lord",
      `POST ${RBAC}/clusterrolebindings`,
      "422 Invalid",
      own("b", "Role/small"),
    ],
    [
      "a cluster role's name with a path in it",
      "will",
      `POST ${RBAC}/clusterrolebindings`,
      "404 NotFound",
      own("b", "ClusterRole/.."),
    ],
    ["one that binds one role, another role", "bob", `POST ${IN}/rolebindings`, REFUSED, own("b", "ClusterRole/edit")],
    [
      "one that binds cluster roles, a role of the same name",
      "bob",
      `POST ${IN}/rolebindings`,
      "404 NotFound",
      own("b", "Role/view"),
    ],
    [
      "one that binds in a namespace, in another",
      "ben",
      `POST ${RBAC}/namespaces/other/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/view"),
    ],
    [
      "one that binds in a namespace, in all",
      "ben",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/view"),
    ],
    [
      "one that escalates roles, a binding",
      "eve",
      `POST ${IN}/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/secrets-of-all"),
    ],
    [
      "a namespace's admin, cluster-admin",
      "ada",
      `POST ${IN}/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/cluster-admin", "ada"),
    ],
    [
      "a namespace's admin, for all namespaces",
      "ada",
      `POST ${RBAC}/clusterrolebindings`,
      REFUSED,
      own("b", "ClusterRole/admin", "ada"),
    ],
    [
      "a namespace's admin, in another",
      "ada",
      `POST ${RBAC}/namespaces/other/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/admin", "ada"),
    ],
    [
      "an object of another namespace than the path's",
      "ada",
      `POST ${IN}/rolebindings`,
      "400 BadRequest",
      { ...own("b", "ClusterRole/admin", "ada"), metadata: { name: "b", namespace: "other" } },
    ],
    [
      "an editor, a binding to what it has",
      "ed",
      `POST ${IN}/rolebindings`,
      REFUSED,
      own("b", "ClusterRole/view", "friend"),
    ],
  ];
  tryAll(rows, () => arena);
});

test("after these attacks the attackers have the same rights, and the server reported no error", async () => {
  for (const user of ["will", "eve", "bob", "ben", "nell", "ada"]) {
    const answer = await arena.send(user, {
      method: "POST",
      path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
      body: { spec: { resourceAttributes: { verb: "*", group: "*", resource: "*" } } },
    });
    expect(JSON.parse(answer.text), user).toMatchObject({ status: { allowed: false } });
  }
  expect(arena.faults).toEqual([]);
});
