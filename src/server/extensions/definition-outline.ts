import { object, objects } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** A definition without what is large in it: the schemas, who owns which field, and what kubectl applied last. */
export function outlineOf(definition: KubeObject): KubeObject {
  const { metadata: { managedFields: _, annotations, ...metadata } = {}, spec } = definition;
  const versions = objects(object(spec).versions).map(({ schema: __, ...version }) => version as JsonValue);
  const { [LAST_APPLIED]: ___, ...kept } = annotations ?? {};
  return { ...definition, metadata: { ...metadata, annotations: kept }, spec: { ...object(spec), versions } };
}
