import type { PersistentVolume } from "../../../api/types/core/v1.js";
import {
  persistentVolumeWarnings,
  validatePersistentVolume,
  validatePersistentVolumeUpdate,
} from "../../../api/validation/volumes/persistent-volume.js";
import { ensureChild, object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { timestamp } from "../../registry/metadata.js";
import { age, name, quantityCell, accessModesCell, orUnset, phaseCell, storageClassCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** A volume starts out unbound. */
export const persistentVolumeRecord: RecordOf<PersistentVolume> = {
  group: "",
  resource: "persistentvolumes",
  strategy: {
    prepareForCreate(draft, { now }) {
      draft.status = { phase: "Pending", lastPhaseTransitionTime: timestamp(now) };
    },
    /** A new phase has a new time; the writer may say which. */
    prepareForStatusUpdate(draft, old, { now }) {
      const [status, before] = [ensureChild(draft, "status"), object(old.status)];
      const said = status.lastPhaseTransitionTime ?? undefined;
      if (status.phase === before.phase) return;
      if (said === undefined || said === before.lastPhaseTransitionTime)
        status.lastPhaseTransitionTime = timestamp(now);
    },
    validate: validatePersistentVolume,
    validateUpdate: validatePersistentVolumeUpdate,
    warningsOnCreate: persistentVolumeWarnings,
    warningsOnUpdate: persistentVolumeWarnings,
    columns: columns(
      [
        "Name",
        ["Capacity", "How much it can store."],
        ["Access Modes", "How nodes may mount it, by initials."],
        ["Reclaim Policy", "What becomes of it when its claim is deleted."],
        ["Status", "Whether it is available, bound, released or failed; Terminating while it is deleted."],
        ["Claim", "The namespace and name of the claim that it is bound to."],
        ["StorageClass", "The class that it belongs to."],
        ["VolumeAttributesClass", "The class of the attributes that its driver applies."],
        ["Reason", "Why it is in its status, as one word."],
        "Age",
        ["VolumeMode:string:1", "Whether pods get a file system or a raw device."],
      ],
      (volume, now) => {
        const [spec, status] = [object(volume.spec), object(volume.status)];
        const claim = spec.claimRef === undefined ? undefined : object(spec.claimRef);
        return [
          name(volume),
          quantityCell(object(spec.capacity).storage),
          accessModesCell(spec.accessModes),
          text(spec.persistentVolumeReclaimPolicy),
          phaseCell(volume),
          claim === undefined ? "" : `${text(claim.namespace)}/${text(claim.name)}`,
          storageClassCell(volume),
          orUnset(spec.volumeAttributesClassName),
          text(status.reason),
          age(volume, now),
          orUnset(spec.volumeMode),
        ];
      },
    ),
  },
};
