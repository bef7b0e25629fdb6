import type { Event } from "../../../../api/types/core/v1.js";
import { Lru } from "../../../../base/collections/lru.js";
import { object, type ReceivedObject, text } from "../../../../machinery/meta/received.js";
import type { AdmissionAttributes } from "../../attributes.js";
import type { EventRateLimitEntry } from "./configuration.js";
import { TokenBucket } from "./token-bucket.js";

const USUAL_SIZE = 4096;

/** One limit of the configuration: a bucket for each group of events that share it. */
export class EventLimit {
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
