import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  PersistentVolumeSpec,
  NodeSelectorRequirement,
  Node,
  PersistentVolumeClaim,
  PersistentVolume,
} from "../../api/types/core/v1.js";
import {
  SELECTED_NODE,
  PROVISIONED_BY,
  STORAGE_PROVISIONER,
  DEFAULT_CLASS,
  selectedNode,
  storageClassOf,
  delaysBinding,
} from "../../api/volumes/claims.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { ensure } from "../writes.js";
import type { StorageClass } from "../../api/types/storage/v1.js";

/**
 * The provisioner of a cluster whose nodes are in its process: it creates and deletes the volumes of its classes, first of all
 * "standard", as external provisioners do.
 */
export function volumeProvisioner(context: ControllerContext): OwnWork {
  const { client, manager } = context;
  const recorder = context.recorder({ component: PROVISIONER });
  const classes = manager.informers.of("storage.k8s.io/v1", "StorageClass");
  const claims = client.of("v1", "PersistentVolumeClaim");
  const volumes = client.of("v1", "PersistentVolume");

  /** Undefined when it cannot be found: then the scheduler must choose again. */
  const nodeFor = async (claim: PersistentVolumeClaim): Promise<Node | undefined> => {
    const name = selectedNode(claim) ?? "";
    try {
      return await client.of("v1", "Node").get(name);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      recorder.event(claim, "Warning", "ProvisioningFailed", `failed to get target node: ${(error as Error).message}`);
      const { [SELECTED_NODE]: _, ...annotations } = claim.metadata?.annotations ?? {};
      await claims
        .namespace(claim.metadata?.namespace ?? "")
        .update({ ...claim, metadata: { ...claim.metadata, annotations } });
      return undefined;
    }
  };

  manager
    .controllerFor("v1", "PersistentVolumeClaim")
    .named(`volume provisioner ${PROVISIONER}`)
    .reads("storage.k8s.io/v1", "StorageClass")
    .reconcile(async ({ object: claim }) => {
      if (claim === undefined) return;
      const storageClass = classes.cache.get(storageClassOf(claim));
      if (storageClass === undefined || !wantsVolume(claim, storageClass)) return;
      const onNode = selectedNode(claim) !== undefined;
      const node = onNode ? await nodeFor(claim) : undefined;
      if (onNode && node === undefined) return;
      const { namespace = "", name } = claim.metadata ?? {};
      const message = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
      recorder.event(claim, "Normal", "Provisioning", message);
      try {
        await volumes.create(fakeVolume(claim, storageClass, node));
      } catch (error) {
        // Made before, and the binder is yet to bind it.
        if (isAlreadyExists(error)) return;
        const reason = `failed to provision volume with StorageClass "${storageClassOf(claim)}": ${(error as Error).message}`;
        recorder.event(claim, "Warning", "ProvisioningFailed", reason);
        throw error;
      }
      recorder.event(
        claim,
        "Normal",
        "ProvisioningSucceeded",
        `Successfully provisioned volume ${volumeNameFor(claim)}`,
      );
    });

  manager
    .controllerFor("v1", "PersistentVolume", { when: isLeft })
    .named(`volume provisioner ${PROVISIONER}, deletion`)
    .reconcile(async ({ name, object: volume }) => {
      if (volume === undefined || !isLeft(volume)) return;
      try {
        await volumes.delete(name);
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });

  return { prepare: () => ensure(client.of("storage.k8s.io/v1", "StorageClass"), defaultClass()) };
}

/** The provisioner whose volumes are API objects without storage. */
export const PROVISIONER = "kubets.dev/fake";

/** The class of claims that name none, as a kind cluster has it; its volumes can grow. */
function defaultClass(): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: "standard", annotations: { [DEFAULT_CLASS]: "true" } },
    provisioner: PROVISIONER,
    reclaimPolicy: "Delete",
    allowVolumeExpansion: true,
    volumeBindingMode: "WaitForFirstConsumer",
  };
}

/** Whether a claim is to get a volume of the provisioner now. */
export function wantsVolume(claim: PersistentVolumeClaim, storageClass: StorageClass | undefined): boolean {
  const { annotations, deletionTimestamp } = claim.metadata ?? {};
  if (deletionTimestamp !== undefined || (claim.spec?.volumeName ?? "") !== "") return false;
  if (storageClass?.provisioner !== PROVISIONER) return false;
  if (!STORAGE_PROVISIONER.some((key) => annotations?.[key] === PROVISIONER)) return false;
  return !delaysBinding(storageClass) || (selectedNode(claim) ?? "") !== "";
}

/**
 * Whether the provisioner must delete a volume: it has made the volume, the reclaim policy is Delete, and the phase is Released or Failed.
 */
export function isLeft({ metadata, spec, status }: PersistentVolume): boolean {
  if (metadata?.annotations?.[PROVISIONED_BY] !== PROVISIONER || metadata.deletionTimestamp !== undefined) return false;
  return (
    spec?.persistentVolumeReclaimPolicy === "Delete" && (status?.phase === "Released" || status?.phase === "Failed")
  );
}

/** The name of a claim's volume: one claim never gets two. */
const volumeNameFor = ({ metadata }: PersistentVolumeClaim): string => `pvc-${metadata?.uid ?? ""}`;

/** Makes the volume for a claim as kind's provisioner does: a folder of the chosen node. A volume for several nodes has no node. */
export function fakeVolume(claim: PersistentVolumeClaim, storageClass: StorageClass, node?: Node): PersistentVolume {
  const name = volumeNameFor(claim);
  const { namespace = "", name: claimName = "", uid = "", resourceVersion = "" } = claim.metadata ?? {};
  const { accessModes = [], resources, volumeMode, volumeAttributesClassName } = claim.spec ?? {};
  const storage = resources?.requests?.["storage"] ?? "0";
  const { reclaimPolicy = "Delete", mountOptions } = storageClass;
  const isShared = accessModes.some((mode) => mode === "ReadWriteMany" || mode === "ReadOnlyMany");
  const hostname = node?.metadata?.labels?.[HOSTNAME] ?? node?.metadata?.name;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: { name, annotations: { [PROVISIONED_BY]: PROVISIONER } },
    spec: {
      accessModes,
      capacity: { storage },
      claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", name: claimName, namespace, uid, resourceVersion },
      hostPath: { path: `/var/kubets/volumes/${name}_${namespace}_${claimName}`, type: "DirectoryOrCreate" },
      ...(mountOptions !== undefined && ({ mountOptions } satisfies FieldsOf<PersistentVolumeSpec>)),
      ...(hostname !== undefined &&
        !isShared &&
        ({ nodeAffinity: { required: onNode(hostname) } } satisfies FieldsOf<PersistentVolumeSpec>)),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      storageClassName: storageClass.metadata?.name ?? "",
      ...(volumeAttributesClassName !== undefined &&
        ({ volumeAttributesClassName } satisfies FieldsOf<PersistentVolumeSpec>)),
      ...(volumeMode !== undefined && ({ volumeMode } satisfies FieldsOf<PersistentVolumeSpec>)),
    },
  };
}

const HOSTNAME = "kubernetes.io/hostname";

const onNode = (hostname: string) => ({
  nodeSelectorTerms: [
    {
      matchExpressions: [
        { key: HOSTNAME, operator: "In" as const, values: [hostname] } satisfies FieldsOf<NodeSelectorRequirement>,
      ],
    },
  ],
});
