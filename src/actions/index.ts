export { type ApplyEvent, applyObject, type ApplyOptions, type DryRun } from "./apply-object.js";
export { createObject } from "./create-object.js";
export { deleteObject } from "./delete-object.js";
export { findManifests } from "./find-manifests.js";
export { configurationOf, LAST_APPLIED, lastApplied, recordConfiguration, withLastApplied } from "./last-applied.js";
export type { Recreate } from "./patch-object.js";
export { overrideObject, type Overrides } from "./override-object.js";
export { readTyped } from "./read-typed.js";
export {
  createByClient,
  createTyped,
  loadTypedKinds,
  protobufBody,
  recordTypedConfiguration,
  type TypedKinds,
} from "./typed-object.js";
export { builtInPatchSchema, type PatchSources, type ThreeWayPatch, threeWayPatch } from "./three-way-patch.js";
export { cannotWait, waitUntilGone, type WaitUntilGoneOptions } from "./wait-until-gone.js";
export { type DocumentValidation, documentValidation } from "./validate-document.js";
// What actions take: a client's rest, an Info of an object, and a Helper that sends as kubectl does.
export { type DeleteOptions, Helper, type HelperOptions } from "../resource/helper.js";
export type { Info } from "../resource/info.js";
export { infoOf } from "../resource/info-of.js";
