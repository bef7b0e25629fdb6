import { isAlreadyExists, isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { reconcileBinding, reconcileRole, type Reconciliation } from "../../machinery/rbac/reconciliation.js";
import type { ApiSnapshot } from "../api-registry/api-registry.js";
import { copyObject } from "../registry/copy.js";
import { ADMITTED } from "../registry/resource.js";
import { type ObjectPlace, targetsIn, untilAnswered, withoutSwitchedOff } from "./create-missing.js";

/** How often an object is tried that comes and goes meanwhile. */
const ATTEMPTS = 4;

/**
 * Creates roles and bindings that do not exist, and adds to existing ones the rules, subjects, labels and annotations that they lack;
 * what they have besides stays. A binding to another role is made anew. It leaves objects alone whose annotation
 * rbac.authorization.kubernetes.io/autoupdate is "false".
 */
export const reconcilePolicy = (api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> =>
  untilAnswered(() => reconcileEach(api, withoutSwitchedOff(api, objects)));

async function reconcileEach(api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> {
  const targetOf = targetsIn(api);
  const lists = new Map<string, Promise<ReadonlyMap<string, KubeObject>>>();
  // One list of a collection is cheaper than a GET for each object.
  const livingBeside = (object: KubeObject): Promise<ReadonlyMap<string, KubeObject>> => {
    const id = `${object.kind}/${object.metadata?.namespace ?? ""}`;
    const known = lists.get(id) ?? living(targetOf(object));
    lists.set(id, known);
    return known;
  };
  const reconcile = async (object: KubeObject): Promise<void> => {
    const target = targetOf(object);
    const name = object.metadata?.name ?? "";
    let live = (await livingBeside(object)).get(name);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await reconciled(live, await target.hub(), target)) return;
      live = (await living(target)).get(name);
    }
    throw new Error(`${object.kind} ${name} came and went ${ATTEMPTS} times while the server brought it up to date`);
  };
  await Promise.all(objects.map(reconcile));
}

async function living({ storage, scope }: ObjectPlace): Promise<ReadonlyMap<string, KubeObject>> {
  const { items } = await storage.list(scope, {});
  return new Map(items.map((item) => item.object()).map((object) => [object.metadata?.name ?? "", object]));
}

/** False when another server has changed the object meanwhile. */
async function reconciled(live: KubeObject | undefined, wanted: KubeObject, target: ObjectPlace): Promise<boolean> {
  const { storage, scope } = target;
  const { operation, object, isProtected } = compare(live, wanted);
  const { name = "", uid } = live?.metadata ?? {};
  if (isProtected || operation === "none") return true;
  try {
    if (operation === "update") {
      const update = async () => copyObject(object);
      await storage.update(scope, name, update, { admit: ADMITTED });
      return true;
    }
    if (operation === "recreate") await storage.delete(scope, name, { preconditions: { uid } }, undefined);
    await storage.create(scope, copyObject(object), ADMITTED.create);
    return true;
  } catch (error) {
    if (isAlreadyExists(error) || isConflict(error) || isNotFound(error)) return false;
    throw error;
  }
}

function compare(live: KubeObject | undefined, wanted: KubeObject): Reconciliation {
  if (wanted["roleRef"] !== undefined) return reconcileBinding(live, wanted, false);
  // The controller of aggregation writes the rules of roles that gather others' once they are there.
  const gathers = live !== undefined && wanted["aggregationRule"] !== undefined;
  return reconcileRole(live, gathers ? { ...wanted, rules: [] } : wanted, false);
}
