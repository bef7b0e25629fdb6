import type { Backoff } from "../../base/time/backoff.js";
import { pause } from "../../base/time/pause.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { throwUncaught } from "../../base/async/throw-uncaught.js";
import { areDriven } from "../../base/time/timers.js";
import { isGone, isStatusError } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import { listInPages } from "../dynamic/pager.js";
import type { ListOptions, WatchOptions } from "../dynamic/resource-client.js";
import type { WatchEvent } from "../dynamic/watch-events.js";
import { faultBackoff } from "../fault-backoff.js";
import { objectKey } from "../informers/indexer.js";
import { isClientClosed } from "../rest/closing-rest-client.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { isTransportError } from "../transport/transport-error.js";
import { type SilenceLimit, silenceLimit } from "./silence-limit.js";
import {
  type ListWatch,
  LostHistoryError,
  type ReflectorFault,
  type ReflectorStore,
  type Selection,
  ShortWatchError,
  StalledError,
} from "./list-watch.js";

export interface ReflectorOptions extends Partial<Surroundings> {
  readonly selection?: Selection;
  /** Asks for the first objects in a watch (`sendInitialEvents`) where the server can do that. Default: unless timers are driven. */
  readonly streamingLists?: boolean;
  /** Called for each fault. The reflector goes on after the wait that the fault names, whatever this throws. */
  readonly onFault?: (fault: ReflectorFault) => void;
}

/** Watches last five to ten minutes, so that those of many clients do not end together. Seconds. */
const SHORTEST_WATCH = 300;
/** How long they last where time is driven, and the servers and networks between cannot fail: 20 days. Seconds. */
const LONGEST_WATCH = 1_728_000;
/** How much longer than it was asked for a watch may last before it counts as stalled. Milliseconds. */
const WATCH_GRACE_MS = 30_000;
/** kube-apiserver gives a list up after a minute, and sends most watches a bookmark about every minute. Milliseconds. */
const SILENT_PERIOD_MS = 90_000;
/** A watch that ends sooner would do so again. Milliseconds. */
const SHORT_WATCH_MS = 1000;
/** After so many watches in a row that brought nothing, the reflector lists again: something may hold events back. */
const SILENT_WATCHES = 3;
/** A watch that lasted so long worked: what fails next is a new fault. Milliseconds. */
const GOOD_WATCH_MS = 30_000;
/** So many failures of a watch in a row, and the reflector lists again. */
const WATCH_ATTEMPTS = 3;
/** How a watch ended that did not fail. */
interface WatchEnd {
  readonly events: number;
  readonly end: "by the server" | "by silence";
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Reads a collection into a store: lists it, watches from the list's version on, and lists again when the server no longer
 * has that version (client-go's Reflector). It ends only when its signal aborts or the client that it reads with is closed: every other fault is
 * reported, and tried again after a wait that grows from 0.8 to 30 seconds.
 */
export class Reflector<T extends ApiObject> {
  readonly #surroundings: Surroundings;
  readonly #backoff: Backoff;
  /** Watches then last, and need no bookmarks: with hundreds of informers, those would be most of what happens in a quiet day. */
  readonly #isDriven: boolean;
  /** The version that the store is at; "" before the first list. */
  #version = "";
  #mustList = true;
  /** The server no longer has the version: the next list asks for the newest state. */
  #versionUnavailable = false;
  /** The server turned out to be behind what was read: no version that it gives continues those before. */
  #lostHistory = false;
  /** A watch has ended since the last list: another server, or a restored one, may answer the next. */
  #mustCheckHistory = false;
  #streamingLists: boolean;
  /** The last streaming list failed in a way that a list in pages may not. */
  #pageNextList = false;
  /** Watches in a row that the server left without an event and without an end. */
  #silentWatches = 0;

  constructor(
    private readonly source: ListWatch<T>,
    private readonly store: ReflectorStore<T>,
    private readonly options: ReflectorOptions = {},
  ) {
    this.#surroundings = surroundingsOf(options);
    this.#isDriven = areDriven(this.#surroundings.timers);
    this.#streamingLists = options.streamingLists ?? !this.#isDriven;
    this.#backoff = faultBackoff(this.#surroundings);
  }

  /** The resourceVersion up to which the store knows everything. */
  get resourceVersion(): string {
    return this.#version;
  }

  /** Lists and watches until the signal aborts or the client is closed, and resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#mustList) await this.#watch(signal);
        else if (this.#streamingLists && !this.#pageNextList) await this.#streamList(signal);
        else await this.#pageList(signal);
      } catch (error) {
        if (isClientClosed(error)) return;
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  /** Reports a fault, decides how to go on and waits. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const step = this.#mustList ? "list" : "watch";
    if (step === "list" && this.#streamingLists && isRefused(error)) {
      // A server before 1.27 rejects a watch that begins with objects: that is no fault.
      this.#streamingLists = false;
      return;
    }
    // A version that is gone makes a list due at once, unless that is what the last attempt brought.
    const atOnce = step === "watch" && isGone(error) && this.#backoff.attempts === 0;
    const wait = this.#backoff.next();
    const attempt = this.#backoff.attempts;
    if (error instanceof LostHistoryError) this.#lostHistory = true;
    if (isGone(error) || isTooLargeVersion(error) || error instanceof LostHistoryError) {
      this.#versionUnavailable = true;
      this.#mustList = true;
    } else if (listMayHelp(error, attempt)) {
      this.#mustList = true;
    }
    if (step === "list") {
      // A server that fails on the way may do so because of the watch that begins with objects.
      this.#pageNextList = !isStatusError(error);
      // The server may have waited for a version that it never reaches.
      if (error instanceof StalledError) this.#versionUnavailable = true;
    }
    const retryInMilliseconds = atOnce ? 0 : Math.round(wait);
    this.#report({ step, error, attempt, retryInMilliseconds });
    if (retryInMilliseconds > 0) await pause(this.#surroundings.timers, retryInMilliseconds, signal);
  }

  #report(fault: ReflectorFault): void {
    try {
      this.options.onFault?.(fault);
    } catch (error) {
      throwUncaught(error);
    }
  }

  async #pageList(signal: AbortSignal): Promise<void> {
    const { items, metadata } = await this.#limited(signal, Infinity, (limit) =>
      listInPages<T>(
        async (page) => {
          const list = await this.source.list({ ...page, signal: limit.signal } as ListOptions);
          limit.heard();
          return list;
        },
        {
          ...this.options.selection,
          // Any state is good enough to begin with; a later one may not be older than what was read before.
          resourceVersion: this.#versionUnavailable ? "" : this.#version || "0",
        },
      ),
    );
    this.#listed(items, metadata.resourceVersion ?? "");
  }

  /** A list as the beginning of a watch, which then goes on as one. */
  async #streamList(signal: AbortSignal): Promise<void> {
    const initial = new Map<string, T>();
    const asked = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "" } as const;
    await this.#events(signal, asked, (event) => {
      if (!this.#mustList) return this.#apply(event);
      const { metadata } = event.object;
      const key = objectKey(event.object);
      if (event.type === "DELETED") initial.delete(key);
      else if (event.type !== "BOOKMARK") initial.set(key, event.object);
      else if (metadata?.annotations?.[INITIAL_EVENTS_END] === "true") {
        this.#listed([...initial.values()], metadata.resourceVersion ?? "");
        initial.clear();
      }
    });
    if (this.#mustList && !signal.aborted)
      throw new ShortWatchError("the server ended the watch before it sent all objects");
  }

  #listed(items: T[], resourceVersion: string): void {
    this.store.replace(items, this.#lostHistory || isOlder(resourceVersion, this.#version));
    this.#lostHistory = false;
    this.#version = resourceVersion;
    this.#mustList = false;
    this.#versionUnavailable = false;
    this.#mustCheckHistory = false;
    this.#pageNextList = false;
    this.#silentWatches = 0;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    if (this.#mustCheckHistory) await this.#checkHistory(signal);
    const lasted = this.#surroundings.stopwatch();
    const { events, end } = await this.#events(signal, { resourceVersion: this.#version }, (event) =>
      this.#apply(event),
    );
    if (end === "by the server" && lasted() < SHORT_WATCH_MS && !signal.aborted) {
      throw new ShortWatchError(`the server ended the watch at once, after ${events} events`);
    }
  }

  /**
   * A server that is behind what was read would answer a watch with silence until it has caught up, and with changes of other
   * objects then. The shortest list of its newest state says where it is.
   */
  async #checkHistory(signal: AbortSignal): Promise<void> {
    const { metadata } = await this.#limited(signal, Infinity, (limit) =>
      this.source.list({ ...this.options.selection, limit: 1, signal: limit.signal }),
    );
    this.#mustNotBeOlder(metadata.resourceVersion ?? "");
    this.#mustCheckHistory = false;
  }

  #apply({ type, object }: WatchEvent<T>): void {
    const version = object.metadata?.resourceVersion ?? "";
    this.#mustNotBeOlder(version);
    if (type === "ADDED") this.store.add(object);
    else if (type === "MODIFIED") this.store.update(object);
    else if (type === "DELETED") this.store.delete(object);
    else if (type !== "BOOKMARK")
      throw new Error(`the server sent a watch event of unknown type ${JSON.stringify(type)}`);
    if (version !== "") this.#version = version;
  }

  #mustNotBeOlder(version: string): void {
    if (isOlder(version, this.#version)) {
      throw new LostHistoryError(`the server is at resourceVersion ${version}, and ${this.#version} was read before`);
    }
  }

  /** Reads one watch to its end. */
  async #events(signal: AbortSignal, from: WatchOptions, handle: (event: WatchEvent<T>) => void): Promise<WatchEnd> {
    let events = 0;
    const timeoutSeconds = this.#isDriven
      ? LONGEST_WATCH
      : SHORTEST_WATCH + randomBelow(this.#surroundings.random, SHORTEST_WATCH);
    const lasted = this.#surroundings.stopwatch();
    try {
      await this.#limited(signal, timeoutSeconds * 1000 + WATCH_GRACE_MS, async (limit) => {
        for await (const batch of this.source.watchBatches({
          ...this.options.selection,
          ...from,
          allowWatchBookmarks: !this.#isDriven || from.sendInitialEvents === true,
          timeoutSeconds,
          signal: limit.signal,
        })) {
          if (limit.signal.aborted) return;
          limit.heard();
          events += batch.length;
          for (const event of batch) handle(event);
        }
      });
    } catch (error) {
      if (this.#mustList || !(error instanceof StalledError)) throw error;
      // Not a fault as such: kube-apiserver sends no bookmarks of a resource that did not change since it was started. The
      // check before the next watch finds out whether the server answers at all.
      this.#silentWatches = events === 0 ? this.#silentWatches + 1 : 0;
      if (this.#silentWatches >= SILENT_WATCHES) this.#mustList = true;
      return { events, end: "by silence" };
    } finally {
      this.#mustCheckHistory = true;
      if (lasted() > GOOD_WATCH_MS) this.#backoff.reset();
    }
    return { events, end: "by the server" };
  }

  /** Throws a {@link StalledError} when the server falls silent or takes longer than that many milliseconds. */
  async #limited<R>(signal: AbortSignal, longest: number, work: (limit: SilenceLimit) => Promise<R>): Promise<R> {
    const limit = silenceLimit(this.#surroundings.timers, SILENT_PERIOD_MS, longest, signal);
    try {
      const result = await Promise.race([work(limit), limit.reached]);
      const stalled = limit.stalled();
      if (stalled !== undefined) throw stalled;
      return result;
    } catch (error) {
      throw limit.stalled() ?? error;
    } finally {
      limit.clear();
    }
  }
}

/** Undecodable events, and what an API server answers to a watch: it may be the version that it cannot go on from. */
function listMayHelp(error: unknown, attempt: number): boolean {
  if (isTransportError(error) || error instanceof StalledError || error instanceof ShortWatchError) return false;
  if (!isStatusError(error)) return attempt >= WATCH_ATTEMPTS;
  return error.code !== 429 && (error.code < 500 || attempt >= WATCH_ATTEMPTS);
}

function isOlder(version: string, than: string): boolean {
  const order = compareResourceVersions(version, than);
  return order !== undefined && order < 0;
}

const isRefused = (error: unknown): boolean => isStatusError(error) && (error.code === 400 || error.code === 422);

const isTooLargeVersion = (error: unknown): boolean =>
  isStatusError(error) &&
  error.code === 504 &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");
