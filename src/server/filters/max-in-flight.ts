import type { fairnessOption } from "../../component/apiserver-flags/features.js";
import type { inFlightOptions } from "../../component/apiserver-flags/generic.js";
import type { OptionsOf } from "../../component/option-group.js";
import type { Timers } from "../../base/time/timers.js";
import { REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import type { Measuring } from "../metrics/measures.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import type { RequestInfo } from "../request/request-info.js";
import { respondBytes } from "../request/respond.js";
import { isProbe } from "./availability.js";

/** The limits of requests that run at once, and whether priority and fairness chooses among them. */
export type InFlightLimits = OptionsOf<typeof inFlightOptions & { readonly fairness: typeof fairnessOption }>;

/** kube-apiserver's default limits. */
export const IN_FLIGHT_LIMITS: InFlightLimits = { readOnly: 400, mutating: 200 };

/** How many requests of one user wait for a place. More than a thousand informers list when a program starts. */
const WAITING_OF_USER = 2000;
/** How many requests of all users wait for a place, for each of the two limits. */
const WAITING_OF_ALL = 6000;
/** How long a request waits for a place; a quarter of what a request may take, as in kube-apiserver. */
const PATIENCE_MS = 15_000;

/**
 * Bounds how many requests run at once, and how many wait for that. A user has half of the places at most; who waits gets one in
 * turn with other users. A request beyond the bounds is a 429, which says when to come again. It runs
 * in front of all that waits for others: impersonation, authorization, admission, storage, and the client that reads its answer.
 * Watches and connections into pods, probes, and members of system:masters are not counted.
 */
export function maxInFlight(
  timers: Timers,
  { readOnly, mutating }: Pick<InFlightLimits, "readOnly" | "mutating"> = IN_FLIGHT_LIMITS,
  measuring?: Measuring,
): Filter {
  for (const [name, limit] of Object.entries({ readOnly, mutating })) {
    if (limit >= 0) continue;
    throw new Error(`inFlight.${name} is ${limit}; give how many requests run at once, or 0 for no limit`);
  }
  const [readers, writers] = [new Places(readOnly, timers), new Places(mutating, timers)];
  return (next) => (request) => {
    const { info, user } = request;
    if (isLongRunning(info) || user.groups.includes("system:masters") || isProbe(info.path)) return next(request);
    const places = READS.has(info.verb) ? readers : writers;
    return places.tryEnter(user.name) ? running(places, next, request) : waiting(places, next, request, measuring);
  };
}

async function running(places: Places, next: Handler, request: ApiRequest): Promise<void> {
  try {
    await next(request);
  } finally {
    places.leave(request.user.name);
  }
}

async function waiting(
  places: Places,
  next: Handler,
  request: ApiRequest,
  measuring: Measuring | undefined,
): Promise<void> {
  if (await places.enter(request)) return running(places, next, request);
  measuring?.on?.dropped(request);
  await respondTooMany(request);
}

/** Sends kube-apiserver's 429, byte for byte. `retryAfter` is in seconds. */
export function respondTooMany(request: ApiRequest, retryAfter = 1): Promise<void> {
  const headers = { "content-type": "text/plain; charset=utf-8", "retry-after": String(retryAfter) };
  return respondBytes(request, 429, headers, TOO_MANY);
}

const TOO_MANY = Buffer.from("Too many requests, please try again later.\n");

const READS: ReadonlySet<string> = new Set(["get", "list"]);
const CONNECTIONS: ReadonlySet<string> = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Whether kube-apiserver counts a request as long-running: it lasts as long as its client wants. */
export const isLongRunning = ({ verb, isResourceRequest, subresource }: RequestInfo): boolean =>
  verb === "watch" || (isResourceRequest && CONNECTIONS.has(subresource));

/** Tells a request that waits whether it has got a place. */
type Settle = (entered: boolean) => void;

/** What one user has of the places. */
class Share {
  running = 0;
  /** In the order they came. */
  readonly waiting = new Set<Settle>();
}

/** The places of requests that run at once. */
class Places {
  readonly #shares = new Map<string, Share>();
  readonly #ofUser: number;
  #running = 0;
  #waiting = 0;

  readonly #limit: number;

  constructor(
    limit: number,
    private readonly timers: Timers,
  ) {
    this.#limit = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    this.#ofUser = Math.ceil(this.#limit / 2);
  }

  /** Takes a place if there is one at once. */
  tryEnter(user: string): boolean {
    const share = this.#shareOf(user);
    if (this.#running >= this.#limit || share.running >= this.#ofUser || share.waiting.size > 0) return false;
    share.running += 1;
    this.#running += 1;
    return true;
  }

  /** Waits for a place. Resolves to false where too many wait already, or none comes free in time. Rejects when the request is cancelled. */
  enter(request: ApiRequest): Promise<boolean> {
    const share = this.#shareOf(request.user.name);
    if (share.waiting.size >= WAITING_OF_USER || this.#waiting >= WAITING_OF_ALL) {
      this.#forget(request.user.name, share);
      return Promise.resolve(false);
    }
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const end = (): void => {
        cancelTimer();
        signal.removeEventListener("abort", cancel);
        share.waiting.delete(settle);
        this.#waiting -= 1;
        this.#forget(request.user.name, share);
      };
      const settle: Settle = (entered) => {
        end();
        resolve(entered);
      };
      // A server that stops still answers it.
      const cancel = (): void => {
        if (!request.isCancelled) return;
        end();
        reject(REQUEST_IS_OVER);
      };
      const cancelTimer = this.timers.start(PATIENCE_MS, () => settle(false));
      share.waiting.add(settle);
      this.#waiting += 1;
      signal.addEventListener("abort", cancel);
      if (signal.aborted) cancel();
    });
  }

  leave(user: string): void {
    const share = this.#shareOf(user);
    share.running -= 1;
    this.#running -= 1;
    this.#forget(user, share);
    if (this.#waiting > 0) this.#admitNext();
  }

  /** Gives a place that came free to the user whose turn it is. */
  #admitNext(): void {
    for (const [user, share] of this.#shares) {
      if (share.running >= this.#ofUser) continue;
      const [oldest] = share.waiting;
      if (oldest === undefined) continue;
      // The others come first next time.
      this.#shares.delete(user);
      this.#shares.set(user, share);
      share.running += 1;
      this.#running += 1;
      oldest(true);
      return;
    }
  }

  #shareOf(user: string): Share {
    let share = this.#shares.get(user);
    if (share === undefined) this.#shares.set(user, (share = new Share()));
    return share;
  }

  /** Keeps nothing of a user who has no request. */
  #forget(user: string, share: Share): void {
    if (share.running === 0 && share.waiting.size === 0) this.#shares.delete(user);
  }
}
