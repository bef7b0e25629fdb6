import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
  TypedLocalObjectReference,
} from "../../../api/types/core/v1.js";
import {
  persistentVolumeClaimWarnings,
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimStatusUpdate,
  validatePersistentVolumeClaimUpdate,
} from "../../../api/validation/volumes/persistent-volume-claim.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import { absent, type Draft, ensureChild, object, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name, quantityCell, accessModesCell, orUnset, phaseCell, storageClassCell } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** A claim starts out unbound. */
export const persistentVolumeClaimRecord: RecordOf<PersistentVolumeClaim> = {
  group: "",
  resource: "persistentvolumeclaims",
  strategy: {
    prepareForCreate(draft) {
      draft.status = { phase: "Pending" };
      alignDataSources(ensureChild(draft, "spec"), {});
    },
    prepareForUpdate: (draft, old) => alignDataSources(ensureChild(draft, "spec"), object(old.spec)),
    validate: validatePersistentVolumeClaim,
    validateUpdate: validatePersistentVolumeClaimUpdate,
    validateStatusUpdate: validatePersistentVolumeClaimStatusUpdate,
    warningsOnCreate: persistentVolumeClaimWarnings,
    warningsOnUpdate: persistentVolumeClaimWarnings,
    columns: columns(
      [
        "Name",
        ["Status", "Whether it is pending, bound or lost; Terminating while it is deleted."],
        ["Volume", "The volume that it is bound to."],
        ["Capacity", "How much its volume can store."],
        ["Access Modes", "How nodes may mount its volume, by initials."],
        ["StorageClass", "The class that its volume has to belong to."],
        ["VolumeAttributesClass", "The class of the attributes that it asks for."],
        "Age",
        ["VolumeMode:string:1", "Whether pods get a file system or a raw device."],
      ],
      (claim, now) => {
        const [spec, status] = [object(claim.spec), object(claim.status)];
        const bound = text(spec.volumeName) !== "";
        return [
          name(claim),
          phaseCell(claim),
          text(spec.volumeName),
          bound ? quantityCell(object(status.capacity).storage) : "",
          bound ? accessModesCell(status.accessModes) : "",
          storageClassCell(claim),
          orUnset(spec.volumeAttributesClassName),
          age(claim, now),
          orUnset(spec.volumeMode),
        ];
      },
    ),
  },
};

/**
 * `dataSource` is the older name of `dataSourceRef` and shows the same, but for sources in another namespace, which 1.36 has
 * behind a gate that is off. What only the new name may say is no source under the old one.
 */
function alignDataSources(spec: Draft<PersistentVolumeClaimSpec>, before: ReadonlyFields): void {
  const elsewhere = text(object(spec.dataSourceRef).namespace) !== "";
  if (elsewhere && absent(before.dataSourceRef)) delete spec.dataSourceRef;
  if (absent(before.dataSource) && absent(spec.dataSourceRef) && !isOldSource(object(spec.dataSource))) {
    delete spec.dataSource;
  }
  if (!absent(spec.dataSource) && absent(spec.dataSourceRef)) spec.dataSourceRef = { ...object(spec.dataSource) };
  else if (absent(spec.dataSource) && !absent(spec.dataSourceRef)) {
    const { namespace, ...source } = object(spec.dataSourceRef);
    if (text(namespace) === "") spec.dataSource = source;
  }
}

function isOldSource({ apiGroup, kind }: Received<TypedLocalObjectReference>): boolean {
  if (kind === "PersistentVolumeClaim") return text(apiGroup) === "";
  return kind === "VolumeSnapshot" && apiGroup === "snapshot.storage.k8s.io";
}
