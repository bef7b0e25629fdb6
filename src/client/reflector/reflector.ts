import { Backoff } from "../../base/backoff.js";
import { pause } from "../../base/pause.js";
import { randomBelow } from "../../base/random-below.js";
import { startStopwatch } from "../../base/stopwatch.js";
import { isGone, isStatusError } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { WatchOptions } from "../dynamic/resource-client.js";
import type { WatchEvent } from "../dynamic/watch-events.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { isTransportError } from "../transport/transport-error.js";
import { listPages } from "./list-pages.js";
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
  /** Asks for the first objects in a watch (`sendInitialEvents`) where the server can do that. Default true. */
  readonly streamingLists?: boolean;
  /** Called for each fault. The reflector goes on after the wait that the fault names. */
  readonly onFault?: (fault: ReflectorFault) => void;
}

/** Watches last five to ten minutes, so that those of many clients do not end together. Seconds. */
const SHORTEST_WATCH = 300;
/** How much longer than it was asked for a watch may last before it counts as stalled. Milliseconds. */
const WATCH_GRACE_MS = 30_000;
/** kube-apiserver sends a bookmark about every minute and gives a list up after one. Milliseconds. */
const SILENT_PERIOD_MS = 90_000;
/** A watch that ends sooner without an event would do so again. */
const SHORT_WATCH_MS = 1000;
/** A watch that lasted so long worked: what fails next is a new fault. */
const GOOD_WATCH_MS = 30_000;
/** So many failures of a watch in a row, and the reflector lists again. */
const WATCH_ATTEMPTS = 3;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

/**
 * Reads a collection into a store: lists it, watches from the list's version on, and lists again when the server no longer
 * has that version (client-go's Reflector). It ends only when its signal aborts: every fault is reported, and tried again
 * after a wait that grows from 0.8 to 30 seconds.
 */
export class Reflector<T extends ApiObject> {
  readonly #surroundings: Surroundings;
  readonly #backoff: Backoff;
  /** The version that the store is at; "" before the first list. */
  #version = "";
  #mustList = true;
  /** The server no longer has the version: the next list asks for the newest state. */
  #versionUnavailable = false;
  /** A connection broke: another server, or a restored one, may answer the next request. */
  #connectionBroke = false;
  #streamingLists: boolean;

  constructor(
    private readonly source: ListWatch<T>,
    private readonly store: ReflectorStore<T>,
    private readonly options: ReflectorOptions = {},
  ) {
    this.#surroundings = surroundingsOf(options);
    this.#streamingLists = options.streamingLists ?? true;
    const { random } = this.#surroundings;
    this.#backoff = new Backoff({ first: 800, longest: 30_000, factor: 2, jitter: 1, resetAfter: 120_000, random });
  }

  /** The resourceVersion up to which the store knows everything. */
  get resourceVersion(): string {
    return this.#version;
  }

  /** Lists and watches until the signal aborts, and resolves then. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#mustList) await this.#watch(signal);
        else if (this.#streamingLists) await this.#streamList(signal);
        else await this.#pageList(signal);
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  /** Reports a fault, decides how to go on and waits. */
  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const step = this.#mustList ? "list" : "watch";
    // A version that is gone makes a list due at once, unless that is what the last attempt brought.
    const atOnce = step === "watch" && isGone(error) && this.#backoff.attempts === 0;
    const wait = this.#backoff.next();
    const attempt = this.#backoff.attempts;
    if (isTransportError(error) || error instanceof StalledError) this.#connectionBroke = true;
    if (isGone(error) || isTooLargeVersion(error) || error instanceof LostHistoryError) {
      this.#versionUnavailable = true;
      this.#mustList = true;
    } else if (isStatusError(error) && error.code !== 429 && (error.code < 500 || attempt >= WATCH_ATTEMPTS)) {
      this.#mustList = true;
    }
    // A server before 1.27, or one that cannot begin this watch with its objects: it refuses, or never says that it has sent all.
    const refused = isStatusError(error) && (error.code === 400 || error.code === 422);
    if (step === "list" && (refused || error instanceof StalledError)) this.#streamingLists = false;
    const retryInMilliseconds = atOnce ? 0 : Math.round(wait);
    this.options.onFault?.({ step, error, attempt, retryInMilliseconds });
    if (retryInMilliseconds > 0) await pause(this.#surroundings.timers, retryInMilliseconds, signal);
  }

  async #pageList(signal: AbortSignal): Promise<void> {
    const { items, resourceVersion } = await this.#limited(signal, Infinity, (limit) =>
      listPages(
        (page) => this.source.list({ ...page, signal: limit.signal }),
        {
          ...this.options.selection,
          // Any state is good enough to begin with; a later one may not be older than what was read before.
          resourceVersion: this.#versionUnavailable ? "" : this.#version || "0",
        },
        limit.heard,
      ),
    );
    this.#listed(items, resourceVersion);
  }

  /** A list as the beginning of a watch, which then goes on as one. */
  async #streamList(signal: AbortSignal): Promise<void> {
    const initial = new Map<string, T>();
    const asked = { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "" } as const;
    await this.#events(signal, asked, (event) => {
      if (!this.#mustList) return this.#apply(event);
      const { metadata } = event.object;
      const key = `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;
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
    this.store.replace(items);
    this.#version = resourceVersion;
    this.#mustList = false;
    this.#versionUnavailable = false;
    this.#connectionBroke = false;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    if (this.#connectionBroke) await this.#checkHistory(signal);
    const lasted = startStopwatch();
    let events = 0;
    await this.#events(signal, { resourceVersion: this.#version }, (event) => {
      events += 1;
      this.#apply(event);
    });
    if (events === 0 && lasted() < SHORT_WATCH_MS && !signal.aborted) {
      throw new ShortWatchError("the server ended the watch at once, without an event");
    }
  }

  /**
   * A server that is behind what was read would answer a watch with silence until it has caught up, and with changes of other
   * objects then. A list that selects nothing says where it is.
   */
  async #checkHistory(signal: AbortSignal): Promise<void> {
    const { metadata } = await this.#limited(signal, Infinity, (limit) =>
      this.source.list({
        fieldSelector: "metadata.name=no-such-object",
        resourceVersion: "0",
        limit: 1,
        signal: limit.signal,
      }),
    );
    this.#mustNotBeOlder(metadata.resourceVersion ?? "");
    this.#connectionBroke = false;
  }

  #apply({ type, object }: WatchEvent<T>): void {
    const version = object.metadata?.resourceVersion ?? "";
    this.#mustNotBeOlder(version);
    if (type === "ADDED") this.store.add(object);
    else if (type === "MODIFIED") this.store.update(object);
    else if (type === "DELETED") this.store.delete(object);
    if (version !== "") this.#version = version;
  }

  #mustNotBeOlder(version: string): void {
    const order = compareResourceVersions(version, this.#version);
    if (order !== undefined && order < 0) {
      throw new LostHistoryError(`the server is at resourceVersion ${version}, and ${this.#version} was read before`);
    }
  }

  /** Reads one watch to its end. */
  async #events(signal: AbortSignal, from: WatchOptions, handle: (event: WatchEvent<T>) => void): Promise<void> {
    const timeoutSeconds = SHORTEST_WATCH + randomBelow(this.#surroundings.random, SHORTEST_WATCH);
    const lasted = startStopwatch();
    try {
      await this.#limited(signal, timeoutSeconds * 1000 + WATCH_GRACE_MS, async (limit) => {
        for await (const event of this.source.watch({
          ...this.options.selection,
          ...from,
          allowWatchBookmarks: true,
          timeoutSeconds,
          signal: limit.signal,
        })) {
          limit.heard();
          handle(event);
        }
      });
    } finally {
      if (lasted() > GOOD_WATCH_MS) this.#backoff.reset();
    }
  }

  /** Throws a {@link StalledError} when the server falls silent or takes longer than that many milliseconds. */
  async #limited<R>(signal: AbortSignal, longest: number, work: (limit: SilenceLimit) => Promise<R>): Promise<R> {
    const limit = silenceLimit(this.#surroundings.timers, SILENT_PERIOD_MS, longest, signal);
    try {
      const result = await work(limit);
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

const isTooLargeVersion = (error: unknown): boolean =>
  isStatusError(error) &&
  error.code === 504 &&
  (error.status.details?.causes ?? []).some(({ reason }) => reason === "ResourceVersionTooLarge");
