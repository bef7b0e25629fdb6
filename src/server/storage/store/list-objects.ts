import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ListMeta } from "../../../machinery/meta/object.js";
import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { CompactedError } from "../kv.js";
import type { ListObjectsOptions, ListOfObjects } from "../store.js";
import { decodeContinue, encodeContinue } from "./continue-token.js";
import { continueExpired, invalidResourceVersionText, listExpired } from "./errors.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectView, Reads } from "./reads.js";
import { parseResourceVersion } from "./resource-version.js";

/** The source of a list's page: a state and the key to start from. */
interface Page {
  readonly view: ObjectView;
  readonly from: string;
  readonly limit: number;
  /** The error for the client when the state is compacted during the list. */
  readonly gone: () => Error;
}

/** The reads that a list uses. */
export type ListReads = Pick<Reads, "latest" | "notOlder" | "exactly" | "ignoresLimitOfAny">;

/** Objects read at a time. */
const SLICE = 1000;
/** Objects filtered between two checks of the time slice. */
const GLANCE = 20;

/** Lists the objects below `prefix`, a whole key prefix ending in "/", from one immutable state. */
export async function listObjects(
  reads: ListReads,
  prefix: string,
  options: ListObjectsOptions,
): Promise<ListOfObjects> {
  const page = await choosePage(reads, prefix, options);
  // It may have waited for a revision.
  throwIfCancelled(options.token);
  try {
    if (options.name !== undefined) return await pickOne(page, prefix + options.name, options.predicate);
    return await collect(page, prefix, options);
  } catch (error) {
    throw error instanceof CompactedError ? page.gone() : error;
  }
}

async function choosePage(reads: ListReads, prefix: string, options: ListObjectsOptions): Promise<Page> {
  const { resourceVersion = "", resourceVersionMatch } = options;
  const limit = options.name === undefined ? (options.limit ?? 0) : 0;
  if (options.continue !== undefined && options.continue !== "") {
    const { key: from, revision } = decodeContinue(options.continue, prefix);
    if (resourceVersion !== "" && resourceVersion !== "0") {
      throw badRequest("specifying resource version is not allowed when using continue");
    }
    const gone = (): Error => continueExpired(encodeContinue({ key: from, revision: -1 }, prefix));
    const view = revision > 0 ? await reads.exactly(prefix, revision) : await reads.latest(prefix);
    if (view === undefined) throw gone();
    return { view, from, limit, gone };
  }
  const requested = parseResourceVersion(resourceVersion);
  if (requested === undefined) {
    throw badRequest(`invalid resource version: ${invalidResourceVersionText(resourceVersion)}`);
  }
  const gone = listExpired;
  // Without resourceVersionMatch, a limit with a resourceVersion requests exactly that version, as it did before the
  // parameter existed.
  if (resourceVersionMatch === "Exact" || (!resourceVersionMatch && limit > 0 && requested > 0)) {
    const view = await reads.exactly(prefix, requested);
    if (view === undefined) throw gone();
    return { view, from: prefix, limit, gone };
  }
  const view = resourceVersion === "" ? await reads.latest(prefix) : await reads.notOlder(prefix, requested);
  return { view, from: prefix, limit: resourceVersion === "0" && reads.ignoresLimitOfAny ? 0 : limit, gone };
}

async function pickOne(
  { view }: Page,
  key: string,
  predicate: ListObjectsOptions["predicate"],
): Promise<ListOfObjects> {
  const { objects } = await view.read(key, 1);
  const items = objects.filter((object) => object.key === key && (predicate === undefined || predicate(object)));
  return { items, resourceVersion: String(view.revision) };
}

async function collect(
  { view, from, limit }: Page,
  prefix: string,
  { predicate, token }: ListObjectsOptions,
): Promise<ListOfObjects> {
  const items: KvObject[] = [];
  const resourceVersion = String(view.revision);
  let next = from;
  for (;;) {
    const { objects, remaining } = await view.read(next, predicate === undefined && limit > 0 ? limit : SLICE);
    const taken = await take(objects, { predicate, token }, limit > 0 ? limit - items.length : objects.length, items);
    next = `${objects[taken - 1]?.key ?? next}\0`;
    const left = objects.length - taken + remaining;
    if (left === 0 || taken === 0) return { items, resourceVersion };
    if (limit === 0 || items.length < limit) continue;
    view.keep();
    return {
      items,
      resourceVersion,
      continue: encodeContinue({ key: next, revision: view.revision }, prefix),
      ...(predicate === undefined && ({ remainingItemCount: left } satisfies FieldsOf<ListMeta>)),
    };
  }
}

/** Adds the matching objects to `items`, at most `room`. Returns how many objects it has examined. */
async function take(
  objects: readonly KvObject[],
  { predicate, token }: { predicate: ListObjectsOptions["predicate"]; token: CancellationToken | undefined },
  room: number,
  items: KvObject[],
): Promise<number> {
  let free = room;
  for (const [index, object] of objects.entries()) {
    if (free === 0) return index;
    if (predicate === undefined || predicate(object)) {
      items.push(object);
      free--;
    }
    if (index % GLANCE === GLANCE - 1 && sliceIsSpent()) await nextSlice(token);
  }
  return objects.length;
}
