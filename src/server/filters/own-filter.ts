import { errorMessage } from "../../base/text/error-message.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Filter } from "../request/api-request.js";
import { SHARE_OF_TIME } from "../request/share-of-time.js";
import { limitOf } from "./deadline.js";

/**
 * The names of the server's own filters from the outermost one on, which is the order in which they see a request. Some run only
 * if an option asks for them.
 */
export const FILTER_NAMES = [
  "panic-recovery",
  "hsts",
  "retry-after",
  "availability",
  "goaway",
  "deadline",
  "watch-termination",
  "cors",
  "authentication",
  "tracing",
  "audit",
  "max-in-flight",
  "impersonation",
  "priority-and-fairness",
  "authorization",
] as const;

export type FilterName = (typeof FILTER_NAMES)[number];

/** Wraps a filter so that errors behind it are turned into answers before they reach it: it sees every rejection and fault as an answer. */
export const answering =
  (filter: Filter, recovery: Filter): Filter =>
  (next) =>
    filter(recovery(next));

/** A user's filter, and its place. Default: after authorization, next to the resources. */
export interface OwnFilter {
  /** Names it in errors. */
  readonly name: string;
  readonly filter: Filter;
  /** The name of a filter, of the server's or of another from outside that stands before this one in the list. */
  readonly before?: FilterName | (string & {});
  readonly after?: FilterName | (string & {});
}

/**
 * A filter from outside the server, such that it can fail no more than the request that it handles: a filter that throws,
 * that neither passes the request on nor answers it, or that does neither in time, makes this request's error.
 */
export function guarded({ name, filter }: OwnFilter): Filter {
  return (next) => async (request) => {
    const inner = new Set<Promise<void>>();
    const errors = new Set<unknown>();
    let passedOn = () => {};
    const passed = new Promise<void>((resolve) => {
      passedOn = resolve;
    });
    const handle = filter((passing) => {
      passedOn();
      const running = next(passing);
      inner.add(running);
      // The filter may not look at what it started.
      running.catch((error: unknown) => errors.add(error));
      return running;
    });
    try {
      await inTime(request, Promise.resolve(handle(request)), passed);
    } catch (error) {
      if (errors.has(error) || isStatusError(error)) throw error;
      throw new Error(`filter "${name}" failed: ${errorMessage(error)}`, {
        cause: error,
      });
    }
    await Promise.all(inner);
    if (inner.size === 0 && !request.exchange.responded) {
      throw new Error(`filter "${name}" neither passed the request on nor answered it`);
    }
  };
}

/** Waits for the filter; it has all the time that there is once it has passed the request on. */
async function inTime(request: ApiRequest, running: Promise<void>, passed: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((_, reject) => {
    const left = request.timeLeft ?? limitOf(request.exchange.query.get("timeout"));
    const limit = Math.round(left * SHARE_OF_TIME);
    timer = setTimeout(() => {
      if (!request.exchange.responded) reject(new Error(`it did nothing with the request for ${limit} ms`));
    }, limit);
    timer.unref();
  });
  void passed.then(() => clearTimeout(timer));
  try {
    await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The filters of the server and from outside, in running order; a filter that the server does without keeps its place. Throws an Error that says
 * what is wrong with a place.
 */
export function placed(
  own: readonly OwnFilter[],
  server: Readonly<Partial<Record<FilterName, Filter>>>,
): readonly Filter[] {
  const recovery = server["panic-recovery"];
  const chain: { readonly name: string; readonly filter: Filter | undefined }[] = FILTER_NAMES.map((name) => ({
    name,
    filter: server[name],
  }));
  for (const one of own) {
    if (chain.some(({ name }) => name === one.name))
      throw new Error(`there is a filter "${one.name}" already; give this one another name`);
    if (one.before !== undefined && one.after !== undefined) {
      throw new Error(`filter "${one.name}" cannot have both before and after; give one of them`);
    }
    const neighbour = one.before ?? one.after;
    const index = neighbour === undefined ? chain.length - 1 : chain.findIndex(({ name }) => name === neighbour);
    if (index < 0)
      throw new Error(
        `filter "${one.name}" should run ${one.before === undefined ? "after" : "before"} "${neighbour}", and there is no such filter`,
      );
    const filter = recovery === undefined ? guarded(one) : answering(guarded(one), recovery);
    chain.splice(one.before === undefined ? index + 1 : index, 0, { name: one.name, filter });
  }
  return chain.flatMap(({ filter }) => filter ?? []);
}
