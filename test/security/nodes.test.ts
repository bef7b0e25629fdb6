import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { certificateRequest } from "../helpers/certificate-request.js";
import { APPLY, Arena, jewel, JSON_PATCH, MERGE, pod, STRATEGIC, type Try, tryAll } from "./arena.js";

const CORE = "/api/v1/namespaces/default";
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
const KUBELET = "system:node:n,system:nodes";
const REFUSED = "403 Forbidden";

let arena: Arena;

const onNode = (name: string, nodeName: string, spec: object = {}, metadata: object = {}) =>
  pod(name, { nodeName, automountServiceAccountToken: false, ...spec }, metadata);
const using = (volume: object) => ({ volumes: [{ name: "v", ...volume }] });
const claim = (name: string) => ({
  metadata: { name },
  spec: {
    accessModes: ["ReadWriteOnce"],
    volumeName: `volume-of-${name}`,
    resources: { requests: { storage: "1Gi" } },
  },
});
const volume = (name: string) => ({
  metadata: { name },
  spec: {
    capacity: { storage: "1Gi" },
    accessModes: ["ReadWriteOnce"],
    hostPath: { path: "/x" },
    claimRef: { namespace: "default", name: name.replace("volume-of-", "") },
  },
});
const lease = (name: string) => ({ metadata: { name }, spec: { holderIdentity: name } });

/** The kubelet of the node n, on which the pod "mine" uses what is called "own". What is of the node m is called "others". */
beforeAll(async () => {
  arena = await Arena.open({ admission: { enable: ["NodeRestriction"] } });
  for (const name of ["n", "m"]) {
    await arena.create("/api/v1/nodes", { metadata: { name } });
    await arena.create(LEASES, lease(name));
  }
  for (const name of ["default", "own", "others"]) {
    await arena.create(`${CORE}/serviceaccounts`, { metadata: { name } });
  }
  for (const name of ["own", "others", "loose"]) {
    await arena.create(`${CORE}/secrets`, name === "own" ? { metadata: { name } } : jewel(name));
    await arena.create(`${CORE}/configmaps`, {
      metadata: { name },
      data: name === "own" ? {} : { password: "crown-jewel-5d1e77" },
    });
    await arena.create(`${CORE}/persistentvolumeclaims`, claim(name));
    await arena.create("/api/v1/persistentvolumes", volume(`volume-of-${name}`));
  }
  for (const [name, node, what] of [
    ["mine", "n", "own"],
    ["theirs", "m", "others"],
  ] as const) {
    const volumes = [
      { name: "s", secret: { secretName: what } },
      { name: "c", configMap: { name: what } },
      { name: "p", persistentVolumeClaim: { claimName: what } },
    ];
    await arena.create(`${CORE}/pods`, onNode(name, node, { serviceAccountName: what, volumes }));
  }
  await arena.create(`${CORE}/pods`, pod("waiting"));
});

afterAll(() => arena[Symbol.asyncDispose]());

describe("a kubelet may read only objects of its own pods:", () => {
  const rows: readonly Try[] = [
    ["a secret of another node's pod", KUBELET, `GET ${CORE}/secrets/others`, REFUSED],
    ["a secret that no pod uses", KUBELET, `GET ${CORE}/secrets/loose`, REFUSED],
    ["a secret that does not exist", KUBELET, `GET ${CORE}/secrets/ghost`, REFUSED],
    ["a secret of that name in another namespace", KUBELET, "GET /api/v1/namespaces/kube-system/secrets/own", REFUSED],
    ["all secrets", KUBELET, `GET ${CORE}/secrets`, REFUSED],
    ["all secrets of all namespaces", KUBELET, "GET /api/v1/secrets", REFUSED],
    [
      "secrets by a selector of another's name",
      KUBELET,
      `GET ${CORE}/secrets?fieldSelector=metadata.name%3Dothers`,
      REFUSED,
    ],
    [
      "secrets by a selector of two names",
      KUBELET,
      `GET ${CORE}/secrets?fieldSelector=metadata.name%3Down%2Cmetadata.name%3Dothers`,
      REFUSED,
    ],
    [
      "secrets by a selector of every other name",
      KUBELET,
      `GET ${CORE}/secrets?fieldSelector=metadata.name%21%3Down`,
      REFUSED,
    ],
    ["secrets by a label", KUBELET, `GET ${CORE}/secrets?labelSelector=a%21%3Db`, REFUSED],
    [
      "a watch of another's secret",
      KUBELET,
      `GET ${CORE}/secrets?watch=1&fieldSelector=metadata.name%3Dothers`,
      REFUSED,
    ],
    ["a watch of it by the old path", KUBELET, `GET /api/v1/watch/namespaces/default/secrets/others`, REFUSED],
    ["a watch of all by the old path", KUBELET, "GET /api/v1/watch/secrets", REFUSED],
    ["a config map of another node's pod", KUBELET, `GET ${CORE}/configmaps/others`, REFUSED],
    ["a config map that no pod uses", KUBELET, `GET ${CORE}/configmaps/loose`, REFUSED],
    ["all config maps", KUBELET, `GET ${CORE}/configmaps`, REFUSED],
    ["a claim of another node's pod", KUBELET, `GET ${CORE}/persistentvolumeclaims/others`, REFUSED],
    ["all claims", KUBELET, `GET ${CORE}/persistentvolumeclaims`, REFUSED],
    ["a volume of another node's pod", KUBELET, "GET /api/v1/persistentvolumes/volume-of-others", REFUSED],
    ["all volumes", KUBELET, "GET /api/v1/persistentvolumes", REFUSED],
    ["an account of another node's pod", KUBELET, `GET ${CORE}/serviceaccounts/others`, REFUSED],
    ["another node's pod", KUBELET, `GET ${CORE}/pods/theirs`, REFUSED],
    ["a pod of no node", KUBELET, `GET ${CORE}/pods/waiting`, REFUSED],
    ["all pods", KUBELET, "GET /api/v1/pods", REFUSED],
    ["pods of another node", KUBELET, "GET /api/v1/pods?fieldSelector=spec.nodeName%3Dm", REFUSED],
    ["pods of every node but another", KUBELET, "GET /api/v1/pods?fieldSelector=spec.nodeName%21%3Dx", REFUSED],
    ["pods by a name", KUBELET, `GET ${CORE}/pods?fieldSelector=metadata.name%3Dtheirs`, REFUSED],
    ["another node", KUBELET, "GET /api/v1/nodes/m", REFUSED],
    ["all nodes", KUBELET, "GET /api/v1/nodes", REFUSED],
    ["another node's lease", KUBELET, `GET ${LEASES}/m`, REFUSED],
    ["roles", KUBELET, "GET /apis/rbac.authorization.k8s.io/v1/clusterroles", REFUSED],
    ["a secret, as a node without the group", "system:node:n", `GET ${CORE}/secrets/own`, REFUSED],
    ["a secret, as a member of the group without a node's name", "n,system:nodes", `GET ${CORE}/secrets/own`, REFUSED],
    ["a secret, as a node of no name", "system:node:,system:nodes", `GET ${CORE}/secrets/own`, REFUSED],
    ["a secret, as a node in other letters", "System:Node:n,system:nodes", `GET ${CORE}/secrets/own`, REFUSED],
    ["a secret, as a node that does not exist", "system:node:x,system:nodes", `GET ${CORE}/secrets/own`, REFUSED],
    [
      "a secret, as a node whose name begins like it",
      "system:node:n:n,system:nodes",
      `GET ${CORE}/secrets/own`,
      REFUSED,
    ],
  ];
  tryAll(rows, () => arena);
});

describe("a kubelet may write only its own node and pods:", () => {
  const status = (type: string) => ({ status: { conditions: [{ type, status: "True" }] } });
  const label = (key: string) => ({ metadata: { labels: { [key]: "x" } } });
  const mirror = { annotations: { "kubernetes.io/config.mirror": "x", "kubernetes.io/config.hash": "x" } };
  const tokenFor = (name: string, uid?: string) => ({
    spec: { ...(uid !== undefined && { boundObjectRef: { apiVersion: "v1", kind: "Pod", name, uid } }) },
  });
  const rows: readonly Try[] = [
    ["a secret", KUBELET, `POST ${CORE}/secrets`, REFUSED, { metadata: { name: "x" } }],
    ["the secret of its own pod", KUBELET, `PATCH ${CORE}/secrets/own`, REFUSED, label("a"), { type: MERGE }],
    ["the deletion of the secret of its own pod", KUBELET, `DELETE ${CORE}/secrets/own`, REFUSED],
    ["the config map of its own pod", KUBELET, `PUT ${CORE}/configmaps/own`, REFUSED, { metadata: { name: "own" } }],
    ["a pod on itself", KUBELET, `POST ${CORE}/pods`, REFUSED, onNode("x", "n")],
    ["a pod on another node", KUBELET, `POST ${CORE}/pods`, REFUSED, onNode("x", "m")],
    ["a mirror pod on another node", KUBELET, `POST ${CORE}/pods`, REFUSED, onNode("x", "m", {}, mirror)],
    [
      "a mirror pod that uses a secret",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", using({ secret: { secretName: "others" } }), mirror),
    ],
    [
      "a mirror pod that uses a config map",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", using({ configMap: { name: "others" } }), mirror),
    ],
    [
      "a mirror pod that uses a claim",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", using({ persistentVolumeClaim: { claimName: "others" } }), mirror),
    ],
    [
      "a mirror pod with another's account",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", { serviceAccountName: "others" }, mirror),
    ],
    [
      "a mirror pod that projects a secret",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", using({ projected: { sources: [{ secret: { name: "others" } }] } }), mirror),
    ],
    [
      "a mirror pod whose container reads a secret",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode(
        "x",
        "n",
        { containers: [{ name: "c", image: "i", envFrom: [{ secretRef: { name: "others" } }] }] },
        mirror,
      ),
    ],
    [
      "a mirror pod whose init container reads a secret",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode(
        "x",
        "n",
        {
          initContainers: [
            {
              name: "i",
              image: "i",
              env: [{ name: "A", valueFrom: { secretKeyRef: { name: "others", key: "password" } } }],
            },
          ],
        },
        mirror,
      ),
    ],
    [
      "a mirror pod that pulls with a secret",
      KUBELET,
      `POST ${CORE}/pods`,
      REFUSED,
      onNode("x", "n", { imagePullSecrets: [{ name: "others" }] }, mirror),
    ],
    [
      "another node's pod's status",
      KUBELET,
      `PATCH ${CORE}/pods/theirs/status`,
      REFUSED,
      status("Ready"),
      { type: STRATEGIC },
    ],
    [
      "the status of a pod of no node",
      KUBELET,
      `PATCH ${CORE}/pods/waiting/status`,
      REFUSED,
      status("Ready"),
      { type: STRATEGIC },
    ],
    [
      "labels by the status of its own pod",
      KUBELET,
      `PATCH ${CORE}/pods/mine/status`,
      REFUSED,
      label("a"),
      { type: STRATEGIC },
    ],
    [
      "labels by the status of its own pod, by an apply",
      KUBELET,
      `PATCH ${CORE}/pods/mine/status?fieldManager=m&force=true`,
      REFUSED,
      { apiVersion: "v1", kind: "Pod", ...label("a") },
      { type: APPLY },
    ],
    [
      "its own pod's spec",
      KUBELET,
      `PATCH ${CORE}/pods/mine`,
      REFUSED,
      { spec: { containers: [{ name: "c", image: "evil" }] } },
      { type: STRATEGIC },
    ],
    ["the deletion of another node's pod", KUBELET, `DELETE ${CORE}/pods/theirs`, REFUSED],
    ["the deletion of all pods", KUBELET, `DELETE ${CORE}/pods`, REFUSED],
    [
      "the eviction of another node's pod",
      KUBELET,
      `POST ${CORE}/pods/theirs/eviction`,
      REFUSED,
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "theirs" } },
    ],
    [
      "an eviction whose body names another pod",
      KUBELET,
      `POST ${CORE}/pods/mine/eviction`,
      "400 BadRequest",
      { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "theirs" } },
    ],
    [
      "the binding of a waiting pod to itself",
      KUBELET,
      `POST ${CORE}/pods/waiting/binding`,
      REFUSED,
      { metadata: { name: "waiting" }, target: { kind: "Node", name: "n" } },
    ],
    [
      "an ephemeral container",
      KUBELET,
      `PATCH ${CORE}/pods/mine/ephemeralcontainers`,
      REFUSED,
      { spec: { ephemeralContainers: [{ name: "e", image: "i" }] } },
      { type: STRATEGIC },
    ],
    ["a resize of its own pod", KUBELET, `PATCH ${CORE}/pods/mine/resize`, REFUSED, {}, { type: STRATEGIC }],
    ["an exec into its own pod", KUBELET, `POST ${CORE}/pods/mine/exec?command=ls`, REFUSED],
    ["another node", KUBELET, "PATCH /api/v1/nodes/m", REFUSED, label("a"), { type: STRATEGIC }],
    ["another node's status", KUBELET, "PATCH /api/v1/nodes/m/status", REFUSED, status("Ready"), { type: STRATEGIC }],
    ["a node of another name", KUBELET, "POST /api/v1/nodes", REFUSED, { metadata: { name: "x" } }],
    ["a node of a generated name", KUBELET, "POST /api/v1/nodes", REFUSED, { metadata: { generateName: "n" } }],
    ["the deletion of another node", KUBELET, "DELETE /api/v1/nodes/m", REFUSED],
    ["the deletion of itself", KUBELET, "DELETE /api/v1/nodes/n", REFUSED],
    [
      "a label that keeps pods away",
      KUBELET,
      "PATCH /api/v1/nodes/n",
      REFUSED,
      label("node-restriction.kubernetes.io/a"),
      { type: MERGE },
    ],
    [
      "a label of Kubernetes",
      KUBELET,
      "PATCH /api/v1/nodes/n",
      REFUSED,
      label("node-role.kubernetes.io/control-plane"),
      { type: MERGE },
    ],
    [
      "that label by its status",
      KUBELET,
      "PATCH /api/v1/nodes/n/status",
      REFUSED,
      label("node-role.kubernetes.io/control-plane"),
      { type: MERGE },
    ],
    [
      "that label by a JSON patch",
      KUBELET,
      "PATCH /api/v1/nodes/n",
      REFUSED,
      [{ op: "add", path: "/metadata/labels", value: { "node-role.kubernetes.io/x": "" } }],
      { type: JSON_PATCH },
    ],
    [
      "a taint of itself",
      KUBELET,
      "PATCH /api/v1/nodes/n",
      REFUSED,
      { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      { type: MERGE },
    ],
    [
      "an owner of itself",
      KUBELET,
      "PATCH /api/v1/nodes/n",
      REFUSED,
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "m", uid: "1" }] } },
      { type: MERGE },
    ],
    ["another node's lease", KUBELET, `PUT ${LEASES}/m`, REFUSED, lease("m")],
    ["a lease of another name", KUBELET, `POST ${LEASES}`, REFUSED, lease("x")],
    [
      "a lease of its name in another namespace",
      KUBELET,
      "POST /apis/coordination.k8s.io/v1/namespaces/default/leases",
      REFUSED,
      lease("n"),
    ],
    ["the deletion of another's lease", KUBELET, `DELETE ${LEASES}/m`, REFUSED],
    ["its own pod's claim", KUBELET, `PATCH ${CORE}/persistentvolumeclaims/own`, REFUSED, label("a"), { type: MERGE }],
    [
      "another's claim's status",
      KUBELET,
      `PATCH ${CORE}/persistentvolumeclaims/others/status`,
      REFUSED,
      { status: {} },
      { type: MERGE },
    ],
    [
      "another node's CSI node",
      KUBELET,
      "POST /apis/storage.k8s.io/v1/csinodes",
      REFUSED,
      { metadata: { name: "m" }, spec: { drivers: [] } },
    ],
    [
      "a resource slice of another node",
      KUBELET,
      "POST /apis/resource.k8s.io/v1/resourceslices",
      REFUSED,
      {
        metadata: { name: "x" },
        spec: { nodeName: "m", driver: "d.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
      },
    ],
    [
      "a token of another's account",
      KUBELET,
      `POST ${CORE}/serviceaccounts/others/token`,
      REFUSED,
      tokenFor("theirs", "1"),
    ],
    [
      "a token of its own pod's account, bound to nothing",
      KUBELET,
      `POST ${CORE}/serviceaccounts/own/token`,
      REFUSED,
      tokenFor("mine"),
    ],
    [
      "a token of its own pod's account, bound to another's pod",
      KUBELET,
      `POST ${CORE}/serviceaccounts/own/token`,
      REFUSED,
      tokenFor("theirs", "1"),
    ],
    [
      "a token of its own pod's account, by another uid",
      KUBELET,
      `POST ${CORE}/serviceaccounts/own/token`,
      REFUSED,
      tokenFor("mine", "1"),
    ],
    [
      "a role binding",
      KUBELET,
      "POST /apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
      REFUSED,
      { metadata: { name: "x" } },
    ],
    ["a proxy to another node", KUBELET, "GET /api/v1/nodes/m/proxy/pods", REFUSED],
    [
      "as another node",
      KUBELET,
      `GET ${CORE}/secrets/others`,
      REFUSED,
      undefined,
      { headers: { "impersonate-user": "system:node:m", "impersonate-group": "system:nodes" } },
    ],
  ];
  tryAll(rows, () => arena);

  test("it cannot request another node's certificate", async () => {
    const { request } = await certificateRequest("CN=system:node:m,O=system:nodes");
    const spec = {
      request: Buffer.from(request).toString("base64"),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["client auth", "digital signature"],
    };
    const path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    await arena.attempt(["csr", KUBELET, `POST ${path}`, REFUSED, { metadata: { name: "x" }, spec }]);
  });

  test("it can use its own pods' objects, its own node and its own Lease", async () => {
    for (const path of [
      `${CORE}/secrets/own`,
      `${CORE}/configmaps/own`,
      `${CORE}/persistentvolumeclaims/own`,
      `${CORE}/pods/mine`,
      "/api/v1/nodes/n",
      `${LEASES}/n`,
      "/api/v1/persistentvolumes/volume-of-own",
    ]) {
      const answer = await arena.send(KUBELET, { method: "GET", path });
      expect(answer.status, `${path} ${answer.text}`).toBe(200);
    }
    const named = `${CORE}/secrets?fieldSelector=metadata.name%3Down`;
    expect((await arena.send(KUBELET, { method: "GET", path: named })).status, "as kubelets list and watch").toBe(200);
    expect(arena.faults).toEqual([]);
  });

  test("it cannot read a secret any more when its pod is gone", async () => {
    await arena.make("DELETE", `${CORE}/pods/mine?gracePeriodSeconds=0`);
    await arena.attempt(["gone", KUBELET, `GET ${CORE}/secrets/own`, REFUSED]);
    await arena.attempt(["gone", KUBELET, `GET ${CORE}/pods/mine`, REFUSED]);
  });
});
