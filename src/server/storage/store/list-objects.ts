import { type CancellationToken, throwIfCancelled } from "../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { badRequest } from "../../../machinery/errors/status-error.js";
import { CompactedError } from "../kv.js";
import type { ListObjectsOptions, ListOfObjects } from "../store.js";
import { continueExpired, invalidResourceVersionText, listExpired } from "./errors.js";
import type { KvObject } from "./kv-object.js";
import type { ObjectView, Reads } from "./reads.js";
import { parseResourceVersion } from "./resource-version.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";

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
      ...(predicate === undefined && { remainingItemCount: left }),
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

/** The start of the next page of a list. */
export interface ContinuePoint {
  /** The first key that the page may contain. */
  readonly key: string;
  /** The revision of the list; -1 for the current one, which gives up consistency between pages. */
  readonly revision: number;
}

const VERSION = "meta.k8s.io/v1";

/** Encodes a token as Kubernetes does: base64url of JSON, with the key relative to `prefix`, the prefix of the list. */
function encodeContinue({ key, revision }: ContinuePoint, prefix: string): string {
  const start = key.slice(prefix.length);
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start })).toString("base64url");
}

/** Throws BadRequest for a token that no list of this prefix returned. */
function decodeContinue(token: string, prefix: string): ContinuePoint {
  const { v, rv, start } = parse(token);
  if (v !== VERSION) throw refuse(`: server does not recognize this encoded version ${v}`);
  if (rv === 0) throw refuse(": incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (start === "") throw refuse(": encoded start key empty (version meta.k8s.io/v1)");
  const rooted = start.startsWith("/") ? start : `/${start}`;
  // A key outside the prefix would list objects that the request was not authorized for.
  if (clean(rooted) !== rooted) throw refuse(`: ${start}`);
  return { key: prefix + rooted.slice(1), revision: rv };
}

function parse(token: string): { v: string; rv: number; start: string } {
  const illegal = /[^A-Za-z0-9_-]/.exec(token);
  if (illegal !== null) throw refuse(`: illegal base64 data at input byte ${illegal.index}`);
  if (token.length % 4 === 1) throw refuse(`: illegal base64 data at input byte ${token.length - 1}`);
  let value: unknown;
  try {
    value = decodeJson(Buffer.from(token, "base64url")).value;
  } catch (error) {
    throw refuse(`: ${errorMessage(error)}`);
  }
  const { v, rv, start } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  return {
    v: typeof v === "string" ? v : "",
    rv: typeof rv === "number" && Number.isSafeInteger(rv) ? rv : 0,
    start: typeof start === "string" ? start : "",
  };
}

function refuse(detail: string): Error {
  return badRequest(`invalid continue token: continue key is not valid${detail}`);
}

/** Go's path.Clean for a rooted path. */
function clean(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") parts.pop();
    else parts.push(part);
  }
  return `/${parts.join("/")}`;
}
