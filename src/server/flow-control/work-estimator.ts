import type { ApiRequest } from "../request/api-request.js";
import { isTrue, type RequestInfo } from "../request/request-info.js";
import type { StoredSize } from "../storage/store.js";
import type { WatchCounts } from "./watch-counts.js";
import { nameOf } from "./watch-counts.js";
import { nanosecondsPerSeat, seatsAlone, type WorkEstimate, workOf } from "./work.js";

/** kube-apiserver's limits with the feature SizeBasedListCostEstimate, which 1.36 has. */
const MOST_SEATS_OF_LIST = 100;
const MOST_SEATS_OF_WRITE = 10;
const BYTES_PER_SEAT = 100_000;
/** What a list from the watch cache holds in memory at once, at most. */
const BYTES_OF_STREAM = 1_000_000;
/** An object of unknown size counts as the largest that etcd takes. */
const LARGEST_OBJECT = 1_500_000;
const WATCHES_PER_SEAT = 10;
/** How long a seat of watches is taken behind a write, in nanoseconds. */
const EVENT_DURATION = 5e6;

const ONE_SEAT = seatsAlone(1);
const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch", "delete"]);

/** The facts about the server from which the work of a request is estimated. */
export interface WorkFacts {
  readonly watches: WatchCounts;
  /** What is stored of the resource that a request is for; undefined where that is not known, as with resources of other servers. */
  readonly sizeOf: (info: RequestInfo) => StoredSize | undefined;
}

/**
 * Estimates the seats that a request occupies: for lists and the initial events of watches by the bytes that they read, for writes
 * by the watches that they notify. `mostSeats` is the level's limit for one request. Source: kube-apiserver's work estimator.
 */
export function estimateWork(
  { info, exchange }: Pick<ApiRequest, "info" | "exchange">,
  facts: WorkFacts,
  mostSeats: number | undefined,
): WorkEstimate {
  const { verb } = info;
  if (verb === "list" || verb === "watch") return estimateList(info, exchange.query, facts, mostSeats);
  if (isWrite(info)) return estimateWrite(info, facts, mostSeats);
  return ONE_SEAT;
}

function estimateList(
  info: RequestInfo,
  query: URLSearchParams,
  facts: WorkFacts,
  mostSeats: number | undefined,
): WorkEstimate {
  const isWatch = info.verb === "watch";
  const resourceVersion = query.get("resourceVersion") ?? "";
  if (isWatch && !sendsInitialEvents(query, resourceVersion)) return ONE_SEAT;
  const most = Math.min(mostSeats ?? MOST_SEATS_OF_LIST, MOST_SEATS_OF_LIST);
  const limit = Number(query.get("limit") ?? 0);
  // The request will be refused for its limit.
  if (!Number.isInteger(limit)) return seatsAlone(most);
  const size = facts.sizeOf(info);
  if (size === undefined) return ONE_SEAT;
  const isCached = isWatch || !readsStorage(query, resourceVersion, limit);
  const bytes = bytesRead(size, limit, {
    isCached,
    isOne: nameOf(info, query.get("fieldSelector")) !== "",
    selects: (query.get("fieldSelector") ?? "") !== "" || (query.get("labelSelector") ?? "") !== "",
  });
  const seats = Math.ceil((isCached ? Math.min(bytes, BYTES_OF_STREAM) : bytes) / BYTES_PER_SEAT);
  return seats <= 1 ? ONE_SEAT : seatsAlone(Math.min(seats, most));
}

function bytesRead(
  size: StoredSize,
  limit: number,
  how: { readonly isCached: boolean; readonly isOne: boolean; readonly selects: boolean },
): number {
  const limited = limit > 0 ? Math.min(limit, size.count) : size.count;
  const scanned = how.isOne
    ? 1
    : how.selects && !how.isCached
      ? Math.max(limited, Math.trunc(size.count / 2))
      : limited;
  if (scanned === 0) return 0;
  return scanned * (size.averageBytes() || LARGEST_OBJECT);
}

const sendsInitialEvents = (query: URLSearchParams, resourceVersion: string): boolean =>
  resourceVersion === "" ||
  resourceVersion === "0" ||
  (query.has("sendInitialEvents") && isTrue(query.get("sendInitialEvents")));

/** Whether kube-apiserver would ask etcd for the list, which costs it more. */
function readsStorage(query: URLSearchParams, resourceVersion: string, limit: number): boolean {
  const match = query.get("resourceVersionMatch") ?? "";
  if (match !== "") return match !== "NotOlderThan";
  if ((query.get("continue") ?? "") !== "") return true;
  return limit > 0 && resourceVersion !== "" && resourceVersion !== "0";
}

/** The number of open watches to which the server sends the object of a write; undefined where the request writes no watched resource. */
export function watchersOf(info: RequestInfo, { watches }: WorkFacts): number | undefined {
  // A token is no object that is watched.
  const isToken = info.resource === "serviceaccounts" && info.subresource === "token";
  return isWrite(info) && !isToken ? watches.interested(info) : undefined;
}

const isWrite = ({ isResourceRequest, verb }: RequestInfo): boolean => isResourceRequest && WRITES.has(verb);

function estimateWrite(info: RequestInfo, facts: WorkFacts, mostSeats: number | undefined): WorkEstimate {
  const count = watchersOf(info, facts) ?? 0;
  if (count < WATCHES_PER_SEAT) return ONE_SEAT;
  const wanted = Math.ceil(count / WATCHES_PER_SEAT);
  const finalSeats = Math.min(wanted, mostSeats ?? MOST_SEATS_OF_WRITE, MOST_SEATS_OF_WRITE);
  // Fewer seats are taken for longer.
  const additionalLatency = nanosecondsPerSeat(workOf(wanted, EVENT_DURATION), finalSeats);
  return { initialSeats: 1, finalSeats, additionalLatency };
}
