import { prefixEnd } from "../../../base/key-order.js";
import { OrderedMap } from "../../../base/ordered-map.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { CachedObject } from "../cacher/cached-object.js";
import type { WatchCache } from "../cacher/watch-cache.js";
import { CompactedError, type Kv } from "../kv.js";
import type { ListObjectsOptions, ListOfObjects } from "../store.js";
import { decodeContinue, encodeContinue } from "./continue-token.js";
import { continueExpired, invalidResourceVersionText, listExpired } from "./errors.js";
import { waitForCurrent, waitForRevision } from "./fresh.js";
import { parseResourceVersion } from "./resource-version.js";

/** What a list reads: a state, from a key on. */
interface Page {
  readonly root: OrderedMap<CachedObject>;
  readonly revision: number;
  readonly from: string;
  readonly limit: number;
}

/** Lists below `prefix`, a whole key prefix ending in "/", from one state that cannot change under the reader. */
export async function listObjects(
  sources: { readonly cache: WatchCache; readonly kv: Kv },
  prefix: string,
  options: ListObjectsOptions,
): Promise<ListOfObjects> {
  return collect(sources.cache, await choosePage(sources, prefix, options), prefix, options.predicate);
}

async function choosePage(
  sources: { readonly cache: WatchCache; readonly kv: Kv },
  prefix: string,
  options: ListObjectsOptions,
): Promise<Page> {
  const { cache, kv } = sources;
  const limit = options.limit ?? 0;
  const requested = parseResourceVersion(options.resourceVersion);
  if (requested === undefined) {
    throw badRequest(`invalid resource version: ${invalidResourceVersionText(options.resourceVersion ?? "")}`);
  }
  if (options.continue !== undefined && options.continue !== "") {
    if (requested !== 0) throw badRequest("specifying resource version is not allowed when using continue");
    const point = decodeContinue(options.continue, prefix);
    if (point.revision > 0) {
      const gone = (): Error => continueExpired(encodeContinue({ key: point.key, revision: -1 }, prefix));
      const root = await rootAt(sources, prefix, point.revision, gone);
      return { root, revision: point.revision, from: point.key, limit };
    }
    await waitForCurrent(cache, kv);
    return { root: cache.root, revision: cache.applied, from: point.key, limit };
  }
  // Before resourceVersionMatch existed, a limit together with a version meant that very version.
  if (options.resourceVersionMatch === "Exact" || (!options.resourceVersionMatch && limit > 0 && requested > 0)) {
    const root = await rootAt(sources, prefix, requested, listExpired);
    return { root, revision: requested, from: prefix, limit };
  }
  if (options.resourceVersion === undefined || options.resourceVersion === "") await waitForCurrent(cache, kv);
  else await waitForRevision(cache, requested);
  // "0" asks for whatever is at hand, all of it: the API server does not page such a list either.
  return {
    root: cache.root,
    revision: cache.applied,
    from: prefix,
    limit: options.resourceVersion === "0" ? 0 : limit,
  };
}

async function rootAt(
  { cache, kv }: { readonly cache: WatchCache; readonly kv: Kv },
  prefix: string,
  revision: number,
  gone: () => Error,
): Promise<OrderedMap<CachedObject>> {
  await waitForRevision(cache, revision);
  const root = cache.at(revision);
  if (root !== undefined) return root;
  try {
    return await readAt(cache, kv, prefix, revision);
  } catch (error) {
    throw error instanceof CompactedError ? gone() : error;
  }
}

/** The store may remember longer than the cache. */
async function readAt(cache: WatchCache, kv: Kv, prefix: string, revision: number): Promise<OrderedMap<CachedObject>> {
  let root = OrderedMap.empty<CachedObject>();
  const { items } = await kv.list(prefix, { revision });
  for (const item of items) root = root.set(item.key, new CachedObject(cache, item.key, item.revision, item.value));
  return root;
}

function collect(
  cache: WatchCache,
  { root, revision, from, limit }: Page,
  prefix: string,
  predicate: ListObjectsOptions["predicate"],
): ListOfObjects {
  const items: CachedObject[] = [];
  let next: string | undefined;
  let last = "";
  root.scan(from, (key, object) => {
    if (!key.startsWith(prefix)) return false;
    if (limit > 0 && items.length >= limit) {
      next = `${last}\0`;
      return false;
    }
    if (predicate === undefined || predicate(object)) items.push(object);
    last = key;
    return true;
  });
  const resourceVersion = String(revision);
  if (next === undefined) return { items, resourceVersion };
  cache.remember(revision, root);
  return {
    items,
    resourceVersion,
    continue: encodeContinue({ key: next, revision }, prefix),
    ...(predicate === undefined && { remainingItemCount: root.rank(prefixEnd(prefix)) - root.rank(next) }),
  };
}
