import type { KubeObject } from "../machinery/meta/object.js";
import type { Api } from "./api.js";
import { pagesOf } from "./list-all.js";
import { pause } from "./pause.js";

export interface FollowOptions {
  /** The collection, with a query of its own or none: "/api/v1/namespaces". */
  readonly path: string;
  readonly signal: AbortSignal;
  /** Called in order, one at a time, for every object there is and every change of one. A throw is reported and passed over. */
  readonly changed: (object: KubeObject) => Promise<void>;
  readonly deleted?: (object: KubeObject) => Promise<void>;
  readonly report: (error: unknown) => void;
  /** Called once, when everything that was there at the start has been seen. */
  readonly synced?: () => void;
}

const RETRY_MS = 1000;

/** Lists, then watches, and begins again when a watch ends. Ends only when `signal` aborts. */
export async function follow(api: Api, options: FollowOptions): Promise<void> {
  const { signal, report } = options;
  let { synced } = options;
  while (!signal.aborted) {
    try {
      let resourceVersion = "";
      for await (const { items, metadata } of pagesOf(api, options.path)) {
        for (const item of items) await guarded(options.changed, item, report);
        resourceVersion = metadata.resourceVersion ?? "";
      }
      synced?.();
      synced = undefined;
      await watch(api, options, resourceVersion);
    } catch (error) {
      if (signal.aborted) return;
      report(error);
      await pause(RETRY_MS, signal);
    }
  }
}

async function watch(api: Api, options: FollowOptions, resourceVersion: string): Promise<void> {
  const joint = options.path.includes("?") ? "&" : "?";
  const path = `${options.path}${joint}watch=true&allowWatchBookmarks=true&resourceVersion=${resourceVersion}`;
  for await (const { type, object } of api.watch(path, options.signal)) {
    if (type === "ERROR") return;
    if (type === "ADDED" || type === "MODIFIED") await guarded(options.changed, object, options.report);
    if (type === "DELETED" && options.deleted !== undefined) await guarded(options.deleted, object, options.report);
  }
}

async function guarded(
  handle: (object: KubeObject) => Promise<void>,
  object: KubeObject,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await handle(object);
  } catch (error) {
    report(error);
  }
}
