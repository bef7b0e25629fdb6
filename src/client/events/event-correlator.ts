import type { Clock } from "../../base/time/clock.js";
import { Lru } from "../../base/collections/lru.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { formatTime } from "../../machinery/meta/time.js";
import { keyOf, type EventNames, type CoreEvent } from "./event-objects.js";

export interface SpamFilterOptions {
  readonly clock: Clock;
  /** How many objects are remembered. */
  readonly cacheSize: number;
  /** How many events of one type a source may send about an object at once. */
  readonly burst: number;
  /** After how many seconds it may send one more. */
  readonly refillSeconds: number;
}

interface Bucket {
  readonly tokens: number;
  /** When they were counted, in milliseconds since the Unix epoch. */
  readonly at: number;
}

/** Limits how many events a source sends about an object. */
class SpamFilter {
  readonly #buckets: Lru<string, Bucket>;

  constructor(private readonly options: SpamFilterOptions) {
    this.#buckets = new Lru(options.cacheSize);
  }

  /** Takes a token for the event; false when there is none. */
  accepts(event: CoreEvent): boolean {
    const { clock, burst, refillSeconds } = this.options;
    const { uid, kind, namespace, name, apiVersion } = event.involvedObject;
    const { component, host } = event.source;
    const key = keyOf(component, host, kind, namespace, name, uid, apiVersion, event.type);
    const now = clock.now();
    const { tokens, at } = this.#buckets.get(key) ?? { tokens: burst, at: now };
    const refilled = Math.min(burst, tokens + Math.max(0, now - at) / (refillSeconds * 1000));
    const isAccepted = refilled >= 1;
    this.#buckets.set(key, { tokens: isAccepted ? refilled - 1 : refilled, at: now });
    return isAccepted;
  }
}

/** How the correlator merges and limits core/v1 events before they are written. Defaults are client-go's. */
export interface CorrelationOptions {
  /** How many events, groups and sources are remembered; default 4096. */
  readonly cacheSize?: number;
  /** How many events of one type a source may send about an object at once; default 25. */
  readonly burst?: number;
  /** After how many seconds it may send one more; default 300. */
  readonly refillSeconds?: number;
  /** From this many different messages on, events that differ in nothing else become one; default 10. */
  readonly maxSimilar?: number;
  /** A group of similar events is forgotten when none came for this many seconds; default 600. */
  readonly similarSeconds?: number;
}

/** An event to write: the patch of one that was written before, or a new one. */
export interface Correlated {
  readonly event: CoreEvent;
  readonly patch?: JsonObject;
}

interface Group {
  /** The messages of the group, at most `maxSimilar`. */
  readonly messages: Set<string>;
  readonly last: number;
}

/** What was written of an event. */
interface Observation {
  readonly name: string;
  readonly count: number;
  readonly firstTimestamp: string;
}

/**
 * Turns many events into few, as client-go's EventCorrelator does: repeated events become a higher count, similar ones an event
 * that stands for all, and a source that sends too many about an object is cut off.
 */
export class EventCorrelator {
  readonly #options: Required<CorrelationOptions>;
  readonly #groups: Lru<string, Group>;
  readonly #observations: Lru<string, Observation>;
  readonly #spam: SpamFilter;

  constructor(
    private readonly clock: Clock,
    private readonly names: EventNames,
    options: CorrelationOptions = {},
  ) {
    const defaults = { cacheSize: 4096, burst: 25, refillSeconds: 300, maxSimilar: 10, similarSeconds: 600 };
    this.#options = { ...defaults, ...options };
    this.#groups = new Lru(this.#options.cacheSize);
    this.#observations = new Lru(this.#options.cacheSize);
    this.#spam = new SpamFilter({ clock, ...this.#options });
  }

  /** Undefined when the event is not to be written. */
  correlate(event: CoreEvent): Correlated | undefined {
    const { event: aggregate, key } = this.#aggregate(event);
    const observed = this.#observe(aggregate, key);
    return this.#spam.accepts(observed.event) ? observed : undefined;
  }

  /** Takes over what the server stored. */
  stored(event: CoreEvent): void {
    const { count, firstTimestamp, metadata } = event;
    this.#observations.set(eventKey(event), { name: metadata?.name ?? "", count, firstTimestamp });
  }

  #aggregate(event: CoreEvent): { readonly event: CoreEvent; readonly key: string } {
    const { maxSimilar, similarSeconds } = this.#options;
    const now = this.clock.now();
    const key = groupKey(event);
    const known = this.#groups.get(key);
    const isCurrent = known !== undefined && now - known.last <= similarSeconds * 1000;
    const messages = isCurrent ? known.messages : new Set<string>();
    messages.add(event.message);
    this.#groups.set(key, { messages, last: now });
    if (messages.size < maxSimilar) return { event, key: eventKey(event) };
    // One is taken out, so that the set does not grow and the next message still counts.
    const [some] = messages;
    messages.delete(some ?? "");
    return { event: this.#standIn(event, now), key };
  }

  /** The event that stands for a group. */
  #standIn(event: CoreEvent, now: number): CoreEvent {
    const { apiVersion = "v1", kind = "Event", involvedObject, source, reason, type, metadata } = event;
    const time = formatTime(now);
    return {
      apiVersion,
      kind,
      metadata: {
        name: this.names.next(involvedObject.name ?? "", now),
        ...(metadata?.namespace !== undefined && { namespace: metadata.namespace }),
      },
      involvedObject,
      reason,
      message: `(combined from similar events): ${event.message}`,
      source,
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type,
    };
  }

  #observe(event: CoreEvent, key: string): Correlated {
    const before = this.#observations.get(key);
    const { message, lastTimestamp } = event;
    if (before === undefined) {
      const { count, firstTimestamp, metadata } = event;
      this.#observations.set(key, { name: metadata?.name ?? "", count, firstTimestamp });
      return { event };
    }
    const { name, firstTimestamp } = before;
    const count = before.count + 1;
    this.#observations.set(key, { name, count, firstTimestamp });
    return {
      event: { ...event, metadata: { ...event.metadata, name }, firstTimestamp, count },
      patch: { count, lastTimestamp, message },
    };
  }
}

/** Events that differ in their message only have one. */
function groupKey({ source, involvedObject, type, reason, reportingComponent, reportingInstance }: CoreEvent): string {
  const { kind, namespace, name, uid, apiVersion } = involvedObject;
  const about = keyOf(source.component, source.host, kind, namespace, name, uid, apiVersion);
  return keyOf(about, type, reason, reportingComponent, reportingInstance);
}

/** Events that say the same have one. */
function eventKey({ source, involvedObject, type, reason, message }: CoreEvent): string {
  const { kind, namespace, name, fieldPath, uid, apiVersion } = involvedObject;
  const about = keyOf(source.component, source.host, kind, namespace, name, fieldPath, uid, apiVersion);
  return keyOf(about, type, reason, message);
}
