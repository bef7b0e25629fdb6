import { isGone } from "../../machinery/errors/status-error.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import { type Api, METADATA_ONLY, METADATA_ONLY_LIST } from "../api.js";
import { pause } from "../pause.js";

export interface MonitorOptions {
  /** The collection of all namespaces: "/api/v1/pods". */
  readonly path: string;
  readonly signal: AbortSignal;
  readonly report: (error: unknown) => void;
  readonly changed: (metadata: ObjectMeta) => void;
  readonly deleted: (metadata: ObjectMeta) => void;
  /** Called after every complete list: what is not among these uids is gone. */
  readonly listed: (uids: ReadonlySet<string>) => void;
}

const PAGE = 500;
const RETRY_MS = 1000;

/** Tells of the metadata of a resource's objects, from a list and then from watches. Ends only when `signal` aborts. */
export async function monitor(api: Api, options: MonitorOptions): Promise<void> {
  const { signal, report } = options;
  let resourceVersion = "";
  while (!signal.aborted) {
    try {
      if (resourceVersion === "") resourceVersion = await listOnce(api, options);
      resourceVersion = await watchOnce(api, options, resourceVersion);
    } catch (error) {
      if (signal.aborted) return;
      resourceVersion = "";
      if (isGone(error)) continue;
      report(error);
      await pause(RETRY_MS, signal);
    }
  }
}

/** Answers the version of the list. */
async function listOnce(api: Api, { path, changed, listed }: MonitorOptions): Promise<string> {
  const uids = new Set<string>();
  let token = "";
  let version: string;
  do {
    const rest = token === "" ? "" : `&continue=${encodeURIComponent(token)}`;
    const page = await api.list(`${path}?limit=${PAGE}${rest}`, METADATA_ONLY_LIST);
    for (const { metadata = {} } of page.items) {
      uids.add(metadata.uid ?? "");
      changed(metadata);
    }
    token = page.metadata.continue ?? "";
    version = page.metadata.resourceVersion ?? "";
  } while (token !== "");
  listed(uids);
  return version;
}

/** Answers the version to go on from; "" to begin again with a list. */
async function watchOnce(api: Api, options: MonitorOptions, from: string): Promise<string> {
  let version = from;
  const path = `${options.path}?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
  for await (const { type, object } of api.watch(path, options.signal, METADATA_ONLY)) {
    if (type === "ERROR") return "";
    const { metadata = {} } = object;
    if (type === "ADDED" || type === "MODIFIED") options.changed(metadata);
    if (type === "DELETED") options.deleted(metadata);
    version = metadata.resourceVersion ?? version;
  }
  return version;
}
