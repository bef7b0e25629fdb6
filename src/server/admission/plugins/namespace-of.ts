import { notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionContext } from "../plugin.js";

/** The namespace of a request. Throws 404 for one that does not exist. */
export async function namespaceOf(
  { namespace }: AdmissionAttributes,
  { objects }: AdmissionContext,
): Promise<KubeObject> {
  const wanted = ["", "namespaces", "", namespace] as const;
  // The cache may not know yet what another server has created.
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  return found;
}
