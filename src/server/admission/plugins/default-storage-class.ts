import type { PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { defaultStorageClass as defaultOf, namesStorageClass } from "../../../api/volumes/claims.js";
import { type DraftObject, ensureChild } from "../../../machinery/meta/received.js";
import { handling } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";

/** Gives new claims that name no StorageClass the default one: of several the newest. "" is a class that a claim names. */
export const defaultStorageClass: AdmissionPlugin = {
  name: "DefaultStorageClass",
  handles: handling(["CREATE"], "persistentvolumeclaims"),
  async admit(attributes, { objects }) {
    const claim: DraftObject<PersistentVolumeClaim> | undefined = attributes.object;
    if (claim === undefined || namesStorageClass(claim as PersistentVolumeClaim)) return;
    const classes = await objects.cached.list("storage.k8s.io", "storageclasses");
    const chosen = defaultOf(classes);
    if (chosen !== undefined) ensureChild(claim, "spec").storageClassName = chosen.metadata?.name;
  },
};
