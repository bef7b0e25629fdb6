import { errorMessage } from "../../../base/text/error-message.js";
import { internalError, notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Labels, LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { AdmissionObjects } from "../plugin.js";

/** The selectors of a webhook or a policy. The functions throw a SelectorError for an invalid selector. */
export interface MatchSelectors {
  readonly namespaceSelector: () => LabelSelector;
  readonly objectSelector: () => LabelSelector;
}

/** Whether the objectSelector matches the new object or the old one. */
export function matchesObject({ objectSelector }: MatchSelectors, { object, oldObject }: AdmissionAttributes): boolean {
  const selector = selectorNow(objectSelector);
  if (selector.empty) return true;
  return [object, oldObject].some((one) => one !== undefined && selector.matches(labelsOf(one)));
}

/**
 * Whether the namespaceSelector matches the namespace of the request. Requests for cluster-scoped objects, except Namespaces,
 * always match. Rejects with 404 when the namespace does not exist.
 */
export function matchesNamespace(
  { namespaceSelector }: MatchSelectors,
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
  return labelsOf(await findNamespace(namespace, objects));
}

/** Finds a Namespace, even if the watch cache does not show it yet. Rejects with 404 when it does not exist. */
export async function findNamespace(name: string, objects: AdmissionObjects): Promise<KubeObject> {
  const wanted = ["", "namespaces", "", name] as const;
  const found = (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
  if (found === undefined) throw notFound({ group: "", resource: "namespaces" }, name);
  return found;
}

function selectorNow(selector: () => LabelSelector): LabelSelector {
  try {
    return selector();
  } catch (error) {
    throw internalError(errorMessage(error));
  }
}

const labelsOf = ({ metadata }: KubeObject): Labels => metadata?.labels ?? {};
