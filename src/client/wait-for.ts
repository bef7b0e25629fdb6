import { pause } from "../base/time/pause.js";
import { withTimeLimit } from "../base/time/time-limit.js";
import { isGone, isStatusError } from "../machinery/errors/status-error.js";
import type { ApiObject } from "../machinery/meta/object.js";
import type { ResourceClient } from "./dynamic/resource-client.js";
import { type Surroundings, surroundingsOf } from "./surroundings.js";

/** The part of a client that {@link waitFor} uses: a ResourceClient in the namespace of the object. */
export type WatchableResource<T extends ApiObject> = Pick<ResourceClient<T>, "list" | "watch">;

export interface WaitOptions extends Partial<Pick<Surroundings, "timers">> {
  /** Ends the wait. Then its reason is thrown. */
  readonly signal?: AbortSignal;
  /** The longest wait, in milliseconds. Default: 30,000. */
  readonly timeout?: number;
}

/** The condition did not become true in time. */
export class WaitTimeoutError<T extends ApiObject = ApiObject> extends Error {
  override readonly name = "WaitTimeoutError";

  constructor(
    message: string,
    /** The object as it was last seen; undefined when there was none. */
    readonly last: T | undefined,
    /** Why the server could not be asked, where that was the last that happened. */
    cause: unknown,
  ) {
    super(message, cause === undefined ? {} : { cause });
  }
}

const TIMEOUT_MS = 30_000;
const RETRY_MS = 1000;

/**
 * Waits until the predicate is true for an object, and resolves with the object. The object need not exist yet. Throws a
 * WaitTimeoutError with the last state when the time is over, what the predicate throws, and rejections of the server (Forbidden,
 * Unauthorized, ...). Broken connections, ended watches and expired versions only delay it; states in between may then be missed.
 */
export async function waitFor<T extends ApiObject>(
  resource: WatchableResource<T>,
  name: string,
  predicate: (object: T) => boolean,
  options: WaitOptions = {},
): Promise<T> {
  const found = await waitUntil(resource, name, (object) => object !== undefined && predicate(object), options);
  return found as T;
}

/** Waits until there is no object of that name. Throws as {@link waitFor} does. */
export async function waitForDeletion<T extends ApiObject>(
  resource: WatchableResource<T>,
  name: string,
  options: WaitOptions = {},
): Promise<void> {
  await waitUntil(resource, name, (object) => object === undefined, options);
}

/** What is known of the object. */
interface Seen<T> {
  last: T | undefined;
  /** "Pod" */
  kind: string;
  /** Why the server could not be asked, since the last answer. */
  problem: Error | undefined;
}

async function waitUntil<T extends ApiObject>(
  resource: WatchableResource<T>,
  name: string,
  isReached: (object: T | undefined) => boolean,
  options: WaitOptions,
): Promise<T | undefined> {
  const { signal, timeout = TIMEOUT_MS } = options;
  const { timers } = surroundingsOf(options);
  const seen: Seen<T> = { last: undefined, kind: "object", problem: undefined };
  let within: AbortSignal | undefined;
  try {
    return await withTimeLimit({ timers, milliseconds: timeout, signal }, async (limited) => {
      within = limited;
      for await (const object of states(resource, name, seen, { timers, signal: limited })) {
        if (isReached(object)) return object;
      }
      throw limited.reason;
    });
  } catch (error) {
    if (within?.aborted !== true || signal?.aborted === true) throw error;
    throw new WaitTimeoutError(timeoutMessage(name, timeout, seen), seen.last, seen.problem);
  }
}

/** The object now, and after each change of it, until the signal aborts. */
async function* states<T extends ApiObject>(
  resource: WatchableResource<T>,
  name: string,
  seen: Seen<T>,
  { timers, signal }: { readonly timers: Surroundings["timers"]; readonly signal: AbortSignal },
): AsyncGenerator<T | undefined, void, undefined> {
  const selected = { fieldSelector: `metadata.name=${name}`, signal };
  let resourceVersion: string | undefined;
  while (!signal.aborted) {
    try {
      if (resourceVersion === undefined) {
        const { items, kind, metadata } = await resource.list(selected);
        Object.assign(seen, { last: items[0], kind: items[0]?.kind ?? kind.replace(/List$/, ""), problem: undefined });
        yield seen.last;
        resourceVersion = metadata.resourceVersion ?? "";
      }
      for await (const { type, object } of resource.watch({
        ...selected,
        resourceVersion,
        allowWatchBookmarks: true,
      })) {
        resourceVersion = object.metadata?.resourceVersion ?? resourceVersion;
        if (type === "BOOKMARK") continue;
        Object.assign(seen, { last: type === "DELETED" ? undefined : object, problem: undefined });
        yield seen.last;
      }
    } catch (error) {
      if (signal.aborted || isRefusal(error)) throw error;
      seen.problem = error instanceof Error ? error : new Error(String(error));
      if (isGone(error)) resourceVersion = undefined;
    }
    await pause(timers, RETRY_MS, signal);
  }
}

/** True for an answer that another try would get again. */
function isRefusal(error: unknown): boolean {
  return isStatusError(error) && error.code >= 400 && error.code < 500 && ![408, 410, 429].includes(error.code);
}

function timeoutMessage<T extends ApiObject>(name: string, timeout: number, { last, kind, problem }: Seen<T>): string {
  const place = last?.metadata?.namespace === undefined ? "" : `${last.metadata.namespace}/`;
  const waited = `timed out after ${timeout} ms waiting for ${kind} ${place}${name}`;
  if (problem !== undefined) return `${waited}: ${problem.message}`;
  if (last === undefined) return `${waited}: it does not exist`;
  const { status } = last as { readonly status?: unknown };
  return `${waited}: its last state was ${JSON.stringify(status ?? last)}`;
}
