import type { StorageClass } from "../../../api/types/storage/v1.js";
import type { PersistentVolumeClaim } from "../../../api/types/core/v1.js";
import { quantity } from "../../../api/validation/resources.js";
import { storageClassOf } from "../../../api/volumes/claims.js";
import { object, type ReceivedObject } from "../../../machinery/meta/received.js";
import { compareQuantities, zeroQuantity } from "../../../machinery/text/quantity/quantity.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";

/** Rejects a larger request of a claim unless it is bound and its StorageClass allows expansion. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  handles: handling(["UPDATE"], "persistentvolumeclaims"),
  validate(attributes, context) {
    const claim: ReceivedObject<PersistentVolumeClaim> | undefined = attributes.object;
    const old: ReceivedObject<PersistentVolumeClaim> | undefined = attributes.oldObject;
    if (claim === undefined || old === undefined) return;
    if (compareQuantities(requestOf(claim), requestOf(old)) <= 0) return;
    if (object(old.status).phase !== "Bound") {
      throw refused(attributes, "Only bound persistent volume claims can be expanded");
    }
    return allowsExpansion(claim, old, context).then((allowed) => {
      if (allowed) return;
      throw refused(
        attributes,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      );
    });
  },
};

function requestOf({ spec }: ReceivedObject<PersistentVolumeClaim>) {
  return quantity(object(object(object(spec).resources).requests).storage) ?? zeroQuantity;
}

async function allowsExpansion(
  claim: ReceivedObject<PersistentVolumeClaim>,
  old: ReceivedObject<PersistentVolumeClaim>,
  { objects }: AdmissionContext,
): Promise<boolean> {
  const name = storageClassOf(claim as PersistentVolumeClaim);
  if (name === "" || name !== storageClassOf(old as PersistentVolumeClaim)) return false;
  const found: ReceivedObject<StorageClass> | undefined = await objects.cached.get(
    "storage.k8s.io",
    "storageclasses",
    "",
    name,
  );
  return found?.allowVolumeExpansion === true;
}
