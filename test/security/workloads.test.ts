import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APPLY, Arena, jewel, JSON_PATCH, MERGE, pod, STRATEGIC, type Try, tryAll, textIn } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const APPS = "/apis/apps/v1/namespaces/default";
const REFUSED = "403 Forbidden";

let arena: Arena;

const WEB_SOCKET = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": Buffer.alloc(16).toString("base64"),
  "sec-websocket-protocol": "v5.channel.k8s.io",
};
const ephemeral = (more: object = {}) => ({ spec: { ephemeralContainers: [{ name: "e", image: "i", ...more }] } });
const eviction = (name: string) => ({ apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
const scale = (name: string, replicas: number) => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name },
  spec: { replicas },
});
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image: "i" }] } },
  },
});
const ownedBy = (uid: string, block = true) => ({
  metadata: {
    ownerReferences: [{ apiVersion: "apps/v1", kind: "Deployment", name: "web", uid, blockOwnerDeletion: block }],
  },
});

/** pod may do everything with pods, dep with deployments; each without their subresources. own writes config maps, and nothing of deployments. */
beforeAll(async () => {
  arena = await Arena.open({ admission: { enable: ["OwnerReferencesPermissionEnforcement"] } });
  for (const name of ["default", "strong"]) await arena.create(`${CORE}/serviceaccounts`, { metadata: { name } });
  await arena.create(`${CORE}/secrets`, jewel("jewel"));
  await arena.create(`${CORE}/serviceaccounts`, {
    metadata: { name: "narrow", annotations: { "kubernetes.io/enforce-mountable-secrets": "true" } },
    secrets: [{ name: "own" }],
  });
  await arena.allowIn("default", "pod", "create,get,list,update,patch,delete pods");
  await arena.allowIn("default", "log", "get pods/log");
  await arena.allowIn("default", "exe", "get pods/exec,pods/attach,pods/portforward");
  await arena.allowIn("default", "dep", "get,list,update,patch,create apps:deployments");
  await arena.allowIn("default", "sca", "get,update,patch apps:deployments/scale");
  await arena.allowIn("default", "own", "get,create,update,patch configmaps");
  await arena.allowIn("default", "kit", "create,get,update,patch deployments", "get,create,update,patch configmaps");
  await arena.allow("spacer", "get,list,update,patch,delete namespaces");
  await arena.allow("crd", "create,get apiextensions.k8s.io:customresourcedefinitions");
  await arena.create(`${CORE}/pods`, pod("p", {}, { labels: { app: "p" } }));
  await arena.create(`${CORE}/configmaps`, { metadata: { name: "held", finalizers: ["example.com/x"] } });
  await arena.create(`${CORE}/configmaps`, { metadata: { name: "free" } });
  uid = textIn(await arena.create(`${APPS}/deployments`, deployment("web")), "metadata.uid");
});

let uid = "";

afterAll(() => arena[Symbol.asyncDispose]());

describe("a user who may write pods may not set every part of a pod:", () => {
  const rows: readonly Try[] = [
    [
      "an ephemeral container, through its subresource",
      "pod",
      `PATCH ${CORE}/pods/p/ephemeralcontainers`,
      REFUSED,
      ephemeral(),
      { type: STRATEGIC },
    ],
    [
      "an ephemeral container, by PUT",
      "pod",
      `PUT ${CORE}/pods/p/ephemeralcontainers`,
      REFUSED,
      { ...pod("p"), ...ephemeral() },
    ],
    [
      "an ephemeral container, by an apply",
      "pod",
      `PATCH ${CORE}/pods/p/ephemeralcontainers?fieldManager=m&force=true`,
      REFUSED,
      { apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, ...ephemeral() },
      { type: APPLY },
    ],
    [
      "an ephemeral container in the pod itself",
      "pod",
      `PATCH ${CORE}/pods/p`,
      "422 Invalid",
      ephemeral(),
      { type: STRATEGIC },
    ],
    ["an ephemeral container in a new pod", "pod", `POST ${CORE}/pods`, "422 Invalid", pod("x", ephemeral().spec)],
    ["an exec", "pod", `POST ${CORE}/pods/p/exec?command=ls&stdout=1`, REFUSED],
    ["an exec by GET", "pod", `GET ${CORE}/pods/p/exec?command=ls&stdout=1`, REFUSED],
    ["an attach", "pod", `POST ${CORE}/pods/p/attach?stdout=1`, REFUSED],
    ["a port-forward", "pod", `POST ${CORE}/pods/p/portforward`, REFUSED],
    ["a log", "pod", `GET ${CORE}/pods/p/log`, REFUSED],
    ["a proxy", "pod", `GET ${CORE}/pods/p/proxy/`, REFUSED],
    ["an eviction", "pod", `POST ${CORE}/pods/p/eviction`, REFUSED, eviction("p")],
    [
      "an eviction of an older version",
      "pod",
      `POST ${CORE}/pods/p/eviction`,
      REFUSED,
      { ...eviction("p"), apiVersion: "policy/v1beta1" },
    ],
    [
      "a binding",
      "pod",
      `POST ${CORE}/pods/p/binding`,
      REFUSED,
      { metadata: { name: "p" }, target: { kind: "Node", name: "n" } },
    ],
    [
      "a binding by the resource of bindings",
      "pod",
      `POST ${CORE}/bindings`,
      REFUSED,
      { metadata: { name: "p" }, target: { kind: "Node", name: "n" } },
    ],
    ["its status", "pod", `PATCH ${CORE}/pods/p/status`, REFUSED, { status: { phase: "Running" } }, { type: MERGE }],
    ["a resize", "pod", `PATCH ${CORE}/pods/p/resize`, REFUSED, {}, { type: MERGE }],
    ["the deletion of all", "pod", `DELETE ${CORE}/pods`, REFUSED],
    ["the deletion of those with a label", "pod", `DELETE ${CORE}/pods?labelSelector=app%3Dp`, REFUSED],
    ["the deletion of all of all namespaces", "pod", "DELETE /api/v1/pods", REFUSED],
    ["an exec by who may get it, with POST", "exe", `POST ${CORE}/pods/p/exec?command=ls`, REFUSED],
    ["an attach by who may get it, with POST", "exe", `POST ${CORE}/pods/p/attach`, REFUSED],
    ["a port-forward by who may get it, with POST", "exe", `POST ${CORE}/pods/p/portforward`, REFUSED],
    [
      "an exec by who may get it, with GET, as a WebSocket begins",
      "exe",
      `GET ${CORE}/pods/p/exec?command=ls&stdout=1`,
      REFUSED,
      undefined,
      { headers: WEB_SOCKET },
    ],
    [
      "an attach by who may get it, with GET",
      "exe",
      `GET ${CORE}/pods/p/attach?stdout=1`,
      REFUSED,
      undefined,
      { headers: WEB_SOCKET },
    ],
    [
      "a port-forward by who may get it, with GET",
      "exe",
      `GET ${CORE}/pods/p/portforward?ports=80`,
      REFUSED,
      undefined,
      { headers: { ...WEB_SOCKET, "sec-websocket-protocol": "SPDY/3.1+portforward.k8s.io" } },
    ],
    ["an exec into a pod that there is not, with GET", "exe", `GET ${CORE}/pods/ghost/exec?command=ls`, REFUSED],
    ["an exec by who may get logs", "log", `GET ${CORE}/pods/p/exec?command=ls`, REFUSED],
    ["the pod by who may get its log", "log", `GET ${CORE}/pods/p`, REFUSED],
    ["a pod in another namespace", "pod", "POST /api/v1/namespaces/kube-system/pods", REFUSED, pod("x")],
    [
      "a pod in another namespace, by its body",
      "pod",
      `POST ${CORE}/pods`,
      "400 BadRequest",
      pod("x", {}, { namespace: "kube-system" }),
    ],
    [
      "another container's image in place of a name",
      "pod",
      `PATCH ${CORE}/pods/p`,
      "422 Invalid",
      [{ op: "replace", path: "/spec/containers/0/name", value: "other" }],
      { type: JSON_PATCH },
    ],
    [
      "another account in a pod that is there",
      "pod",
      `PATCH ${CORE}/pods/p`,
      "422 Invalid",
      { spec: { serviceAccountName: "strong" } },
      { type: MERGE },
    ],
    [
      "the host's network in a pod that is there",
      "pod",
      `PATCH ${CORE}/pods/p`,
      "422 Invalid",
      { spec: { hostNetwork: true } },
      { type: MERGE },
    ],
  ];
  tryAll(rows, () => arena);
});

describe("a pod may not get another account's credentials:", () => {
  const mounts = (volume: object) => ({ volumes: [{ name: "v", ...volume }] });
  const rows: readonly Try[] = [
    ["of an account that there is not", "pod", `POST ${CORE}/pods`, REFUSED, pod("x", { serviceAccountName: "ghost" })],
    [
      "of an account in another namespace",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", { serviceAccountName: "kube-system/default" }),
    ],
    [
      "that mounts a secret its account may not mount",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", { serviceAccountName: "narrow", ...mounts({ secret: { secretName: "jewel" } }) }),
    ],
    [
      "that reads such a secret into its environment",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", {
        serviceAccountName: "narrow",
        containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "jewel" } }] }],
      }),
    ],
    [
      "that reads it in an init container",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", {
        serviceAccountName: "narrow",
        initContainers: [
          {
            name: "i",
            image: "i",
            env: [{ name: "A", valueFrom: { secretKeyRef: { name: "jewel", key: "password" } } }],
          },
        ],
      }),
    ],
    [
      "that pulls its images with it",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", { serviceAccountName: "narrow", imagePullSecrets: [{ name: "jewel" }] }),
    ],
    [
      "that says it is a mirror pod and takes an account",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", { serviceAccountName: "strong" }, { annotations: { "kubernetes.io/config.mirror": "x" } }),
    ],
    [
      "that says it is a mirror pod and mounts a secret",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", mounts({ secret: { secretName: "jewel" } }), { annotations: { "kubernetes.io/config.mirror": "x" } }),
    ],
    [
      "that says it is a mirror pod and projects a token",
      "pod",
      `POST ${CORE}/pods`,
      REFUSED,
      pod("x", mounts({ projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }), {
        annotations: { "kubernetes.io/config.mirror": "x" },
      }),
    ],
    [
      "a token of its account, by who may create the pod",
      "pod",
      `POST ${CORE}/serviceaccounts/strong/token`,
      REFUSED,
      { spec: {} },
    ],
    ["a secret that a pod could mount, by reading it", "pod", `GET ${CORE}/secrets/jewel`, REFUSED],
    ["a priority of the system", "pod", `POST ${CORE}/pods`, REFUSED, pod("x", { priorityClassName: "ghost" })],
    ["a priority that it sets itself", "pod", `POST ${CORE}/pods`, REFUSED, pod("x", { priority: 2_000_000_000 })],
  ];
  tryAll(rows, () => arena);
});

describe("a user who may write workloads gains no further rights:", () => {
  const rows: readonly Try[] = [
    [
      "scaled by who may write deployments, through the subresource",
      "dep",
      `PUT ${APPS}/deployments/web/scale`,
      REFUSED,
      scale("web", 9),
    ],
    [
      "scaled by a patch",
      "dep",
      `PATCH ${APPS}/deployments/web/scale`,
      REFUSED,
      { spec: { replicas: 9 } },
      { type: MERGE },
    ],
    [
      "its status by who may write it",
      "dep",
      `PATCH ${APPS}/deployments/web/status`,
      REFUSED,
      { status: { replicas: 9 } },
      { type: MERGE },
    ],
    [
      "changed by who may scale it",
      "sca",
      `PATCH ${APPS}/deployments/web`,
      REFUSED,
      { spec: { paused: true } },
      { type: MERGE },
    ],
    ["read by who may scale it", "sca", `GET ${APPS}/deployments/web`, REFUSED],
    ["another name in a scale", "sca", `PUT ${APPS}/deployments/web/scale`, "400 BadRequest", scale("other", 9)],
    [
      "another kind's scale",
      "sca",
      `PATCH ${APPS}/replicasets/web/scale`,
      REFUSED,
      { spec: { replicas: 9 } },
      { type: MERGE },
    ],
    ["its pods by who may write it", "dep", `GET ${CORE}/pods`, REFUSED],
    ["deleted by who may change it", "dep", `DELETE ${APPS}/deployments/web`, REFUSED],
    [
      "deleted by a time of deletion",
      "dep",
      `PATCH ${APPS}/deployments/web`,
      "422 Invalid",
      { metadata: { deletionTimestamp: "2020-01-01T00:00:00Z" } },
      { type: MERGE },
    ],
    [
      "a uid exchanged",
      "dep",
      `PATCH ${APPS}/deployments/web`,
      "422 Invalid",
      { metadata: { uid: "1" } },
      { type: MERGE },
    ],
    ["in another group's path", "dep", "GET /apis/extensions/v1beta1/namespaces/default/deployments/web", REFUSED],
  ];
  tryAll(rows, () => arena);
});

describe("owner references and finalizers give no further rights:", () => {
  type Late = readonly [title: string, who: string, request: string, answer: string, body: () => object, type?: string];
  const rows: readonly Late[] = [
    [
      "an owner that blocks, of which one may set no finalizers",
      "own",
      `PATCH ${CORE}/configmaps/free`,
      REFUSED,
      () => ownedBy(uid),
      MERGE,
    ],
    [
      "the same in a new object",
      "own",
      `POST ${CORE}/configmaps`,
      REFUSED,
      () => ({ metadata: { name: "x", ...ownedBy(uid).metadata } }),
    ],
    [
      "the same by an apply",
      "own",
      `PATCH ${CORE}/configmaps/free?fieldManager=m`,
      REFUSED,
      () => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "free", ...ownedBy(uid).metadata } }),
      APPLY,
    ],
    [
      "the same by a JSON patch",
      "own",
      `PATCH ${CORE}/configmaps/free`,
      REFUSED,
      () => [{ op: "add", path: "/metadata/ownerReferences", value: ownedBy(uid).metadata.ownerReferences }],
      JSON_PATCH,
    ],
    [
      "an owner at all, of an object that one may not delete",
      "own",
      `PATCH ${CORE}/configmaps/free`,
      REFUSED,
      () => ownedBy(uid, false),
      MERGE,
    ],
    [
      "an owner of a kind of another group that one may write",
      "kit",
      `PATCH ${CORE}/configmaps/free`,
      REFUSED,
      () => ownedBy(uid),
      MERGE,
    ],
    [
      "an owner of a kind that there is not",
      "own",
      `PATCH ${CORE}/configmaps/free`,
      REFUSED,
      () => ({
        metadata: {
          ownerReferences: [{ apiVersion: "x.io/v1", kind: "X", name: "x", uid: "1", blockOwnerDeletion: true }],
        },
      }),
      MERGE,
    ],
    [
      "two owners that both control",
      "x,system:masters",
      `PATCH ${CORE}/configmaps/free`,
      "422 Invalid",
      () => ({
        metadata: {
          ownerReferences: [1, 2].map((n) => ({
            apiVersion: "v1",
            kind: "Pod",
            name: `p${n}`,
            uid: String(n),
            controller: true,
          })),
        },
      }),
      MERGE,
    ],
    [
      "a finalizer taken off by who may only read",
      "pod",
      `PATCH ${CORE}/configmaps/held`,
      REFUSED,
      () => ({ metadata: { finalizers: null } }),
      MERGE,
    ],
    [
      "a finalizer of a namespace, through the namespace",
      "spacer",
      "PATCH /api/v1/namespaces/default",
      "200",
      () => ({ spec: { finalizers: [] } }),
      MERGE,
    ],
    [
      "a finalizer of a namespace, through its subresource",
      "spacer",
      "PUT /api/v1/namespaces/default/finalize",
      REFUSED,
      () => ({ metadata: { name: "default" }, spec: { finalizers: [] } }),
    ],
    [
      "the deletion of a namespace of the system",
      "spacer",
      "DELETE /api/v1/namespaces/kube-system",
      REFUSED,
      () => ({}),
    ],
    ["the deletion of the namespace default", "spacer", "DELETE /api/v1/namespaces/default", REFUSED, () => ({})],
    [
      "a definition in a protected group without approval",
      "crd",
      "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      "422 Invalid",
      () => ({
        metadata: { name: "secrets.x.k8s.io" },
        spec: {
          group: "x.k8s.io",
          names: { plural: "secrets", kind: "Secret" },
          scope: "Namespaced",
          versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
        },
      }),
    ],
    [
      "a definition whose name is not that of its group and plural",
      "crd",
      "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      "422 Invalid",
      () => ({
        metadata: { name: "secrets.core" },
        spec: { group: "", names: { plural: "secrets", kind: "Secret" }, scope: "Namespaced", versions: [] },
      }),
    ],
  ];
  test.each(rows.map((row) => ({ title: row[0], row })))("$title", async ({ row }) => {
    const [title, who, line, answer, body, type] = row;
    await arena.attempt([title, who, line, answer, body(), type === undefined ? {} : { type }]);
  });
});

test("the rights that these tests rely on exist, and the server reported no error", async () => {
  for (const [who, path] of [
    ["pod", `${CORE}/pods/p`],
    ["dep", `${APPS}/deployments/web`],
    ["sca", `${APPS}/deployments/web/scale`],
  ] as const) {
    expect((await arena.send(who, { method: "GET", path })).status, path).toBe(200);
  }
  expect(arena.faults).toEqual([]);
});
