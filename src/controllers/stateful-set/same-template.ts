import type { ControllerRevision } from "../../api/types/apps/v1.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { hasData, revisionData, templateOf } from "../history/revision-data.js";
import { STATEFUL_SET } from "./identity.js";

/** Sets the defaults of an object in place. */
export type ApplyDefaults = (object: KubeObject) => void;

/**
 * Whether a revision keeps this data but for defaults that its template lacks: they came to the API after it was made, and no pod
 * is replaced for them.
 */
export function lacksDefaultsAlone(
  revision: ControllerRevision,
  data: JsonObject,
  applyDefaults: ApplyDefaults,
): boolean {
  const template = templateOf(revision);
  if (template === undefined || hasData(revision, data)) return false;
  const restored = { ...STATEFUL_SET, spec: { template: structuredClone(template) } };
  applyDefaults(restored as unknown as KubeObject);
  return deepEqual(revisionData(restored.spec.template), data);
}
