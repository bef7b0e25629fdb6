import { object } from "../machinery/meta/access.js";
import type { GroupVersionKind } from "../machinery/meta/gvk.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { selectorFromObject } from "../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../machinery/validation/labels.js";

// It reads selectors of many kinds, each by its name: their objects stay untyped.
const WITH_SELECTOR_OBJECT: ReadonlySet<string> = new Set([
  "ReplicaSet.extensions",
  "ReplicaSet.apps",
  "StatefulSet.apps",
  "DaemonSet.extensions",
  "DaemonSet.apps",
  "Deployment.extensions",
  "Deployment.apps",
  "Job.batch",
]);

/** The label selector of an object's pods, as text. Throws in kubectl's words for a kind without one. */
export function podSelectorOf({ group, version, kind }: GroupVersionKind, selecting: KubeObject): string {
  const { selector } = object(selecting.spec);
  const key = group === "" ? kind : `${kind}.${group}`;
  if (WITH_SELECTOR_OBJECT.has(key)) return fromObject(selector as LabelSelectorObject | undefined);
  if (key === "ReplicationController") return fromObject({ matchLabels: object(selector) as Record<string, string> });
  if (key === "Service") {
    if (Object.keys(object(selector)).length > 0) {
      return fromObject({ matchLabels: object(selector) as Record<string, string> });
    }
    const { name = "" } = selecting.metadata ?? {};
    throw new Error(`invalid service '${name}': Service is defined without a selector`);
  }
  throw new Error(`selector for *${version}.${kind} not implemented`);
}

function fromObject(selector: LabelSelectorObject | undefined): string {
  try {
    return selectorFromObject(selector).toString();
  } catch (error) {
    throw new Error(`invalid label selector: ${(error as Error).message}`, { cause: error });
  }
}
