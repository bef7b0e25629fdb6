import {
  persistentVolumeWarnings,
  validatePersistentVolume,
  validatePersistentVolumeUpdate,
} from "../../../api/validation/persistent-volume.js";
import { ensureChild, object } from "../../../machinery/meta/access.js";
import { timestamp } from "../../registry/metadata.js";
import type { Strategy } from "../../registry/strategy.js";

/** A volume starts out unbound. Its protection finalizer comes with the controller that takes it out. */
export const persistentVolumeStrategy: Strategy = {
  prepareForCreate(draft, { now }) {
    draft.status = { phase: "Pending", lastPhaseTransitionTime: timestamp(now) };
  },
  /** A new phase has a new time; the writer may say which. */
  prepareForStatusUpdate(draft, old, { now }) {
    const [status, before] = [ensureChild(draft, "status"), object(old.status)];
    const said = status.lastPhaseTransitionTime ?? undefined;
    if (status.phase === before.phase) return;
    if (said === undefined || said === before.lastPhaseTransitionTime) status.lastPhaseTransitionTime = timestamp(now);
  },
  validate: validatePersistentVolume,
  validateUpdate: validatePersistentVolumeUpdate,
  warningsOnCreate: persistentVolumeWarnings,
  warningsOnUpdate: persistentVolumeWarnings,
};
