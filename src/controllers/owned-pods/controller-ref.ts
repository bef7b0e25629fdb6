import type { Lister, SharedInformer } from "../../client/informers/index.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiObject, OwnerReference } from "../../machinery/meta/object.js";

/** A kind whose objects own and control others. */
export interface ControllerKind {
  /** "apps/v1". */
  readonly apiVersion: string;
  readonly kind: string;
}

/** The owner that manages the object: there is at most one. */
export function controllerOf({ metadata }: ApiObject): OwnerReference | undefined {
  return metadata?.ownerReferences?.find(({ controller }) => controller === true);
}

/** Makes the owner reference to an object's controller. */
export function controllerReference({ apiVersion, kind }: ControllerKind, owner: ApiObject): OwnerReference {
  const { name = "", uid = "" } = owner.metadata ?? {};
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** Finds the object that controls this one, if it has the kind and is in the cache. */
export function managerIn<O extends ApiObject>(
  owners: Lister<O>,
  kind: ControllerKind,
  object: ApiObject,
): O | undefined {
  const controller = controllerOf(object);
  if (controller === undefined || !refersTo(controller, kind)) return undefined;
  const owner = owners.namespace(object.metadata?.namespace ?? "").get(controller.name);
  return owner?.metadata?.uid === controller.uid ? owner : undefined;
}

/** Whether the reference names an object of the kind, in any version. */
export function refersTo(reference: OwnerReference, { apiVersion, kind }: ControllerKind): boolean {
  return reference.kind === kind && groupOf(reference.apiVersion) === groupOf(apiVersion);
}

const groupOf = (apiVersion: string): string => parseGroupVersion(apiVersion).group;

/** The objects of one kind, indexed by the object that controls them. */
export interface ControlledObjects<T extends ApiObject> {
  /** Those that the owner controls and the orphans of its namespace, which it may adopt. */
  candidates(owner: ApiObject): T[];
  /** Those that the owner of this uid controls. */
  controlledBy(uid: string): T[];
}

/** The index of objects by the uid of their controller, or by `orphan/<namespace>`. */
const CONTROLLER_INDEX = "controller";

const indexed = new WeakSet<object>();

/** Indexes the objects of an informer by the uid of their controller. Call it before the informers start. */
export function controlledObjects<T extends ApiObject>(informer: SharedInformer<T>): ControlledObjects<T> {
  if (!indexed.has(informer)) {
    indexed.add(informer);
    informer.addIndexers({
      [CONTROLLER_INDEX]: (object) => [controllerOf(object)?.uid ?? `orphan/${object.metadata?.namespace ?? ""}`],
    });
  }
  const { cache } = informer;
  return {
    candidates({ metadata }) {
      const owned = cache.byIndex(CONTROLLER_INDEX, metadata?.uid ?? "");
      return [...owned, ...cache.byIndex(CONTROLLER_INDEX, `orphan/${metadata?.namespace ?? ""}`)];
    },
    controlledBy: (uid) => cache.byIndex(CONTROLLER_INDEX, uid),
  };
}
