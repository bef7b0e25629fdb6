import { afterAll, beforeAll, describe } from "vitest";
import { APPLY, bindingOf, JSON_PATCH, MERGE, RBAC, RBAC_GROUP, STRATEGIC } from "../arena.js";
import {
  type Attack,
  AttackedCluster,
  defendAgainst,
  IN_SHOP,
  IN_VAULT,
  type Line,
  VAULT,
} from "./attacked-cluster.js";

let cluster: AttackedCluster;
beforeAll(async () => {
  cluster = await AttackedCluster.open();
});
afterAll(() => cluster[Symbol.asyncDispose]());

const EVERYTHING = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
const SECRETS = [{ verbs: ["get", "list"], apiGroups: [""], resources: ["secrets"] }];
const one = (title: string, request: string, body?: unknown, type?: string): Attack => ({
  title,
  lines: (): readonly Line[] => [[request, body, type === undefined ? {} : { type }]],
});
const typed = (kind: string, object: object) => ({ apiVersion: `${RBAC_GROUP}/v1`, kind, ...object });
const SELF = "ed,dora,hugo,paul,vera,system:anonymous";

describe("an attacker who writes roles and bindings without the verbs escalate and bind", () => {
  const bindings = `${RBAC}/${IN_SHOP}/rolebindings`;
  const to = (role: string, users = SELF) => bindingOf("mine", role, users);
  const role = (verbs: string, resources: string, group = RBAC_GROUP) => ({
    metadata: { name: "mine" },
    rules: [{ verbs: [verbs], apiGroups: [group], resources: [resources] }],
  });
  const patch = { subjects: [{ kind: "User", apiGroup: RBAC_GROUP, name: "ed" }] };
  defendAgainst(
    [
      ...[
        "cluster-admin",
        "admin",
        "edit",
        "view",
        "system:node",
        "system:kube-controller-manager",
        "no-such-role",
      ].map((name) => one(`a binding in the namespace to ${name}`, `POST ${bindings}`, to(`ClusterRole/${name}`))),
      one("a binding in another namespace", `POST ${RBAC}/${IN_VAULT}/rolebindings`, to("ClusterRole/view")),
      one("a binding in kube-system", `POST ${RBAC}/namespaces/kube-system/rolebindings`, to("ClusterRole/admin")),
      one("a binding of everybody", `POST ${bindings}`, to("ClusterRole/cluster-admin", "@system:authenticated")),
      one("a binding of the cluster", `POST ${RBAC}/clusterrolebindings`, to("ClusterRole/cluster-admin")),
      one("a binding in dry run", `POST ${bindings}?dryRun=All`, to("ClusterRole/view")),
      one("a binding without roleRef", `POST ${bindings}`, { metadata: { name: "mine" } }),
      one("a role of everything", `POST ${RBAC}/${IN_SHOP}/roles`, { metadata: { name: "mine" }, rules: EVERYTHING }),
      one("a role that may escalate", `POST ${RBAC}/${IN_SHOP}/roles`, role("escalate", "roles")),
      one("a role that may bind", `POST ${RBAC}/${IN_SHOP}/roles`, role("bind", "clusterroles")),
      one("a role that may impersonate", `POST ${RBAC}/${IN_SHOP}/roles`, role("impersonate", "serviceaccounts", "")),
      one("a cluster role of everything", `POST ${RBAC}/clusterroles`, {
        metadata: { name: "mine" },
        rules: EVERYTHING,
      }),
      one("a merge patch of a binding", `PATCH ${bindings}/viewers`, patch, MERGE),
      one("a strategic patch of a binding", `PATCH ${bindings}/viewers`, patch, STRATEGIC),
      one(
        "a JSON patch of a binding",
        `PATCH ${bindings}/viewers`,
        [{ op: "add", path: "/subjects/-", value: patch.subjects[0] }],
        JSON_PATCH,
      ),
      one(
        "an apply of a binding",
        `PATCH ${bindings}/viewers?fieldManager=m&force=true`,
        typed("RoleBinding", to("ClusterRole/edit")),
        APPLY,
      ),
      one(
        "a binding that is replaced",
        `PUT ${bindings}/viewers`,
        typed("RoleBinding", bindingOf("viewers", "ClusterRole/edit", SELF)),
      ),
      one("a binding that is deleted", `DELETE ${bindings}/viewers`),
      one("all bindings deleted", `DELETE ${bindings}`),
      one(
        "a binding of an old version",
        `POST /apis/${RBAC_GROUP}/v1beta1/${IN_SHOP}/rolebindings`,
        to("ClusterRole/admin"),
      ),
    ],
    () => cluster,
  );
});

describe("an attacker's labels of role aggregation", () => {
  const roles = `${RBAC}/clusterroles`;
  const label = (part: string) => ({ [`rbac.authorization.k8s.io/aggregate-to-${part}`]: "true" });
  const gathered = (part: string) => ({ metadata: { name: `gathered-${part}`, labels: label(part) }, rules: SECRETS });
  const gatherer = (selector: object) => ({
    metadata: { name: "gatherer" },
    aggregationRule: { clusterRoleSelectors: [selector] },
  });
  defendAgainst(
    [
      ...["edit", "admin", "view"].flatMap((part) => [
        one(`a new role for ${part}`, `POST ${roles}`, gathered(part)),
        one(
          `a role that is replaced by one for ${part}`,
          `PUT ${roles}/system:discovery`,
          typed("ClusterRole", { ...gathered(part), metadata: { name: "system:discovery", labels: label(part) } }),
        ),
        one(
          `a merge patch that labels for ${part}`,
          `PATCH ${roles}/system:kube-controller-manager`,
          { metadata: { labels: label(part) } },
          MERGE,
        ),
        one(
          `a strategic patch that labels for ${part}`,
          `PATCH ${roles}/cluster-admin`,
          { metadata: { labels: label(part) } },
          STRATEGIC,
        ),
        one(
          `a JSON patch that labels for ${part}`,
          `PATCH ${roles}/system:node`,
          [{ op: "add", path: "/metadata/labels", value: label(part) }],
          JSON_PATCH,
        ),
        one(
          `an apply that labels for ${part}`,
          `PATCH ${roles}/applied-${part}?fieldManager=m`,
          typed("ClusterRole", { metadata: { name: `applied-${part}`, labels: label(part) }, rules: SECRETS }),
          APPLY,
        ),
      ]),
      one("a role that gathers all", `POST ${roles}`, gatherer({})),
      one("a role that gathers what edit gathers", `POST ${roles}`, gatherer({ matchLabels: label("edit") })),
      one("a rule of edit that is widened", `PATCH ${roles}/edit`, { rules: EVERYTHING }, MERGE),
      one(
        "an aggregation rule of edit that is widened",
        `PATCH ${roles}/edit`,
        { aggregationRule: { clusterRoleSelectors: [{}] } },
        MERGE,
      ),
      one("a role of a namespace with the label", `POST ${RBAC}/${IN_SHOP}/roles`, gathered("edit")),
    ],
    () => cluster,
  );
});

describe("an attacker's impersonation", () => {
  const REFUSED = ["403 Forbidden"];
  /** Whoever sends it: the secret is what the impersonated could read. */
  const as = (
    title: string,
    headers: Readonly<Record<string, string | string[]>>,
    answer: readonly string[] = REFUSED,
  ): Attack => ({
    title,
    lines: () => [[`GET ${VAULT}/secrets/jewel`, undefined, { headers }]],
    answers: { edit: answer, definitions: answer, hooks: answer, nobody: answer, pods: answer, view: answer },
  });
  const review = (title: string, headers: Readonly<Record<string, string>>): Attack => ({
    title,
    lines: () => [
      [
        "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        { spec: { resourceAttributes: { verb: "*", resource: "*" } } },
        { headers },
      ],
    ],
  });
  defendAgainst(
    [
      ...[
        "admin",
        "system:admin",
        "kubernetes-admin",
        "system:apiserver",
        "system:kube-controller-manager",
        "system:kube-scheduler",
        "system:node:node-1",
        "system:serviceaccount:kube-system:default",
        "system:serviceaccount:vault:default",
        "jane",
      ].map((user) => as(`of ${user}`, { "Impersonate-User": user })),
      as("of a member of system:masters", { "Impersonate-User": "ed", "Impersonate-Group": "system:masters" }),
      as("of several groups", {
        "Impersonate-User": "ed",
        "Impersonate-Group": ["system:authenticated", "system:masters"],
      }),
      as("of a uid", { "Impersonate-User": "ed", "Impersonate-Uid": "0" }),
      as("of an extra", { "Impersonate-User": "ed", "Impersonate-Extra-Scopes": "all" }),
      as("of a group alone", { "Impersonate-Group": "system:masters" }, ["*"]),
      as("of an extra alone", { "Impersonate-Extra-Scopes": "all" }, ["*"]),
      as("of an empty name", { "Impersonate-User": "" }),
      as("in another case", { "iMpErSoNaTe-UsEr": "admin" }),
      as("twice", { "Impersonate-User": ["ed", "admin"] }, ["*"]),
      as("by a front proxy's headers", { "X-Remote-User": "admin", "X-Remote-Group": "system:masters" }),
      as("by a front proxy's headers of another case", {
        "x-remote-user": "admin",
        "x-remote-group": "system:masters",
      }),
      as("by a forwarded header", { Forwarded: "for=127.0.0.1;by=admin", "X-Forwarded-For": "127.0.0.1" }),
      as("by a kubelet's header", { "X-Remote-Extra-Node": "node-1", "X-Remote-User": "system:node:node-1" }),
      review("in a review of what one may do", { "Impersonate-User": "admin", "Impersonate-Group": "system:masters" }),
      as("by a constructor's name", { "Impersonate-User": "constructor" }),
      as("by basic credentials", { Authorization: `Basic ${Buffer.from("admin:admin").toString("base64")}` }, ["*"]),
    ],
    () => cluster,
  );
});
