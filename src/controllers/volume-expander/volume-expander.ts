import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import type { ControllerContext } from "../context.js";
import { PROVISIONER } from "../volume-provisioner/default-class.js";
import { grownClaim, grownVolume, isOwnVolume, wantsToGrow } from "./growth.js";

/** How long to wait for a volume whose change is not in the cache yet. */
const SOON_MS = 100;

/** Makes volumes larger when their claims ask for more: those of the cluster itself; programs from outside do the others. */
export function volumeExpander(context: ControllerContext): void {
  const { client, manager } = context;
  const volumes = manager.informers.of("v1", "PersistentVolume");
  const claims = client.of("v1", "PersistentVolumeClaim");
  const recorder = context.recorder({ component: "volume_expand" });
  const resizer = context.recorder({ component: `external-resizer ${PROVISIONER}` });

  /** As an external resizer does where the node has nothing to do. */
  const grow = async (claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> => {
    const { namespace = "" } = claim.metadata ?? {};
    const { name = "" } = volume.metadata ?? {};
    resizer.event(claim, "Normal", "Resizing", `External resizer is resizing volume ${name}`);
    const larger = grownVolume(volume, claim);
    const grown = larger === volume ? volume : await client.of("v1", "PersistentVolume").update(larger);
    await claims.namespace(namespace).updateStatus(grownClaim(claim, grown));
    resizer.event(claim, "Normal", "VolumeResizeSuccessful", "Resize volume succeeded");
  };

  manager
    .controllerFor("v1", "PersistentVolumeClaim", { when: wantsToGrow })
    .named("persistentvolume-expander-controller")
    .reads("v1", "PersistentVolume")
    .reconcile(async ({ object: claim }) => {
      if (claim === undefined || !wantsToGrow(claim)) return;
      const volume = volumes.cache.get(claim.spec?.volumeName ?? "");
      // The claim is bound: the cache of volumes is behind that of claims, or the claim becomes Lost.
      const isItsVolume = volume !== undefined && volume.spec?.claimRef?.uid === claim.metadata?.uid;
      if (!isItsVolume) return { requeueAfterMilliseconds: SOON_MS };
      if (isOwnVolume(volume) && context.cluster?.hasVolumes === true) return grow(claim, volume);
      recorder.event(claim, "Normal", "ExternalExpanding", "waiting for an external controller to expand this PVC");
    });
}
