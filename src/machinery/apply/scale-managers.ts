import type { JsonObject } from "../meta/json.js";
import { difference, fieldSet, has, isEmpty } from "./field-set.js";
import { decodeManagers, encodeManagers, identifierOf, type Manager, type Managers } from "./managed-fields.js";
import { fieldElement, type PathElement } from "./path-element.js";

const SCALE_VERSION = "autoscaling/v1";
const SCALE_REPLICAS = [fieldElement("spec"), fieldElement("replicas")];

/**
 * Translates managed fields between an object and its /scale: the owner of the object's replicas owns the Scale's. `replicas` is
 * the path of the replicas in a version of the object; undefined for an unknown version.
 */
export class ScaleManagers {
  constructor(
    private readonly entries: readonly JsonObject[] | undefined,
    private readonly apiVersion: string,
    private readonly replicas: (apiVersion: string) => readonly PathElement[] | undefined,
  ) {}

  /** Returns the managedFields of the Scale. */
  toScale(): JsonObject[] | undefined {
    const scale: Managers = new Map();
    for (const [identifier, manager] of decodeManagers(this.entries, "stored")) {
      const path = this.replicas(manager.apiVersion);
      if (path === undefined || !has(manager.fields, path)) continue;
      scale.set(identifier, { ...manager, apiVersion: SCALE_VERSION, fields: fieldSet(SCALE_REPLICAS) });
    }
    return encodeManagers(scale);
  }

  /**
   * Returns the managedFields of the object after its Scale got `scaleEntries`: who lost the replicas of the Scale loses those of the
   * object.
   */
  toParent(scaleEntries: readonly JsonObject[] | undefined): JsonObject[] | undefined {
    const scale = decodeManagers(scaleEntries, "stored");
    // An update's entry names its version: under the Scale's it is the same manager as under the object's.
    const inScale = (manager: Manager) => identifierOf({ ...manager, apiVersion: SCALE_VERSION });
    const parent: Managers = new Map();
    for (const [identifier, manager] of decodeManagers(this.entries, "stored")) {
      const path = this.replicas(manager.apiVersion);
      if (path === undefined) continue;
      if (!has(manager.fields, path)) {
        parent.set(identifier, manager);
      } else if (scale.has(inScale(manager))) {
        parent.set(identifier, manager);
        scale.delete(inScale(manager));
      } else {
        const fields = difference(manager.fields, fieldSet(path));
        if (!isEmpty(fields)) parent.set(identifier, { ...manager, fields });
      }
    }
    const own = this.replicas(this.apiVersion);
    for (const manager of scale.values()) {
      if (own === undefined || !has(manager.fields, SCALE_REPLICAS)) continue;
      // kube-apiserver looks the time up among the object's managers, where this one is not.
      const taken = { ...manager, apiVersion: this.apiVersion, fields: fieldSet(own), time: undefined };
      parent.set(identifierOf(taken), taken);
    }
    return encodeManagers(parent);
  }
}
