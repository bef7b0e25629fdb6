/**
 * Actions on objects, the exports of "kubets/actions": what kubectl's commands do, without flags and text. They take a
 * KubernetesClient of "kubets".
 */
export type { ActionClient, ObjectReference, ResolvedTarget, Target } from "./target.js";
export type { ActionSurroundings } from "./surroundings.js";
export { type ApplyEvent, applyObject, type ApplyOptions, type DryRun } from "./apply/apply-object.js";
export { createObject } from "./create-object.js";
export { deleteObject } from "./delete-object.js";
export { type DiffEvent, type DiffFields, diffObject, type DiffObjectOptions } from "./diff/diff-object.js";
export { cordon, type CordonOptions, type CordonOutcome, uncordon } from "./drain/cordon.js";
export { drain, type DrainEvent, type DrainOptions, type PlannedPod } from "./drain/drain.js";
export {
  DrainRefusedError,
  type DrainRules,
  planDrain,
  type PodDecision,
  type PodRefusal,
  type RefusalReason,
  type SkipReason,
} from "./drain/plan-drain.js";
export type { RemovalEvent, RemovalOptions } from "./drain/remove-pods.js";
export { EditGivenUpError, type EditEnd, type EditFailure, type EditReason, type EditRound } from "./edit/edit-loop.js";
export { type EditEvent, editObjects, type EditObjectsOptions } from "./edit/edit-objects.js";
export type { PatchEditedEvent } from "./edit/patch-edited.js";
export { type ForwardedPorts, forwardPorts, type ForwardPortsOptions } from "./forward-ports/forward-ports.js";
export type { ForwardEvent } from "./forward-ports/port-forwarder.js";
export { findManifests } from "./find-manifests.js";
export {
  configurationOf,
  LAST_APPLIED,
  lastApplied,
  recordConfiguration,
  withLastApplied,
} from "./apply/last-applied.js";
export type { Recreate } from "./patch-object.js";
export { overrideObject, type Overrides } from "./apply/override-object.js";
export {
  type ClientCertificate,
  type ClientCertificateOptions,
  requestClientCertificate,
} from "./request-client-certificate.js";
export { readTyped } from "./typed/read-typed.js";
export {
  createByClient,
  createTyped,
  loadTypedKinds,
  protobufBody,
  recordTypedConfiguration,
  type TypedKinds,
} from "./typed/typed-object.js";
export { builtInPatchSchema, type PatchSources, type ThreeWayPatch, threeWayPatch } from "./apply/three-way-patch.js";
export {
  type RolloutChange,
  type RolloutChangeOptions,
  rolloutPause,
  RolloutRefusedError,
  rolloutRestart,
  rolloutResume,
} from "./rollout/change.js";
export { rolloutHistory, type RolloutHistoryOptions } from "./rollout/revisions.js";
export { type RolloutProgress, rolloutStatus, type RolloutStatusOptions } from "./rollout/status.js";
export { type RolloutUndo, rolloutUndo, type RolloutUndoOptions } from "./rollout/revisions.js";
export type { Revision } from "../polymorphic-helpers/rollout/history.js";
export type { RolloutStatus } from "../polymorphic-helpers/rollout/status.js";
export { TimedOutError } from "./time-limit.js";
export { created, deleted, hasCondition, hasValue, holds, type WaitCondition } from "./wait/conditions.js";
export type { WaitOutcome } from "./wait/settle.js";
export { waitForObject, type WaitOptions } from "./wait/wait-for-object.js";
export { cannotWait, waitUntilGone, type WaitUntilGoneOptions } from "./wait/wait-until-gone.js";
export { type DocumentValidation, documentValidation } from "./validate-document.js";
// What actions of manifests take: an Info of an object, and a Helper that sends as kubectl does.
export { type DeleteOptions, Helper, type HelperOptions } from "../resource/helper.js";
export type { Info } from "../resource/info.js";
export { infoOf } from "../resource/info-of.js";
