import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import { nodeMode } from "../../../../src/server/authz/node/node-mode.js";
import { asks, user } from "../asked.js";
import { pod, StoredObjects } from "./stored-objects.js";

const kubelet = user("system:node:n1", "system:nodes");
const NO_RELATION = "no relationship found between node 'n1' and this object";

const mounts = (source: object): object => ({ volumes: [{ name: "v", ...source }] });
const csi = (secret: object) => ({ csi: { driver: "d", volumeHandle: "h", ...secret } });
const volume = (source: object, claim: object = { namespace: "shop", name: "data" }): KubeObject =>
  ({ metadata: { name: "pv-1" }, spec: { claimRef: claim, ...source } }) as KubeObject;
const CLAIMED = mounts({ persistentVolumeClaim: { claimName: "data" } });

/** What a pod on n1 is like, and whether the kubelet of n1 may ask this. */
type Row = readonly [name: string, spec: object, asked: string, allowed: boolean];

const POD_ROWS: readonly Row[] = [
  ["its pod", {}, "get pods shop/web", true],
  ["a pod by a list of its name", {}, "list pods shop/web", true],
  ["a pod of another name", {}, "get pods shop/other", false],
  ["a pod of the name in another namespace", {}, "get pods prod/web", false],
  ["a secret that is mounted", mounts({ secret: { secretName: "s" } }), "get secrets shop/s", true],
  ["a list of a secret that is mounted", mounts({ secret: { secretName: "s" } }), "list secrets shop/s", true],
  ["a watch of a secret that is mounted", mounts({ secret: { secretName: "s" } }), "watch secrets shop/s", true],
  ["a secret that no pod mounts", mounts({ secret: { secretName: "s" } }), "get secrets shop/t", false],
  ["a secret of the name in another namespace", mounts({ secret: { secretName: "s" } }), "get secrets prod/s", false],
  ["a config map of a secret's name", mounts({ secret: { secretName: "s" } }), "get configmaps shop/s", false],
  [
    "a secret in a projected volume",
    mounts({ projected: { sources: [{ secret: { name: "s" } }] } }),
    "get secrets shop/s",
    true,
  ],
  [
    "a config map in a projected volume",
    mounts({ projected: { sources: [{ serviceAccountToken: {} }, { configMap: { name: "c" } }] } }),
    "get configmaps shop/c",
    true,
  ],
  ["a config map that is mounted", mounts({ configMap: { name: "c" } }), "get configmaps shop/c", true],
  ["a config map that no pod mounts", mounts({ configMap: { name: "c" } }), "get configmaps shop/d", false],
  ["an image pull secret", { imagePullSecrets: [{ name: "s" }] }, "get secrets shop/s", true],
  [
    "a secret in a container's environment",
    { containers: [{ env: [{ name: "A", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }] }] },
    "get secrets shop/s",
    true,
  ],
  [
    "a secret that is a container's environment",
    { containers: [{ envFrom: [{ secretRef: { name: "s" } }] }] },
    "get secrets shop/s",
    true,
  ],
  [
    "a secret in an init container's environment",
    { initContainers: [{ envFrom: [{ secretRef: { name: "s" } }] }] },
    "get secrets shop/s",
    true,
  ],
  [
    "a secret in an ephemeral container's environment",
    { ephemeralContainers: [{ envFrom: [{ secretRef: { name: "s" } }] }] },
    "get secrets shop/s",
    true,
  ],
  [
    "a config map in a container's environment",
    { containers: [{ env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "c", key: "k" } } }] }] },
    "get configmaps shop/c",
    true,
  ],
  [
    "a config map that is a container's environment",
    { containers: [{ envFrom: [{ configMapRef: { name: "c" } }] }] },
    "get configmaps shop/c",
    true,
  ],
  [
    "a secret of a CSI volume in the pod",
    mounts(csi({ nodePublishSecretRef: { name: "s" } })),
    "get secrets shop/s",
    true,
  ],
  ["a secret of an Azure file share", mounts({ azureFile: { secretName: "s" } }), "get secrets shop/s", true],
  ["a secret of a Ceph file system", mounts({ cephfs: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of a Cinder volume", mounts({ cinder: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of a flex volume", mounts({ flexVolume: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of a RADOS block device", mounts({ rbd: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of an iSCSI disk", mounts({ iscsi: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of ScaleIO", mounts({ scaleIO: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a secret of StorageOS", mounts({ storageos: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
  ["a claim that is mounted", CLAIMED, "get persistentvolumeclaims shop/data", true],
  [
    "an update of the status of a claim that is mounted",
    CLAIMED,
    "update persistentvolumeclaims/status shop/data",
    true,
  ],
  ["a patch of the status of a claim that is mounted", CLAIMED, "patch persistentvolumeclaims/status shop/data", true],
  ["an update of the status of another claim", CLAIMED, "update persistentvolumeclaims/status shop/other", false],
  ["another claim", CLAIMED, "get persistentvolumeclaims shop/other", false],
  [
    "the claim of an ephemeral volume",
    mounts({ ephemeral: { volumeClaimTemplate: {} } }),
    "get persistentvolumeclaims shop/web-v",
    true,
  ],
  [
    "a claim of an ephemeral volume's name",
    mounts({ ephemeral: { volumeClaimTemplate: {} } }),
    "get persistentvolumeclaims shop/v",
    false,
  ],
  ["the pod's service account", { serviceAccountName: "app" }, "get serviceaccounts shop/app", true],
  [
    "a token of the pod's service account",
    { serviceAccountName: "app" },
    "create serviceaccounts/token shop/app",
    true,
  ],
  [
    "a token of another service account",
    { serviceAccountName: "app" },
    "create serviceaccounts/token shop/other",
    false,
  ],
  [
    "a resource claim that the pod names",
    { resourceClaims: [{ name: "gpu", resourceClaimName: "r" }] },
    "get resource.k8s.io/resourceclaims shop/r",
    true,
  ],
  [
    "a resource claim of a template that is not made yet",
    { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] },
    "get resource.k8s.io/resourceclaims shop/t",
    false,
  ],
];

describe("the Node authorizer lets a kubelet read what its pods use", () => {
  test.each(POD_ROWS)("%s", (_, spec, asked, allowed) => {
    const stored = new StoredObjects();
    stored.put("/pods", pod("web", "n1", spec));
    const expected = allowed ? { decision: "allow" } : { decision: "no-opinion", reason: NO_RELATION };
    expect(nodeMode(stored.context).authorize(asks(kubelet, asked))).toEqual(expected);
    // The same without a watch cache is read from the storage, and the kubelet of another node may do none of it.
    const elsewhere = new StoredObjects(false);
    elsewhere.put("/pods", pod("web", "n2", spec));
    const refusal = Promise.resolve(nodeMode(elsewhere.context).authorize(asks(kubelet, asked)));
    return expect(refusal).resolves.toEqual({ decision: "no-opinion", reason: NO_RELATION });
  });

  test.each(POD_ROWS)("as computed from the storage: %s", async (_, spec, asked, allowed) => {
    const stored = new StoredObjects(false);
    stored.put("/pods", pod("web", "n1", spec));
    const { decision } = await nodeMode(stored.context).authorize(asks(kubelet, asked));
    expect(decision).toBe(allowed ? "allow" : "no-opinion");
  });

  test("including claims made for a pod, by its status", () => {
    const stored = new StoredObjects();
    const spec = { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "t" }] };
    const status = {
      resourceClaimStatuses: [{ name: "gpu", resourceClaimName: "web-gpu-x" }],
      extendedResourceClaimStatus: { resourceClaimName: "web-extended" },
    };
    stored.put("/pods", pod("web", "n1", spec, { status }));
    const mode = nodeMode(stored.context);
    for (const claim of ["web-gpu-x", "web-extended"]) {
      const asked = asks(kubelet, `get resource.k8s.io/resourceclaims shop/${claim}`);
      expect(mode.authorize(asked)).toEqual({ decision: "allow" });
    }
  });

  test("but nothing beyond the pod itself for a mirror pod", () => {
    const stored = new StoredObjects();
    const spec = { ...mounts({ secret: { secretName: "s" } }), serviceAccountName: "app" };
    const mirror = pod("web", "n1", spec);
    stored.put("/pods", {
      ...mirror,
      metadata: { ...mirror.metadata, annotations: { "kubernetes.io/config.mirror": "x" } },
    } as KubeObject);
    const mode = nodeMode(stored.context);
    expect(mode.authorize(asks(kubelet, "get pods shop/web"))).toEqual({ decision: "allow" });
    expect(mode.authorize(asks(kubelet, "get secrets shop/s"))).toMatchObject({ reason: NO_RELATION });
    expect(mode.authorize(asks(kubelet, "create serviceaccounts/token shop/app"))).toMatchObject({
      reason: NO_RELATION,
    });
  });

  test("and nothing for a pod that is not bound to a node", () => {
    const stored = new StoredObjects();
    stored.put("/pods", pod("web", "", mounts({ secret: { secretName: "s" } })));
    expect(nodeMode(stored.context).authorize(asks(kubelet, "get secrets shop/s"))).toMatchObject({
      reason: NO_RELATION,
    });
  });
});

describe("the Node authorizer lets a kubelet read a claim's volume and what mounting it needs", () => {
  const rows: readonly (readonly [name: string, volume: KubeObject, asked: string, allowed: boolean])[] = [
    ["the volume", volume({}), "get persistentvolumes pv-1", true],
    [
      "not a volume of another claim",
      volume({}, { namespace: "shop", name: "other" }),
      "get persistentvolumes pv-1",
      false,
    ],
    [
      "not a volume of a claim of the name in another namespace",
      volume({}, { namespace: "prod", name: "data" }),
      "get persistentvolumes pv-1",
      false,
    ],
    [
      "not a volume that is not bound",
      { metadata: { name: "pv-1" }, spec: {} } as KubeObject,
      "get persistentvolumes pv-1",
      false,
    ],
    [
      "a CSI secret to publish",
      volume(csi({ nodePublishSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets sys/s",
      true,
    ],
    [
      "a CSI secret to stage",
      volume(csi({ nodeStageSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets sys/s",
      true,
    ],
    [
      "a CSI secret to expand on the node",
      volume(csi({ nodeExpandSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets sys/s",
      true,
    ],
    [
      "not the controller's CSI secret to publish",
      volume(csi({ controllerPublishSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets sys/s",
      false,
    ],
    [
      "not the controller's CSI secret to expand",
      volume(csi({ controllerExpandSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets sys/s",
      false,
    ],
    [
      "not a CSI secret's name in the claim's namespace",
      volume(csi({ nodePublishSecretRef: { namespace: "sys", name: "s" } })),
      "get secrets shop/s",
      false,
    ],
    ["an Azure secret beside the claim", volume({ azureFile: { secretName: "s" } }), "get secrets shop/s", true],
    [
      "an Azure secret in its namespace",
      volume({ azureFile: { secretName: "s", secretNamespace: "sys" } }),
      "get secrets sys/s",
      true,
    ],
    ["a Ceph secret beside the claim", volume({ cephfs: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
    [
      "a Ceph secret in its namespace",
      volume({ cephfs: { secretRef: { name: "s", namespace: "sys" } } }),
      "get secrets sys/s",
      true,
    ],
    ["an RBD secret beside the claim", volume({ rbd: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
    ["an iSCSI secret beside the claim", volume({ iscsi: { secretRef: { name: "s" } } }), "get secrets shop/s", true],
    [
      "a flex volume's secret in its namespace",
      volume({ flexVolume: { secretRef: { name: "s", namespace: "sys" } } }),
      "get secrets sys/s",
      true,
    ],
    [
      "a ScaleIO secret beside the claim",
      volume({ scaleIO: { secretRef: { name: "s" } } }),
      "get secrets shop/s",
      true,
    ],
    [
      "a Cinder secret in its namespace",
      volume({ cinder: { secretRef: { name: "s", namespace: "sys" } } }),
      "get secrets sys/s",
      true,
    ],
    ["not a Cinder secret without one", volume({ cinder: { secretRef: { name: "s" } } }), "get secrets shop/s", false],
    [
      "a StorageOS secret in its namespace",
      volume({ storageos: { secretRef: { name: "s", namespace: "sys" } } }),
      "get secrets sys/s",
      true,
    ],
  ];
  test.each(rows)("%s", (_, stands, asked, allowed) => {
    const stored = new StoredObjects();
    stored.put("/pods", pod("web", "n1", CLAIMED));
    stored.put("/persistentvolumes", stands);
    const { context } = stored;
    expect(nodeMode(context).authorize(asks(kubelet, asked))).toMatchObject({
      decision: allowed ? "allow" : "no-opinion",
    });
    const other = user("system:node:n2", "system:nodes");
    expect(nodeMode(context).authorize(asks(other, asked))).toMatchObject({ decision: "no-opinion" });
  });
});

describe("the Node authorizer, for objects whose spec names a node:", () => {
  const rows = [
    ["storage.k8s.io/volumeattachments", "", "get"],
    ["resource.k8s.io/resourceslices", "", "get"],
    ["resource.k8s.io/resourceslices", "", "update"],
    ["resource.k8s.io/resourceslices", "", "patch"],
    ["resource.k8s.io/resourceslices", "", "delete"],
    ["certificates.k8s.io/podcertificaterequests", "shop", "get"],
  ] as const;
  test.each(rows)("%s (%s) may be accessed by the node's kubelet with %s", (resource, namespace, verb) => {
    const stored = new StoredObjects();
    const named = (name: string, nodeName?: string) =>
      stored.put(resource, { metadata: { name, namespace }, spec: { ...(nodeName && { nodeName }) } } as KubeObject);
    named("own", "n1");
    named("others", "n2");
    named("nobodys");
    const mode = nodeMode(stored.context);
    const where = namespace === "" ? "" : `${namespace}/`;
    const decided = (name: string) => mode.authorize(asks(kubelet, `${verb} ${resource} ${where}${name}`));
    expect(decided("own")).toEqual({ decision: "allow" });
    for (const name of ["others", "nobodys", "none"]) {
      expect(decided(name)).toEqual({ decision: "no-opinion", reason: NO_RELATION });
    }
  });
});

describe("the Node authorizer's graph follows changes", () => {
  const secret = asks(kubelet, "get secrets shop/s");
  const using = (name: string, node = "n1") => pod(name, node, mounts({ secret: { secretName: "s" } }));

  test("a deleted pod removes the right to its secrets", () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    expect(mode.authorize(secret)).toMatchObject({ decision: "no-opinion" });
    stored.put("/pods", using("web"));
    expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    stored.delete("/pods", "shop", "web");
    expect(mode.authorize(secret)).toEqual({ decision: "no-opinion", reason: NO_RELATION });
  });

  test("a secret of two pods stays readable until both are gone", () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    stored.put("/pods", using("a"));
    stored.put("/pods", using("b"));
    expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    stored.delete("/pods", "shop", "a");
    expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    stored.delete("/pods", "shop", "b");
    expect(mode.authorize(secret)).toMatchObject({ decision: "no-opinion" });
  });

  test("a new pod of the same name on another node replaces the former", () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    stored.put("/pods", using("web", "n1"));
    expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    stored.put("/pods", using("web", "n2"));
    expect(mode.authorize(secret)).toMatchObject({ decision: "no-opinion" });
    const other = asks(user("system:node:n2", "system:nodes"), "get secrets shop/s");
    expect(mode.authorize(other)).toEqual({ decision: "allow" });
  });

  test("a released volume removes the right to its secrets", () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    const asked = asks(kubelet, "get secrets sys/s");
    stored.put("/pods", pod("web", "n1", CLAIMED));
    stored.put("/persistentvolumes", volume(csi({ nodePublishSecretRef: { namespace: "sys", name: "s" } })));
    expect(mode.authorize(asked)).toEqual({ decision: "allow" });
    stored.put("/persistentvolumes", { metadata: { name: "pv-1" }, spec: {} } as KubeObject);
    expect(mode.authorize(asked)).toMatchObject({ decision: "no-opinion" });
  });

  test("each pod is parsed once, however many changes and requests there are", async () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    for (let index = 0; index < 300; index++) stored.put("/pods", using(`web-${index}`));
    // Many at first: the event loop has other turns between them, and several who ask share the work.
    const [first, second] = [mode.authorize(secret), mode.authorize(secret)];
    expect(first).toBeInstanceOf(Promise);
    expect(await Promise.all([first, second])).toEqual([{ decision: "allow" }, { decision: "allow" }]);
    for (let round = 0; round < 5; round++) expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    expect(stored.parsed).toBe(300);
    stored.put("/pods", using("web-150"));
    stored.put("/pods", using("web-20"));
    stored.delete("/pods", "shop", "web-7");
    expect(mode.authorize(secret)).toEqual({ decision: "allow" });
    expect(stored.parsed).toBe(302);
  });

  test("changes count also while many pods are new", async () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    for (let index = 0; index < 300; index++) stored.put("/pods", pod(`web-${index}`, "n1"));
    const deciding = mode.authorize(secret);
    stored.put("/pods", using("late"));
    expect(await deciding).toEqual({ decision: "allow" });
  });

  test("it has the result of a simple computation over all pods, for random changes", () => {
    const stored = new StoredObjects();
    const mode = nodeMode(stored.context);
    let seed = 17;
    const below = (limit: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * limit);
    };
    const naive = new Map<string, { readonly node: string; readonly secret: string }>();
    for (let step = 0; step < 2000; step++) {
      const name = `p${below(12)}`;
      if (below(3) === 0) {
        stored.delete("/pods", "shop", name);
        naive.delete(name);
      } else {
        const [node, held] = [`n${below(3)}`, `s${below(4)}`];
        stored.put("/pods", pod(name, node, { imagePullSecrets: [{ name: held }] }));
        naive.set(name, { node, secret: held });
      }
      if (below(2) === 0) continue;
      const [node, wanted] = [`n${below(3)}`, `s${below(4)}`];
      const allowed = [...naive.values()].some((one) => one.node === node && one.secret === wanted);
      const who = user(`system:node:${node}`, "system:nodes");
      expect(mode.authorize(asks(who, `get secrets shop/${wanted}`))).toMatchObject({
        decision: allowed ? "allow" : "no-opinion",
      });
    }
  });
});
