import { statusViewerFor } from "../polymorphic-helpers/rollout/status.js";
import { objects, object, text, type ReadonlyFields, number } from "../machinery/meta/access.js";
import { type GroupKind, parseGroupVersion } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";

const isTrue = ({ status }: ReadonlyFields): boolean => status === "True";

/** The conditions of which an object of another kind has one, where it says whether it is ready. */
const SAY_READY: ReadonlySet<unknown> = new Set(["Ready", "Available", "Established"]);

/**
 * Whether an object is as far as it gets by itself: a workload is rolled out, a pod is ready or has succeeded, a Job is complete, a claim
 * is bound; of other kinds, conditions Ready, Available and Established hold, where there are any. An object whose status is of an earlier
 * generation is not. Throws where it has failed for good.
 */
export function isReady(found: KubeObject): boolean {
  const { apiVersion = "", kind = "" } = found;
  const { group } = parseGroupVersion(apiVersion);
  const rolledOut = isRolledOut({ group, kind }, found);
  if (rolledOut !== undefined) return rolledOut;
  const status = object(found.status);
  const observed = status.observedGeneration;
  if (observed !== undefined && number(observed) < (found.metadata?.generation ?? 0)) return false;
  const conditions = objects(status.conditions);
  const condition = (type: string): ReadonlyFields | undefined => conditions.find((one) => one.type === type);
  switch (`${group}/${kind}`) {
    case "/Pod": {
      const phase = text(status.phase);
      if (phase === "Failed") throw new Error(`the pod has failed${because(status)}`);
      return phase === "Succeeded" || isTrue(condition("Ready") ?? {});
    }
    case "batch/Job": {
      const failed = condition("Failed");
      if (failed !== undefined && isTrue(failed)) throw new Error(`the Job has failed${because(failed)}`);
      return isTrue(condition("Complete") ?? {});
    }
    case "/PersistentVolumeClaim":
      return status.phase === "Bound";
    case "/Namespace":
      return status.phase === "Active";
    default:
      return conditions.filter(({ type }) => SAY_READY.has(type)).every(isTrue);
  }
}

/** Undefined for a kind that is not rolled out. */
function isRolledOut(kind: GroupKind, found: KubeObject): boolean | undefined {
  if (kind.group !== "apps" || !["Deployment", "DaemonSet", "StatefulSet"].includes(kind.kind)) return undefined;
  // A StatefulSet that is replaced by hand says so by throwing; its pods still get ready.
  return statusViewerFor(kind)(found, 0n).step === "complete";
}

function because({ reason, message }: ReadonlyFields): string {
  const words = [reason, message].map(text).filter((word) => word !== "");
  return words.length === 0 ? "" : `: ${words.join(": ")}`;
}
