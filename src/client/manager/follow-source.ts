import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { objectKey } from "../informers/object-key.js";
import type { SharedInformer } from "../informers/shared-informer.js";
import type { Source } from "./controller-builder.js";

/** The kind that a controller reconciles. */
export interface Primary {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Calls `enqueue` with the keys of the objects to reconcile whenever an object of the source changes. */
export function followSource(
  informer: SharedInformer<ApiObject>,
  { watched, requests }: Source,
  primary: Primary,
  enqueue: (key: string) => void,
): void {
  const keysOf = keysFor(requests, primary);
  const { when } = watched;
  const enqueueAll = (object: ApiObject): void => {
    for (const key of keysOf(object)) enqueue(key);
  };
  informer.addHandler({
    added: (object) => {
      if (when === undefined || when(object)) enqueueAll(object);
    },
    updated: (before, after) => {
      if (when !== undefined && !when(after, before)) return;
      // An object may belong to another one than before: both have changed then.
      if (requests !== "primary") enqueueAll(before);
      enqueueAll(after);
    },
    deleted: enqueueAll,
  });
}

function keysFor(requests: Source["requests"], primary: Primary): (object: ApiObject) => Iterable<string> {
  if (requests === "primary") return (object) => [objectKey(object)];
  if (requests === "owner") return (object) => ownerKeys(object, primary);
  return function* (object) {
    for (const { namespace, name } of requests(object)) yield namespace === "" ? name : `${namespace}/${name}`;
  };
}

/** The key of the object that controls this one, if it is of the primary kind; its version does not matter. */
function ownerKeys({ metadata }: ApiObject, { apiVersion, kind, namespaced }: Primary): string[] {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.kind !== kind) return [];
  if (parseGroupVersion(owner.apiVersion).group !== parseGroupVersion(apiVersion).group) return [];
  return [namespaced ? `${metadata?.namespace ?? ""}/${owner.name}` : owner.name];
}
