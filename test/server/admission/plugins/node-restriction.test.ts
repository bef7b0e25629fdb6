import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Transport } from "../../../../src/client/transport/transport.js";
import {
  create,
  expectAnswer,
  expectTaken,
  merge,
  tryCreate,
  tryMerge,
  textAt,
} from "../../../helpers/admission-rows.js";
import { admittingServer, type AdmittingServer } from "../../../helpers/admitting-server.js";
import { call } from "../../../helpers/api-caller.js";
import { certificateRequest } from "../../../helpers/certificate-request.js";

const NODES = "/api/v1/nodes";
const PODS = "/api/v1/namespaces/default/pods";
const MIRROR = "kubernetes.io/config.mirror";

let server: AdmittingServer;
/** The kubelet of the node "mine". */
let kubelet: Transport;
let uid: string;

const onNode = (name: string, nodeName: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { nodeName, containers: [{ name: "c", image: "i" }], ...spec },
});

beforeAll(async () => {
  server = await admittingServer({ enable: ["NodeRestriction"], disable: ["ServiceAccount", "NamespaceLifecycle"] });
  kubelet = server.as("system:node:mine", "system:nodes");
  uid = textAt(await expectTaken(create(server.api, NODES, { metadata: { name: "mine" } })), "metadata.uid");
  await expectTaken(create(server.api, NODES, { metadata: { name: "other" } }));
  await expectTaken(create(server.api, PODS, onNode("here", "mine")));
  await expectTaken(create(server.api, PODS, onNode("there", "other")));
});

afterAll(() => server[Symbol.asyncDispose]());

const refused = (resource: string, name: string, message: string): string =>
  message === "" ? "" : `${resource} "${name}" is forbidden: ${message}`;

describe("NodeRestriction recognizes a kubelet", () => {
  const rows: readonly (readonly [title: string, user: string, groups: readonly string[], message: string])[] = [
    ["a user of another name is not", "jane", ["system:nodes"], ""],
    ["a user of a node's name without the group is not", "system:node:mine", [], ""],
    [
      "a user of no node's name may do nothing",
      "system:node:",
      ["system:nodes"],
      'could not determine node from user "system:node:"',
    ],
    [
      "a user of a node's name and group is",
      "system:node:other",
      ["system:nodes"],
      'node "other" is not allowed to modify node "mine"',
    ],
  ];
  test.each(rows)("%s", async (_, user, groups, message) => {
    const answer = tryMerge(server.as(user, ...groups), `${NODES}/mine`, { metadata: { labels: { "k8s.io/x": "y" } } });
    await expectAnswer(answer, refused("nodes", "mine", message));
  });
});

describe("NodeRestriction and labels of a kubelet's own node:", () => {
  const setting = (keys: string): string => `node "fresh" is not allowed to set the following labels: ${keys}`;
  const rows: readonly (readonly [title: string, keys: readonly string[], refused: string])[] = [
    ["without a domain are its own", ["pool"], ""],
    ["of another domain are its own", ["example.com/pool", "kubernetes.io.example.com/pool"], ""],
    ["that every kubelet sets are its own", ["kubernetes.io/hostname", "kubernetes.io/os", "kubernetes.io/arch"], ""],
    [
      "of zone, region and type are its own",
      ["topology.kubernetes.io/zone", "topology.kubernetes.io/region", "node.kubernetes.io/instance-type"],
      "",
    ],
    [
      "of old names are its own",
      ["beta.kubernetes.io/os", "beta.kubernetes.io/arch", "failure-domain.beta.kubernetes.io/zone"],
      "",
    ],
    ["of the kubelet's domain are its own", ["kubelet.kubernetes.io/x", "a.kubelet.kubernetes.io/x"], ""],
    ["of the node's domain are its own", ["node.kubernetes.io/x", "a.node.kubernetes.io/x"], ""],
    ["that keep pods away from it are not", ["node-restriction.kubernetes.io/x"], "node-restriction.kubernetes.io/x"],
    ["below that domain are not", ["a.node-restriction.kubernetes.io/x"], "a.node-restriction.kubernetes.io/x"],
    ["of Kubernetes' domain are not", ["kubernetes.io/role"], "kubernetes.io/role"],
    ["below Kubernetes' domain are not", ["node-role.kubernetes.io/master"], "node-role.kubernetes.io/master"],
    ["of Kubernetes' short domain are not", ["k8s.io/x", "a.k8s.io/x"], "a.k8s.io/x, k8s.io/x"],
  ];
  test.each(rows)("%s, when it is created", async (_, keys, wrong) => {
    const labels = Object.fromEntries(keys.map((key) => [key, "v"]));
    const answer = tryCreate(server.as("system:node:fresh", "system:nodes"), NODES, {
      metadata: { name: "fresh", labels },
    });
    await expectAnswer(answer, refused("nodes", "fresh", wrong && setting(wrong)));
  });
  test.each(rows)("%s, when it is changed", async (_, keys, wrong) => {
    const labels = Object.fromEntries(keys.map((key) => [key, "v"]));
    const answer = tryMerge(kubelet, `${NODES}/mine`, { metadata: { labels } });
    await expectAnswer(answer, refused("nodes", "mine", wrong && `is not allowed to modify labels: ${wrong}`));
  });

  test("those set by an administrator stay", async () => {
    await expectTaken(merge(server.api, `${NODES}/mine`, { metadata: { labels: { "k8s.io/kept": "v" } } }));
    const message = refused("nodes", "mine", "is not allowed to modify labels: k8s.io/kept");
    await expectAnswer(tryMerge(kubelet, `${NODES}/mine`, { metadata: { labels: { "k8s.io/kept": null } } }), message);
    await expectAnswer(tryMerge(kubelet, `${NODES}/mine`, { metadata: { labels: { "k8s.io/kept": "w" } } }), message);
    await expectAnswer(tryMerge(kubelet, `${NODES}/mine`, { metadata: { labels: { own: "v" } } }), "");
    await expectAnswer(
      tryMerge(kubelet, `${NODES}/mine/status`, { metadata: { labels: { "k8s.io/kept": "w" } } }),
      message,
    );
  });
});

describe("NodeRestriction and a kubelet's Node object:", () => {
  const named = 'node "mine"';
  const source = { configMap: { namespace: "n", name: "m", kubeletConfigKey: "k" } };
  const rows: readonly (readonly [title: string, path: string, patch: object, message: string])[] = [
    ["reports its status", "mine/status", { status: { phase: "Running" } }, ""],
    ["may be made unschedulable by itself", "mine", { spec: { unschedulable: true } }, ""],
    [
      "may not add a taint",
      "mine",
      { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } },
      `${named} is not allowed to modify taints`,
    ],
    ["may not take its taints away", "mine", { spec: { taints: null } }, `${named} is not allowed to modify taints`],
    [
      "may not get an owner",
      "mine",
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Node", name: "other", uid: "u" }] } },
      `${named} is not allowed to modify ownerReferences`,
    ],
    [
      "may not name a source of its configuration",
      "mine",
      { spec: { configSource: source } },
      `${named} is not allowed to update configSource to a new non-nil configSource`,
    ],
    [
      "may not change another node",
      "other",
      { metadata: { labels: { a: "b" } } },
      `${named} is not allowed to modify node "other"`,
    ],
    [
      "may not report for another node",
      "other/status",
      { status: { phase: "Running" } },
      `${named} is not allowed to modify node "other"`,
    ],
  ];
  test.each(rows)("%s", async (_, path, patch, message) => {
    const [name = ""] = path.split("/");
    await expectAnswer(tryMerge(kubelet, `${NODES}/${path}`, patch), refused("nodes", name, message));
  });

  test("it may not create another node, or its own with a configuration source", async () => {
    const other = refused("nodes", "third", `${named} is not allowed to modify node "third"`);
    await expectAnswer(tryCreate(kubelet, NODES, { metadata: { name: "third" } }), other);
    const fresh = server.as("system:node:fresh", "system:nodes");
    const message = 'node "fresh" is not allowed to create pods with a non-nil configSource';
    const body = { metadata: { name: "fresh" }, spec: { configSource: source } };
    await expectAnswer(tryCreate(fresh, NODES, body), refused("nodes", "fresh", message));
    await expectAnswer(tryCreate(fresh, NODES, { metadata: { name: "fresh" } }), "");
  });

  test("it may delete only its own node", async () => {
    const dry = "?dryRun=All";
    await expectAnswer(call(kubelet, "DELETE", `${NODES}/mine${dry}`), "");
    const message = refused("nodes", "other", `${named} is not allowed to modify node "other"`);
    await expectAnswer(call(kubelet, "DELETE", `${NODES}/other${dry}`), message);
    const all = await call(kubelet, "DELETE", `${NODES}${dry}`);
    expect([all.status, all.at("message")]).toEqual([
      403,
      `nodes "Unknown" is forbidden: ${named} is not allowed to modify node ""`,
    ]);
  });
});

describe("NodeRestriction and a mirror pod that a kubelet creates:", () => {
  const named = 'node "mine"';
  const owner = (more: object = {}): object => ({
    apiVersion: "v1",
    kind: "Node",
    name: "mine",
    uid,
    controller: true,
    ...more,
  });
  const reference = (what: string): string => `${named} can not create pods that reference ${what}`;
  const volume = (source: object): object => ({ volumes: [{ name: "v", ...source }] });
  const projected = (source: object): object => volume({ projected: { sources: [source] } });
  const container = (more: object): object => ({ containers: [{ name: "c", image: "i", ...more }] });

  const rows: readonly (readonly [title: string, metadata: () => object, spec: object, message: () => string])[] = [
    ["mirrors a static pod", () => ({}), {}, () => ""],
    ["may use its disk", () => ({}), volume({ hostPath: { path: "/var" } }), () => ""],
    ["may have an empty folder", () => ({}), volume({ emptyDir: {} }), () => ""],
    [
      "may show its own fields",
      () => ({}),
      projected({ downwardAPI: { items: [{ path: "n", fieldRef: { fieldPath: "metadata.name" } }] } }),
      () => "",
    ],
    [
      "must be a mirror",
      () => ({ annotations: {} }),
      {},
      () => `pod does not have "${MIRROR}" annotation, ${named} can only create mirror pods`,
    ],
    [
      "must be on it",
      () => ({}),
      { nodeName: "other" },
      () => `${named} can only create pods with spec.nodeName set to itself`,
    ],
    [
      "must belong to it",
      () => ({ ownerReferences: [] }),
      {},
      () => `${named} can only create pods with an owner reference set to itself`,
    ],
    [
      "must belong to it alone",
      () => ({ ownerReferences: [owner(), owner({ name: "other", controller: false, uid: "o" })] }),
      {},
      () => `${named} can only create pods with a single owner reference set to itself`,
    ],
    [
      "must not belong to another node",
      () => ({ ownerReferences: [owner({ name: "other" })] }),
      {},
      () => `${named} can only create pods with an owner reference set to itself`,
    ],
    [
      "must not belong to another kind",
      () => ({ ownerReferences: [owner({ kind: "Pod" })] }),
      {},
      () => `${named} can only create pods with an owner reference set to itself`,
    ],
    [
      "must have it as controller",
      () => ({ ownerReferences: [owner({ controller: false })] }),
      {},
      () => `${named} can only create pods with a controller owner reference set to itself`,
    ],
    [
      "must not block it",
      () => ({ ownerReferences: [owner({ blockOwnerDeletion: true })] }),
      {},
      () => `${named} must not set blockOwnerDeletion on an owner reference`,
    ],
    [
      "must name its uid",
      () => ({ ownerReferences: [owner({ uid: "wrong" })] }),
      {},
      () => `node mine UID mismatch: expected wrong got ${uid}`,
    ],
    ["has no service account", () => ({}), { serviceAccountName: "default" }, () => reference("serviceaccounts")],
    ["has no secrets for images", () => ({}), { imagePullSecrets: [{ name: "s" }] }, () => reference("secrets")],
    [
      "has no secrets in its environment",
      () => ({}),
      container({ envFrom: [{ secretRef: { name: "s" } }] }),
      () => reference("secrets"),
    ],
    ["has no secrets in volumes", () => ({}), volume({ secret: { secretName: "s" } }), () => reference("secrets")],
    ["has no projected secrets", () => ({}), projected({ secret: { name: "s" } }), () => reference("secrets")],
    [
      "has no config maps in its environment",
      () => ({}),
      container({ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "m", key: "k" } } }] }),
      () => reference("configmaps"),
    ],
    ["has no config maps in volumes", () => ({}), volume({ configMap: { name: "m" } }), () => reference("configmaps")],
    [
      "has no projected config maps",
      () => ({}),
      projected({ configMap: { name: "m" } }),
      () => reference("configmaps"),
    ],
    [
      "has no resource claims",
      () => ({}),
      { resourceClaims: [{ name: "r", resourceClaimName: "rc" }] },
      () => reference("resourceclaims"),
    ],
    [
      "has no claims",
      () => ({}),
      volume({ persistentVolumeClaim: { claimName: "p" } }),
      () => reference("persistentvolumeclaims"),
    ],
    [
      "has no volumes of its own claim",
      () => ({}),
      volume({
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        },
      }),
      () => reference("persistentvolumeclaims (via ephemeral volumes)"),
    ],
    [
      "has no CSI volumes",
      () => ({}),
      volume({ csi: { driver: "d.example.com" } }),
      () => reference("csidrivers (via CSI volumes)"),
    ],
    [
      "has no tokens",
      () => ({}),
      projected({ serviceAccountToken: { path: "t" } }),
      () => reference("serviceaccounts (via projected volumes)"),
    ],
    [
      "has no trust bundles",
      () => ({}),
      projected({ clusterTrustBundle: { name: "b", path: "b" } }),
      () => reference("clustertrustbundles"),
    ],
  ];
  test.each(rows)("%s", async (_, metadata, spec, message) => {
    const body = {
      metadata: { name: "static-mine", annotations: { [MIRROR]: "hash" }, ownerReferences: [owner()], ...metadata() },
      spec: { nodeName: "mine", containers: [{ name: "c", image: "i" }], ...spec },
    };
    await expectAnswer(tryCreate(kubelet, PODS, body), refused("pods", "static-mine", message()));
  });

  test("it needs the node to exist", async () => {
    const gone = server.as("system:node:gone", "system:nodes");
    const owners = [{ apiVersion: "v1", kind: "Node", name: "gone", uid: "u", controller: true }];
    const body = {
      metadata: { name: "p", annotations: { [MIRROR]: "h" }, ownerReferences: owners },
      spec: { nodeName: "gone", containers: [{ name: "c", image: "i" }] },
    };
    await expectAnswer(tryCreate(gone, PODS, body), 'node "gone" not found', 404);
  });
});

describe("NodeRestriction and the pods of a kubelet's node:", () => {
  const named = 'node "mine"';
  const evict = (name: string) =>
    tryCreate(kubelet, `${PODS}/${name}/eviction`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name } });
  const rows: readonly (readonly [
    title: string,
    act: () => ReturnType<typeof call>,
    message: string,
    status?: number,
  ])[] = [
    ["are deleted by it", () => call(kubelet, "DELETE", `${PODS}/here?dryRun=All`), ""],
    [
      "of another node are not",
      () => call(kubelet, "DELETE", `${PODS}/there?dryRun=All`),
      refused("pods", "there", `${named} can only delete pods with spec.nodeName set to itself`),
    ],
    ["have their status from it", () => tryMerge(kubelet, `${PODS}/here/status`, { status: { phase: "Running" } }), ""],
    [
      "of another node have not",
      () => tryMerge(kubelet, `${PODS}/there/status`, { status: { phase: "Running" } }),
      refused("pods", "there", `${named} can only update pod status for pods with spec.nodeName set to itself`),
    ],
    [
      "keep their labels in a status",
      () => tryMerge(kubelet, `${PODS}/here/status`, { metadata: { labels: { a: "b" } } }),
      refused("pods", "here", `${named} cannot update labels through pod status`),
    ],
    [
      "keep their claims in a status",
      () =>
        tryMerge(kubelet, `${PODS}/here/status`, {
          status: { resourceClaimStatuses: [{ name: "a", resourceClaimName: "b" }] },
        }),
      refused("pods", "here", `${named} cannot update resource claim statues`),
    ],
    ["are evicted by it", () => evict("here"), ""],
    [
      "of another node are not evicted",
      () => evict("there"),
      refused("pods", "there", "node mine can only evict pods with spec.nodeName set to itself"),
    ],
    ["that are not there are not evicted", () => evict("nothing"), 'pod "nothing" not found', 404],
    [
      "are not changed by it",
      () => tryMerge(kubelet, `${PODS}/here`, { metadata: { labels: { a: "b" } } }),
      refused("pods", "here", `unexpected operation "UPDATE", ${named} can only create and delete mirror pods`),
    ],
    [
      "are not bound by it",
      () =>
        tryCreate(kubelet, `${PODS}/here/binding`, {
          metadata: { name: "here" },
          target: { kind: "Node", name: "mine" },
        }),
      refused("pods", "here", `unexpected pod subresource "binding", only 'status' and 'eviction' are allowed`),
    ],
    [
      "get no ephemeral containers from it",
      () =>
        tryMerge(kubelet, `${PODS}/here/ephemeralcontainers`, {
          spec: { ephemeralContainers: [{ name: "e", image: "i" }] },
        }),
      refused(
        "pods",
        "here",
        `unexpected pod subresource "ephemeralcontainers", only 'status' and 'eviction' are allowed`,
      ),
    ],
  ];
  test.each(rows.map(([title, act, message, status = 403]) => [title, act, message, status] as const))(
    "%s",
    async (_, act, message, status) => {
      await expectAnswer(act(), message, status);
    },
  );
});

describe("NodeRestriction and claims of a node's pods:", () => {
  const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
  const rule = 'node "mine" is not allowed to update fields other than status.quantity and status.conditions';

  beforeAll(async () => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    await expectTaken(create(server.api, CLAIMS, { metadata: { name: "c" }, spec }));
  });

  const rows: readonly (readonly [title: string, path: string, patch: object, message: string])[] = [
    ["have their capacity from it", "c/status", { status: { capacity: { storage: "2Gi" } } }, ""],
    [
      "have their conditions from it",
      "c/status",
      { status: { conditions: [{ type: "Resizing", status: "True" }] } },
      "",
    ],
    [
      "have what is allocated from it",
      "c/status",
      {
        status: { allocatedResources: { storage: "2Gi" }, allocatedResourceStatuses: { storage: "NodeResizePending" } },
      },
      "",
    ],
    ["keep their phase", "c/status", { status: { phase: "Bound" } }, `${rule}: status.phase`],
    ["keep their labels", "c/status", { metadata: { labels: { a: "b" } } }, `${rule}: metadata.labels`],
    [
      "keep their finalizers",
      "c/status",
      { metadata: { finalizers: ["example.com/f"] } },
      `${rule}: metadata.finalizers`,
    ],
    ["are not changed otherwise", "c", { metadata: { labels: { a: "b" } } }, "may only update PVC status"],
  ];
  test.each(rows)("%s", async (_, path, patch, message) => {
    await expectAnswer(tryMerge(kubelet, `${CLAIMS}/${path}`, patch), refused("persistentvolumeclaims", "c", message));
  });

  test("they may be neither created nor deleted by the kubelet", async () => {
    const message = refused("persistentvolumeclaims", "c", "may only update PVC status");
    await expectAnswer(tryCreate(kubelet, CLAIMS, { metadata: { name: "c" }, spec: {} }), message);
    await expectAnswer(call(kubelet, "DELETE", `${CLAIMS}/c?dryRun=All`), message);
  });
});

describe("NodeRestriction and objects named after a node:", () => {
  const lease = (name: string): object => ({ metadata: { name }, spec: {} });
  const LEASES = (namespace: string): string => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const LEASE = "leases.coordination.k8s.io";
  const place = 'can only access leases in the "kube-node-lease" system namespace';
  const sameLease = "can only access node lease with the same name as the requesting node";
  const CSI = "/apis/storage.k8s.io/v1/csinodes";
  const sameCsi = "can only access CSINode with the same name as the requesting node";
  const SLICES = "/apis/resource.k8s.io/v1/resourceslices";
  const slice = (name: string, nodeName: string): object => ({
    metadata: { name },
    spec: { driver: "d.example.com", pool: { name: "p", generation: 1, resourceSliceCount: 1 }, nodeName, devices: [] },
  });

  beforeAll(async () => {
    await expectTaken(create(server.api, LEASES("kube-node-lease"), lease("other")));
    await expectTaken(create(server.api, CSI, { metadata: { name: "other" }, spec: { drivers: [] } }));
    await expectTaken(create(server.api, SLICES, slice("s-other", "other")));
    await expectTaken(create(server.api, SLICES, slice("s-mine", "mine")));
  });

  const rows: readonly (readonly [title: string, act: () => ReturnType<typeof call>, message: string])[] = [
    ["its lease is made by it", () => tryCreate(kubelet, LEASES("kube-node-lease"), lease("mine")), ""],
    [
      "the lease of another node is not",
      () => tryCreate(kubelet, LEASES("kube-node-lease"), lease("third")),
      refused(LEASE, "third", sameLease),
    ],
    [
      "a lease in another namespace is not",
      () => tryCreate(kubelet, LEASES("default"), lease("mine")),
      refused(LEASE, "mine", place),
    ],
    [
      "the lease of another node is not renewed",
      () => tryMerge(kubelet, `${LEASES("kube-node-lease")}/other`, { spec: { holderIdentity: "mine" } }),
      refused(LEASE, "other", sameLease),
    ],
    [
      "the lease of another node is not deleted",
      () => call(kubelet, "DELETE", `${LEASES("kube-node-lease")}/other?dryRun=All`),
      refused(LEASE, "other", sameLease),
    ],
    [
      "its CSINode is made by it",
      () => tryCreate(kubelet, CSI, { metadata: { name: "mine" }, spec: { drivers: [] } }),
      "",
    ],
    [
      "another CSINode is not",
      () => tryCreate(kubelet, CSI, { metadata: { name: "third" }, spec: { drivers: [] } }),
      refused("csinodes.storage.k8s.io", "third", sameCsi),
    ],
    [
      "another CSINode is not changed",
      () => tryMerge(kubelet, `${CSI}/other`, { metadata: { labels: { a: "b" } } }),
      refused("csinodes.storage.k8s.io", "other", sameCsi),
    ],
    ["its slice is made by it", () => tryCreate(kubelet, SLICES, slice("s", "mine")), ""],
    [
      "the slice of another node is not",
      () => tryCreate(kubelet, SLICES, slice("s", "other")),
      refused(
        "resourceslices.resource.k8s.io",
        "s",
        "can only create ResourceSlice with the same NodeName as the requesting node",
      ),
    ],
    ["its slice is deleted by it", () => call(kubelet, "DELETE", `${SLICES}/s-mine?dryRun=All`), ""],
    [
      "the slice of another node is not deleted",
      () => call(kubelet, "DELETE", `${SLICES}/s-other?dryRun=All`),
      refused(
        "resourceslices.resource.k8s.io",
        "s-other",
        "can only delete ResourceSlice with the same NodeName as the requesting node",
      ),
    ],
  ];
  test.each(rows)("%s", async (_, act, message) => {
    await expectAnswer(act(), message);
  });
});

describe("NodeRestriction and a node's certificate requests:", () => {
  const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
  const CLIENT = "kubernetes.io/kube-apiserver-client-kubelet";
  const rule = "can only create a node CSR with CN=system:node:mine";
  const rows: readonly (readonly [title: string, signer: string, subject: string, message: string])[] = [
    ["are in its name", CLIENT, "CN=system:node:mine,O=system:nodes", ""],
    ["are not in that of another", CLIENT, "CN=system:node:other,O=system:nodes", rule],
    ["for serving are in its name", "kubernetes.io/kubelet-serving", "CN=system:node:mine,O=system:nodes", ""],
    [
      "for serving are not in that of another",
      "kubernetes.io/kubelet-serving",
      "CN=system:node:other,O=system:nodes",
      rule,
    ],
    ["have a name", CLIENT, "O=system:nodes", rule],
    ["of another signer may be in any name", "example.com/a", "CN=jane", ""],
  ];
  test.each(rows)("%s: %s for %s", async (_, signerName, subject, message) => {
    const request = Buffer.from((await certificateRequest(subject)).request).toString("base64");
    const body = {
      metadata: { name: "r" },
      spec: { request, signerName, usages: ["digital signature", "client auth"] },
    };
    await expectAnswer(
      tryCreate(kubelet, REQUESTS, body),
      refused("certificatesigningrequests.certificates.k8s.io", "r", message),
    );
  });

  test("those that cannot be parsed are refused", async () => {
    const body = { metadata: { name: "r" }, spec: { request: "eA==", signerName: CLIENT, usages: ["client auth"] } };
    const message = "unable to parse csr: PEM block type must be CERTIFICATE REQUEST";
    await expectAnswer(
      tryCreate(kubelet, REQUESTS, body),
      refused("certificatesigningrequests.certificates.k8s.io", "r", message),
    );
  });
});
