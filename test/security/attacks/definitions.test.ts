import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { call } from "../../helpers/api-caller.js";
import { eventually } from "../../helpers/eventually.js";
import { bindingOf, RBAC } from "../arena.js";
import { type Attack, AttackedCluster, defendAgainst, IN_SHOP, type Line } from "./attacked-cluster.js";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

let cluster: AttackedCluster;
beforeAll(async () => {
  cluster = await AttackedCluster.open();
});
afterAll(() => cluster[Symbol.asyncDispose]());

/** A definition that preserves every field, so that its objects may look like any built-in's. */
function definition(group: string, plural: string, kind: string, versions: readonly string[], scope = "Namespaced") {
  return {
    metadata: {
      name: `${plural}.${group}`,
      annotations: { "api-approved.kubernetes.io": "unapproved, attack" },
    },
    spec: {
      group,
      scope,
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      })),
    },
  };
}

/** Built-in kinds, and the versions in which a definition of the same name is tried. */
const SHADOWED: readonly (readonly [
  group: string,
  plural: string,
  kind: string,
  versions: string,
  scope?: "Cluster",
])[] = [
  ["rbac.authorization.k8s.io", "rolebindings", "RoleBinding", "v1"],
  ["rbac.authorization.k8s.io", "rolebindings", "RoleBinding", "v2"],
  ["rbac.authorization.k8s.io", "roles", "Role", "v2,v1"],
  ["rbac.authorization.k8s.io", "clusterroles", "ClusterRole", "v2", "Cluster"],
  ["rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", "v2", "Cluster"],
  ["rbac.authorization.k8s.io", "clusterrolebindings", "ClusterRoleBinding", "v1beta1", "Cluster"],
  [
    "admissionregistration.k8s.io",
    "validatingwebhookconfigurations",
    "ValidatingWebhookConfiguration",
    "v2",
    "Cluster",
  ],
  ["admissionregistration.k8s.io", "mutatingwebhookconfigurations", "MutatingWebhookConfiguration", "v1", "Cluster"],
  ["admissionregistration.k8s.io", "validatingadmissionpolicies", "ValidatingAdmissionPolicy", "v2", "Cluster"],
  [
    "admissionregistration.k8s.io",
    "validatingadmissionpolicybindings",
    "ValidatingAdmissionPolicyBinding",
    "v2",
    "Cluster",
  ],
  ["apiextensions.k8s.io", "customresourcedefinitions", "CustomResourceDefinition", "v2", "Cluster"],
  ["apiregistration.k8s.io", "apiservices", "APIService", "v2", "Cluster"],
  ["certificates.k8s.io", "certificatesigningrequests", "CertificateSigningRequest", "v2", "Cluster"],
  ["authentication.k8s.io", "tokenreviews", "TokenReview", "v2", "Cluster"],
  ["authorization.k8s.io", "subjectaccessreviews", "SubjectAccessReview", "v2", "Cluster"],
  ["coordination.k8s.io", "leases", "Lease", "v2"],
  ["apps", "deployments", "Deployment", "v2"],
  ["apps", "deployments", "Deployment", "v1"],
  ["batch", "jobs", "Job", "v2,v1"],
  ["autoscaling", "horizontalpodautoscalers", "HorizontalPodAutoscaler", "v3"],
  ["policy", "poddisruptionbudgets", "PodDisruptionBudget", "v2"],
  ["networking.k8s.io", "networkpolicies", "NetworkPolicy", "v2"],
  ["scheduling.k8s.io", "priorityclasses", "PriorityClass", "v2", "Cluster"],
  ["storage.k8s.io", "storageclasses", "StorageClass", "v2", "Cluster"],
  ["discovery.k8s.io", "endpointslices", "EndpointSlice", "v2"],
  ["flowcontrol.apiserver.k8s.io", "flowschemas", "FlowSchema", "v2", "Cluster"],
];

/** Each of these is in a test cluster, and must be served as ever whatever definitions there are. */
const BUILT_IN = [
  `${RBAC}/clusterroles?limit=1`,
  `${RBAC}/clusterrolebindings?limit=1`,
  `${RBAC}/roles?limit=1`,
  `${RBAC}/rolebindings?limit=1`,
  "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
  "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
  "/apis/apps/v1/deployments",
  "/apis/batch/v1/jobs",
  "/apis/coordination.k8s.io/v1/leases",
  "/apis/certificates.k8s.io/v1/certificatesigningrequests",
  "/apis/apiregistration.k8s.io/v1/apiservices",
  DEFINITIONS,
  "/readyz",
];

async function expectBuiltInKinds(): Promise<void> {
  for (const path of BUILT_IN) await cluster.arena.make("GET", path);
}

describe("an attacker's definition with the name of a built-in kind", () => {
  const attacks = SHADOWED.map(([group, plural, kind, versions, scope]): Attack => {
    const names = versions.split(",");
    const made = definition(group, plural, kind, names, scope);
    const objects = `/apis/${group}/${names[0]}/${scope === "Cluster" ? "" : `${IN_SHOP}/`}${plural}`;
    const gift = {
      ...bindingOf("gift", "ClusterRole/cluster-admin", "dora"),
      apiVersion: `${group}/${names[0]}`,
      kind,
    };
    return {
      title: `${plural}.${group}/${versions}: made, filled, and deleted`,
      lines: (): readonly Line[] => [
        [`POST ${DEFINITIONS}`, made],
        [`GET ${DEFINITIONS}/${plural}.${group}`],
        [`POST ${objects}`, gift],
        [`DELETE ${DEFINITIONS}/${plural}.${group}`],
      ],
      // A definition's group has a dot.
      answers: { definitions: group.includes(".") ? ["201", "200", "*", "200"] : ["422 Invalid", "404 NotFound", "*"] },
    };
  });
  for (const attack of attacks) {
    test(attack.title, async () => {
      await cluster.defend(attack);
      await expectBuiltInKinds();
      const path = attack.lines("", cluster)[1]?.[0].replace("GET ", "") ?? "";
      await eventually(async () => expect((await call(cluster.arena.admin, "GET", path)).status).toBe(404));
      await expectBuiltInKinds();
      await cluster.expectUnharmed(undefined, attack.title);
    });
  }
  test("is attacked in at least twenty ways", () => expect(attacks.length).toBeGreaterThanOrEqual(20));
});

describe("an attacker's status and scale of definitions and custom objects", () => {
  const status = (name: string) => `${DEFINITIONS}/${name}/status`;
  const merge = { type: "application/merge-patch+json" };
  /** A definition of the attackers' own, which the status of may be written by one who may create definitions. */
  const own = (name: string) => definition(`${name}.example.com`, "things", "Thing", ["v1"]);
  const withStatus = (name: string, value: object, answers: readonly string[] = ["201", "200"]): Attack => ({
    title: name,
    lines: (unique) => [
      [`POST ${DEFINITIONS}`, own(unique)],
      [`PATCH ${status(`things.${unique}.example.com`)}`, { status: value }, merge],
    ],
    answers: { definitions: answers },
  });
  const scaled = (path: string): object => ({
    specReplicasPath: path,
    statusReplicasPath: ".status.replicas",
  });
  const subresources = (name: string, value: object, answer: string): Attack => ({
    title: name,
    lines: (unique) => {
      const made = own(unique);
      return [
        [
          `POST ${DEFINITIONS}`,
          { ...made, spec: { ...made.spec, versions: made.spec.versions.map((v) => ({ ...v, subresources: value })) } },
        ],
      ];
    },
    answers: { definitions: [answer] },
  });
  const accepted = {
    plural: "rolebindings",
    kind: "RoleBinding",
    singular: "rolebinding",
    listKind: "RoleBindingList",
  };
  defendAgainst(
    [
      withStatus("accepted names that are those of a built-in", { acceptedNames: accepted }),
      withStatus("accepted names that are those of secrets", { acceptedNames: { plural: "secrets", kind: "Secret" } }),
      withStatus("stored versions that no version has", { storedVersions: ["v9"] }, ["201", "*"]),
      withStatus("no stored versions", { storedVersions: [] }, ["201", "*"]),
      withStatus("conditions that say it is established", { conditions: [{ type: "Established", status: "True" }] }),
      withStatus("conditions that say it is terminating", { conditions: [{ type: "Terminating", status: "True" }] }),
      withStatus("conditions of prototype names", { conditions: [{ type: "__proto__", status: "True" }] }),
      withStatus("names of prototypes", { acceptedNames: { plural: "constructor", kind: "Constructor" } }),
      subresources(
        "a scale that reads another object's path",
        { scale: scaled(".metadata.annotations.x") },
        "422 Invalid",
      ),
      subresources("a scale that reads the whole spec", { scale: scaled(".spec") }, "422 Invalid"),
      subresources("a scale of a prototype", { scale: scaled(".spec.__proto__.replicas") }, "*"),
      subresources("a scale of a constructor", { scale: scaled(".spec.constructor.prototype") }, "*"),
      subresources("a scale with a list", { scale: scaled(".spec.items[0]") }, "*"),
      ...["rolebindings", "clusterroles", "roles", "clusterrolebindings"].map(
        (plural): Attack => ({
          title: `a status of the built-in ${plural}`,
          lines: () => [
            [
              `PATCH ${RBAC}/${plural.startsWith("cluster") ? "" : `${IN_SHOP}/`}${plural}/editors/status`,
              { status: {} },
              merge,
            ],
          ],
        }),
      ),
      ...["scale", "status", "approval", "finalize"].map(
        (part): Attack => ({
          title: `the ${part} of the definition of a kind that others made`,
          lines: () => [[`PATCH ${DEFINITIONS}/others.example.org/${part}`, { spec: { replicas: 1 } }, merge]],
          answers: part === "status" ? { definitions: ["404 NotFound"] } : {},
        }),
      ),
    ],
    () => cluster,
  );
});
