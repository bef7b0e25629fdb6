import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core/v1.js";
import { namesStorageClass, storageClassOf, BIND_COMPLETED } from "../../api/volumes/claims.js";
import { type NamespacedName, objectKey } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { unlessAbsent } from "../writes.js";
import { volumeProvisioner } from "../volume-provisioner/volume-provisioner.js";
import { podsOfClaims } from "../pod-indexes.js";
import { type BinderParts, LatestObjects } from "./binder-parts.js";
import { ClaimSync } from "./claim-sync.js";
import { VolumeSync } from "./volume-sync.js";

const NAME = "persistentvolume-binder-controller";
/** The index of volumes by the key of the claim that they name. */
const CLAIM_INDEX = "claim";
/** The index of claims that are not bound yet: by the volume that they name, else by class, else under ANY_CLASS. */
const UNBOUND_INDEX = "unbound";
const ANY_CLASS = "any";

/** Binds claims and volumes to each other, and calls the provisioners of volumes. */
export function persistentVolumeBinder(context: ControllerContext): OwnWork | void {
  const { client, manager } = context;
  const claims = manager.informers.of("v1", "PersistentVolumeClaim");
  const volumes = manager.informers.of("v1", "PersistentVolume");
  const classes = manager.informers.of("storage.k8s.io/v1", "StorageClass");
  volumes.addIndexers({ [CLAIM_INDEX]: (volume) => claimNamedBy(volume).map(objectKeyOf) });
  claims.addIndexers({ [UNBOUND_INDEX]: unboundUnder });
  const unbound = (...under: readonly string[]): readonly NamespacedName[] =>
    under.flatMap((value) => claims.cache.byIndex(UNBOUND_INDEX, value)).map(nameOf);

  const parts: BinderParts = {
    claims: client.of("v1", "PersistentVolumeClaim"),
    volumes: client.of("v1", "PersistentVolume"),
    knownClaims: new LatestObjects(claims.cache),
    knownVolumes: new LatestObjects(volumes.cache),
    storageClasses: () => [...classes.cache.values()],
    podsUsing: podsOfClaims(manager.informers),
    readClaim: (namespace, name) =>
      unlessAbsent(client.of("v1", "PersistentVolumeClaim").namespace(namespace).get(name)),
    readVolume: (name) => unlessAbsent(client.of("v1", "PersistentVolume").get(name)),
    enqueueClaim: (claim) => claimController.enqueue(objectKey(claim)),
    recorder: context.recorder({ component: "persistentvolume-controller" }),
  };
  const claimSync = new ClaimSync(parts);
  const volumeSync = new VolumeSync(parts);

  const claimController = manager
    .controllerFor("v1", "PersistentVolumeClaim")
    .named(NAME)
    .watches("v1", "PersistentVolume", (volume) => {
      const holder = claimNamedBy(volume);
      if (holder.length > 0) return holder;
      return unbound(underVolume(volume.metadata?.name ?? ""), underClass(storageClassOf(volume)));
    })
    .watches("storage.k8s.io/v1", "StorageClass", ({ metadata }) =>
      unbound(underClass(metadata?.name ?? ""), ANY_CLASS),
    )
    .reads("v1", "Pod")
    .reconcile(async ({ object }) => {
      if (object !== undefined) await claimSync.sync(parts.knownClaims.newest(object));
    });
  manager
    .controllerFor("v1", "PersistentVolume")
    .named(`${NAME}, volumes`)
    .watches("v1", "PersistentVolumeClaim", (claim) => {
      const holding = volumes.cache.byIndex(CLAIM_INDEX, objectKey(claim)).map(nameOf);
      const { volumeName = "" } = claim.spec ?? {};
      return volumeName === "" ? holding : [...holding, { namespace: "", name: volumeName }];
    })
    .reconcile(async ({ object }) => {
      if (object !== undefined) await volumeSync.sync(parts.knownVolumes.newest(object));
    });
  if (context.cluster?.hasVolumes === true) return volumeProvisioner(context);
}

const underVolume = (name: string): string => `volume ${name}`;
const underClass = (name: string): string => `class ${name}`;

function unboundUnder(claim: PersistentVolumeClaim): string[] {
  if (claim.metadata?.annotations?.[BIND_COMPLETED] !== undefined) return [];
  const { volumeName = "" } = claim.spec ?? {};
  if (volumeName !== "") return [underVolume(volumeName)];
  const name = underClass(storageClassOf(claim));
  return namesStorageClass(claim) ? [name] : [name, ANY_CLASS];
}

function claimNamedBy({ spec }: PersistentVolume): NamespacedName[] {
  const { namespace = "", name = "" } = spec?.claimRef ?? {};
  return name === "" ? [] : [{ namespace, name }];
}

const objectKeyOf = ({ namespace, name }: NamespacedName): string => `${namespace}/${name}`;
const nameOf = ({ metadata: { namespace = "", name = "" } = {} }: ApiObject): NamespacedName => ({ namespace, name });
