import type { SharedInformer } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { controllerOf } from "./controller-ref.js";

/** The objects of one kind by what controls them. */
export interface ControlledObjects<T extends ApiObject> {
  /** Those that the owner controls and the orphans of its namespace, which it may adopt. */
  candidates(owner: ApiObject): T[];
  /** Those that the owner of this uid controls. */
  controlledBy(uid: string): T[];
}

/** The index of objects by the uid of their controller, or by `orphan/<namespace>`. */
const CONTROLLER_INDEX = "controller";

const indexed = new WeakSet<object>();

/** Call it before the informers start. */
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
