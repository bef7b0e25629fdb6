import type { ApiObject, KubeList, KubeObject } from "../../machinery/meta/object.js";
import type { ListOptions, WatchOptions } from "../dynamic/resource-client.js";
import type { WatchEvent } from "../dynamic/watch-events.js";
import { isGone } from "../../machinery/errors/status-error.js";

/** A collection that a reflector lists and watches. A ResourceClient is one. */
export interface ListWatch<T extends ApiObject = KubeObject> {
  /** One page. */
  list(options: ListOptions): Promise<KubeList<T>>;
  /** Yields events that arrived together. Throws an ERROR event as a StatusError. Ends when the server ends the watch. */
  watchBatches(options: WatchOptions): AsyncIterable<readonly WatchEvent<T>[]>;
}

/** The selectors that restrict a collection. */
export interface Selection {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** The store that a reflector writes to. */
export interface ReflectorStore<T extends ApiObject> {
  /**
   * A whole list took the place of everything before. `lostHistory`: it comes from a server that is behind what was read before,
   * and its resourceVersions do not continue the earlier ones. Equal versions may be different objects.
   */
  replace(objects: readonly T[], lostHistory: boolean): void;
  add(object: T): void;
  update(object: T): void;
  delete(object: T): void;
}

/** An error after which a reflector retries, and the time of the next attempt. */
export interface ReflectorFault {
  readonly step: "list" | "watch";
  /** A StatusError, a TransportError, or a {@link StalledError}, {@link ShortWatchError} or {@link LostHistoryError}. */
  readonly error: unknown;
  /** How many faults in a row, this one included. */
  readonly attempt: number;
  readonly retryInMilliseconds: number;
}

/** The server accepted a request and did not answer it, or not to its end. */
export class StalledError extends Error {
  override readonly name = "StalledError";
}

/** The server ended a watch at once, and would do so again, or before it had sent the initial objects. */
export class ShortWatchError extends Error {
  override readonly name = "ShortWatchError";
}

/** The server is at an older resourceVersion than the one that was read before: its storage was restored or is a new one. */
export class LostHistoryError extends Error {
  override readonly name = "LostHistoryError";
}

/** Whether a reflector meets the fault in a cluster without faults: a version is too old, or the server ends a watch early. */
export function isUsualFault(error: unknown): boolean {
  return isGone(error) || error instanceof ShortWatchError;
}
