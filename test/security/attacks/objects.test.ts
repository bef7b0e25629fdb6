import { afterAll, beforeAll, describe } from "vitest";
import { MERGE, pod } from "../arena.js";
import {
  type Attack,
  AttackedCluster,
  defendAgainst,
  deployment,
  IN_SHOP,
  IN_VAULT,
  type Line,
  SHOP,
  VAULT,
} from "./attacked-cluster.js";

const APPS = "/apis/apps/v1";
const NODE = "/api/v1/nodes/node-1";
const VAULTED = {
  pod: `${VAULT}/pods/vaulted`,
  deployment: `${APPS}/${IN_VAULT}/deployments/vaulted`,
  secret: `${VAULT}/secrets/jewel`,
};
const CLUSTER_ADMIN = "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin";
const SHOPS = `${SHOP}/pods/web`;

let cluster: AttackedCluster;
beforeAll(async () => {
  cluster = await AttackedCluster.open();
  await cluster.learn(
    ...Object.values(VAULTED),
    SHOPS,
    NODE,
    CLUSTER_ADMIN,
    "/api/v1/namespaces/vault",
    "/api/v1/namespaces/shop",
  );
});
afterAll(() => cluster[Symbol.asyncDispose]());

const patch = (title: string, path: string, body: unknown, answers: Attack["answers"] = {}): Attack => ({
  title,
  lines: () => [[`PATCH ${path}`, body, { type: MERGE }]],
  answers,
});

describe("an attacker's status and scale of objects", () => {
  const loopback = { status: { podIP: "127.0.0.1", podIPs: [{ ip: "127.0.0.1" }] } };
  const scaled = { spec: { replicas: 1000 } };
  defendAgainst(
    [
      patch("a pod's own address", `${SHOP}/pods/web/status`, loopback),
      patch("the address of a pod in another namespace", `${VAULT}/pods/vaulted/status`, loopback),
      patch("a node's address", `${NODE}/status`, {
        status: { addresses: [{ type: "InternalIP", address: "127.0.0.1" }] },
      }),
      patch("a node's kubelet port", `${NODE}/status`, {
        status: { daemonEndpoints: { kubeletEndpoint: { Port: 22 } } },
      }),
      patch("a namespace's phase", "/api/v1/namespaces/vault/status", { status: { phase: "Terminating" } }),
      {
        title: "a namespace's finalizers",
        lines: () => [
          ["PUT /api/v1/namespaces/vault/finalize", { metadata: { name: "vault" }, spec: { finalizers: [] } }],
        ],
      },
      patch("a Service's addresses", `${SHOP}/services/web/status`, {
        status: { loadBalancer: { ingress: [{ ip: "127.0.0.1" }] } },
      }),
      patch("a Deployment's status", `${APPS}/${IN_SHOP}/deployments/web/status`, { status: { replicas: 7 } }),
      patch("a claim's status", `${SHOP}/persistentvolumeclaims/c/status`, { status: { phase: "Bound" } }),
      patch("a volume's status", "/api/v1/persistentvolumes/v/status", { status: { phase: "Available" } }),
      patch("a quota's status", `${SHOP}/resourcequotas/q/status`, { status: { used: { pods: "0" } } }),
      patch(
        "a definition's status",
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/a.b.c/status",
        { status: {} },
        { definitions: ["404 NotFound"] },
      ),
      patch("an APIService's status", "/apis/apiregistration.k8s.io/v1/apiservices/v1.apps/status", {
        status: { conditions: [] },
      }),
      patch("a Job's status", `/apis/batch/v1/${IN_SHOP}/jobs/j/status`, { status: { succeeded: 1 } }),
      patch("an autoscaler's status", `/apis/autoscaling/v2/${IN_SHOP}/horizontalpodautoscalers/h/status`, {
        status: { desiredReplicas: 9 },
      }),
      patch("a budget's status", `/apis/policy/v1/${IN_SHOP}/poddisruptionbudgets/b/status`, {
        status: { disruptionsAllowed: 9 },
      }),
      patch("an Ingress's status", `/apis/networking.k8s.io/v1/${IN_SHOP}/ingresses/i/status`, { status: {} }),
      patch("a policy's status", "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p/status", {
        status: {},
      }),
      patch("a flow schema's status", "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/exempt/status", {
        status: {},
      }),
      patch("the scale of a Deployment in another namespace", `${VAULTED.deployment}/scale`, scaled),
      patch("the scale of a StatefulSet in another namespace", `${APPS}/${IN_VAULT}/statefulsets/s/scale`, scaled),
      patch("the scale of a ReplicaSet of kube-system", `${APPS}/namespaces/kube-system/replicasets/s/scale`, scaled),
      {
        title: "the scale of one's own, with the name of another",
        lines: () => [
          [
            `PUT ${APPS}/${IN_SHOP}/deployments/web/scale`,
            {
              apiVersion: "autoscaling/v1",
              kind: "Scale",
              metadata: { name: "vaulted", namespace: "vault" },
              spec: { replicas: 0 },
            },
          ],
        ],
        answers: { edit: ["400 BadRequest"] },
      },
      {
        title: "an eviction of one's own pod, with the namespace of another",
        lines: () => [
          [
            `POST ${SHOP}/pods/vaulted/eviction`,
            { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "vaulted", namespace: "vault" } },
          ],
        ],
        answers: { edit: ["400 BadRequest"] },
      },
      {
        title: "a binding of one's own pod, with the namespace of another",
        lines: () => [
          [
            `POST ${SHOP}/pods/web/binding`,
            { metadata: { name: "web", namespace: "vault" }, target: { kind: "Node", name: "node-1" } },
          ],
        ],
      },
    ],
    () => cluster,
  );
});

describe("an attacker's owner references", () => {
  interface Owner {
    readonly title: string;
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly path: string;
  }
  const OWNERS: readonly Owner[] = [
    { title: "a pod of another namespace", apiVersion: "v1", kind: "Pod", name: "vaulted", path: VAULTED.pod },
    {
      title: "a Deployment of another namespace",
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "vaulted",
      path: VAULTED.deployment,
    },
    { title: "a secret of another namespace", apiVersion: "v1", kind: "Secret", name: "jewel", path: VAULTED.secret },
    { title: "the node", apiVersion: "v1", kind: "Node", name: "node-1", path: NODE },
    {
      title: "the role cluster-admin",
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      name: "cluster-admin",
      path: CLUSTER_ADMIN,
    },
    {
      title: "another namespace",
      apiVersion: "v1",
      kind: "Namespace",
      name: "vault",
      path: "/api/v1/namespaces/vault",
    },
  ];
  const owned = (name: string, { apiVersion, kind, name: owner }: Owner, uid: string, more: object = {}) => ({
    metadata: { name, ownerReferences: [{ apiVersion, kind, name: owner, uid, ...more }] },
  });
  const created = (
    owner: Owner,
    title: string,
    more: object,
    then: (name: string) => readonly Line[] = () => [],
  ): Attack => ({
    title: `${title} of ${owner.title}`,
    lines: (name, { uid }) => [[`POST ${SHOP}/configmaps`, owned(name, owner, uid(owner.path), more)], ...then(name)],
    answers: { edit: ["201", ...then("").map(() => "*")] },
  });
  const foreground = { kind: "DeleteOptions", apiVersion: "v1", propagationPolicy: "Foreground" };
  defendAgainst(
    [
      ...OWNERS.map((owner) => created(owner, "an object", {})),
      ...OWNERS.map((owner) =>
        created(owner, "an object that blocks the deletion", { blockOwnerDeletion: true, controller: true }),
      ),
      ...OWNERS.map((owner) =>
        created(owner, "an object that is deleted in the foreground", { blockOwnerDeletion: true }, (name) => [
          [`DELETE ${SHOP}/configmaps/${name}`, foreground],
        ]),
      ),
      ...OWNERS.slice(0, 4).map(
        (owner): Attack => ({
          title: `a foreground deletion of ${owner.title} itself`,
          lines: () => [[`DELETE ${owner.path}`, foreground]],
        }),
      ),
      {
        title: "a pod that another namespace's Deployment could adopt",
        lines: (name) => [[`POST ${SHOP}/pods`, pod(name, {}, { labels: { app: "vaulted" } })]],
        answers: { edit: ["201"], pods: ["201"] },
      },
      {
        title: "a Deployment that could adopt another namespace's pods",
        lines: () => [
          [`POST ${APPS}/${IN_SHOP}/deployments`, deployment("vaulted", 0)],
          [`DELETE ${APPS}/${IN_SHOP}/deployments/vaulted`],
        ],
        answers: { edit: ["201", "200"] },
      },
      {
        title: "owners of an object in another namespace",
        lines: (_, { uid }) => [
          [
            `PATCH ${VAULTED.secret}`,
            { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "web", uid: uid(SHOPS) }] } },
            { type: MERGE },
          ],
        ],
      },
    ],
    () => cluster,
  );
});
