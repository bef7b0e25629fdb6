import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import { Store } from "../registry/store.js";
import type { ObjectStore, StoredObject } from "../storage/store.js";

/** How long after a watch that failed the objects are listed again, in milliseconds. */
const AGAIN = 1000;

export interface FollowOptions {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly reportError: (error: unknown) => void;
  /** All objects as they are now: at first, and whenever changes may have been missed. */
  readonly replaced: (objects: readonly KubeObject[]) => void;
  readonly changed: (type: "ADDED" | "MODIFIED" | "DELETED", object: KubeObject) => void;
}

/**
 * Follows the stored objects of a resource ("apiregistration.k8s.io/apiservices"). Resolves when they were told for the first time; changes are
 * told until the signal aborts.
 */
export async function followObjects(registry: ApiRegistry, id: string, options: FollowOptions): Promise<void> {
  const { storage } = registry.kept(id);
  if (!(storage instanceof Store)) throw new Error(`${id} are not kept in the store`);
  const { objects } = storage.config;
  const from = await listed(objects, options);
  void follow(objects, from, options);
}

async function listed(objects: ObjectStore, { replaced, reportError }: FollowOptions): Promise<string> {
  const { items, resourceVersion } = await objects.list("", { keepsUnreadable: true });
  replaced(items.flatMap((item) => readable(item, reportError)));
  return resourceVersion;
}

/** Nothing for a stored object that cannot be read, so that it hides no other. */
function readable(stored: StoredObject, reportError: FollowOptions["reportError"]): readonly KubeObject[] {
  try {
    return [stored.object()];
  } catch (error) {
    reportError(error);
    return [];
  }
}

async function follow(objects: ObjectStore, from: string, options: FollowOptions): Promise<void> {
  const { signal, timers, reportError, changed } = options;
  let resourceVersion = from;
  while (!signal.aborted) {
    try {
      for await (const events of await objects.watch("", { signal, resourceVersion })) {
        for (const { type, object: stored, revision } of events) {
          resourceVersion = String(revision);
          if (stored === undefined || (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED")) continue;
          for (const one of readable(stored, reportError)) changed(type, one);
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      reportError(error);
      await pause(timers, AGAIN, signal).catch(() => {});
      // The history may be gone: what is stored now counts.
      resourceVersion = await listed(objects, options).catch(() => resourceVersion);
    }
  }
}
