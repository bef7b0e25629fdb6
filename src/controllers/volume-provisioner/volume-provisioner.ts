import type { Node, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { SELECTED_NODE } from "../../api/volumes/annotations.js";
import { selectedNode, storageClassOf } from "../../api/volumes/storage-class.js";
import { isAlreadyExists, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { ensure } from "../ensure.js";
import { defaultClass, PROVISIONER } from "./default-class.js";
import { fakeVolume, isLeft, volumeNameFor, wantsVolume } from "./fake-volume.js";

/**
 * The provisioner of a cluster whose nodes are in its process: makes and deletes the volumes of its classes, "standard" first of
 * them, as provisioners from outside do.
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
