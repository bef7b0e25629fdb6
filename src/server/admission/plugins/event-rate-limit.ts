import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { tooManyRequests } from "../../../machinery/errors/status-error.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import {
  checkEventRateLimitConfiguration,
  type EventRateLimitConfiguration,
  type EventRateLimitEntry,
} from "./event-rate-limit/configuration.js";
import type { Event } from "../../../api/types/core/v1.js";
import { Lru } from "../../../base/collections/lru.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { AdmissionAttributes } from "../attributes.js";

/**
 * Answers 429 to events of core/v1 beyond the configured rates. An event takes a token of every limit, also where one of them refuses
 * it. Throws in kube-apiserver's words for a configuration that cannot be used.
 */
export function eventRateLimit(configuration: Partial<EventRateLimitConfiguration> = {}): AdmissionPlugin {
  checkEventRateLimitConfiguration(configuration);
  const limits = (configuration.limits ?? []).map((entry) => new EventLimit(entry));
  return {
    name: "EventRateLimit",
    handles: handling(WRITES, "events"),
    validate(attributes, { clock }) {
      if (attributes.dryRun) return;
      const now = clock.now();
      const problems = limits.flatMap((limit) => limit.problem(attributes, now) ?? []);
      if (problems.length > 0) throw tooManyRequests(`Too many requests: ${aggregateText(problems)}`, 0);
    },
  };
}

const USUAL_SIZE = 4096;

/** One limit of the configuration: a bucket for each group of events that share it. */
class EventLimit {
  readonly #buckets: Lru<string, TokenBucket>;

  constructor(private readonly entry: EventRateLimitEntry) {
    this.#buckets = new Lru(entry.type === "Server" ? 1 : entry.cacheSize || USUAL_SIZE);
  }

  /** Takes a token for the event. Where there is none, says so in kube-apiserver's words. `now` in milliseconds. */
  problem(attributes: AdmissionAttributes, now: number): string | undefined {
    const { type, qps, burst } = this.entry;
    const key = KEYS[type](attributes);
    const bucket = this.#buckets.get(key) ?? new TokenBucket(qps, burst);
    this.#buckets.set(key, bucket);
    return bucket.tryTake(now) ? undefined : `limit reached on type ${type} for key ${key}`;
  }
}

const KEYS: Readonly<Record<EventRateLimitEntry["type"], (attributes: AdmissionAttributes) => string>> = {
  Server: () => "",
  Namespace: ({ namespace }) => namespace,
  User: ({ user }) => user.name,
  SourceAndObject(attributes) {
    const event: ReceivedObject<Event> | undefined = attributes.object;
    const source = object(event?.source);
    const about = object(event?.involvedObject);
    return [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion]
      .map((part) => text(part))
      .join("");
  },
};

/** Lets `burst` events through at once, and `qps` a second in the long run. */
class TokenBucket {
  #tokens: number;
  #at: number | undefined;

  constructor(
    private readonly qps: number,
    private readonly burst: number,
  ) {
    this.#tokens = burst;
  }

  /** Takes a token; false where there is none. `now` in milliseconds; a clock that goes back refills nothing. */
  tryTake(now: number): boolean {
    const passed = Math.max(0, now - (this.#at ?? now));
    this.#at = now;
    this.#tokens = Math.min(this.burst, this.#tokens + (passed / 1000) * this.qps);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
