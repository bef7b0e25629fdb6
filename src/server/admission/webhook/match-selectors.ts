import { internalError, notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Labels, LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionObjects } from "../plugin.js";
import type { Webhook } from "./webhook.js";

/** Whether a webhook's objectSelector matches the new object or the old one. */
export function matchesObject({ objectSelector }: Webhook, { object, oldObject }: AdmissionAttributes): boolean {
  const selector = selectorNow(objectSelector);
  if (selector.empty) return true;
  return [object, oldObject].some((one) => one !== undefined && selector.matches(labelsOf(one)));
}

/**
 * Whether a webhook's namespaceSelector matches the namespace of the request. Requests for objects of the cluster other than
 * Namespaces always match. Rejects with 404 when the namespace does not exist.
 */
export function matchesNamespace(
  { namespaceSelector }: Webhook,
  attributes: AdmissionAttributes,
  objects: AdmissionObjects,
): boolean | Promise<boolean> {
  const { namespace, resource } = attributes;
  if (namespace === "" && resource.resource !== "namespaces") return true;
  const selector = selectorNow(namespaceSelector);
  if (selector.empty) return true;
  return namespaceLabels(attributes, objects).then((labels) => selector.matches(labels));
}

/** The labels that a new or changed Namespace is going to have are those of the request's object. */
async function namespaceLabels(attributes: AdmissionAttributes, objects: AdmissionObjects): Promise<Labels> {
  const { namespace, resource, subresource, operation, object } = attributes;
  const isWritten = operation === "CREATE" || operation === "UPDATE";
  if (resource.resource === "namespaces" && subresource === "" && isWritten && object !== undefined) {
    return labelsOf(object);
  }
  const wanted = ["", "namespaces", "", namespace] as const;
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, namespace);
  return labelsOf(found);
}

function selectorNow(selector: () => LabelSelector): LabelSelector {
  try {
    return selector();
  } catch (error) {
    throw internalError(error instanceof Error ? error.message : String(error));
  }
}

const labelsOf = ({ metadata }: KubeObject): Labels => metadata?.labels ?? {};
