import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { tooManyRequests } from "../../../machinery/errors/status-error.js";
import { handling, WRITES, type AdmissionPlugin } from "../plugin.js";
import type { Event } from "../../../api/types/core/v1.js";
import { Lru } from "../../../base/collections/lru.js";
import { object, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import type { AdmissionAttributes } from "../attributes.js";
import {
  type FieldError,
  formatFieldErrors,
  invalidValue,
  notSupported,
} from "../../../machinery/errors/field-error.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { int32, list, string, struct } from "../../../machinery/schema/build-schema.js";

/** The configuration of the plugin: a Configuration of eventratelimit.admission.k8s.io/v1alpha1. */
export interface EventRateLimitConfiguration {
  /** At least one. An event must be within all of them. */
  readonly limits: readonly EventRateLimitEntry[];
}

/** A limit that events share: all of a server, of a namespace, of a user, or of a source about one object. */
interface EventRateLimitEntry {
  readonly type: (typeof TYPES)[number];
  /** Events a second. */
  readonly qps: number;
  /** Events at once. */
  readonly burst: number;
  /** How many namespaces, users or sources are remembered; one that was forgotten begins anew. Default 4096. */
  readonly cacheSize?: number;
}

const limit = {
  ...struct("Limit", { type: string, qps: int32, burst: int32, cacheSize: int32 }),
  goType: "v1alpha1.Limit",
};
const configuration = struct("Configuration", { kind: string, apiVersion: string, limits: list(limit) });

const FORMAT: ConfigurationFormat = {
  group: "eventratelimit.admission.k8s.io",
  kind: "Configuration",
  versions: new Map([["v1alpha1", { ...configuration, goType: "v1alpha1.Configuration" }]]),
  scheme: "pkg/admission/eventratelimit/config.go:32",
};

/** Throws in apimachinery's words for a document that is no configuration of the plugin. */
export function readEventRateLimitConfiguration(document: ConfigurationDocument): EventRateLimitConfiguration {
  const { object } = decodeConfigurationStrictly<Partial<EventRateLimitConfiguration>>(document, FORMAT);
  return { limits: object.limits ?? [] };
}

const TYPES = ["Namespace", "Server", "SourceAndObject", "User"] as const;

/** Throws an Error in kube-apiserver's words for a configuration that cannot be used. */
function checkEventRateLimitConfiguration({ limits = [] }: Partial<EventRateLimitConfiguration>): void {
  const errors: FieldError[] = [];
  if (limits.length === 0) errors.push(invalidValue("limits", limits, "must not be empty"));
  for (const [index, { type = "", qps = 0, burst = 0, cacheSize = 0 }] of limits.entries()) {
    const at = `limits[${index}]`;
    if (!TYPES.some((one) => one === type)) errors.push(notSupported(`${at}.type`, type, TYPES));
    if (burst <= 0) errors.push(invalidValue(`${at}.burst`, burst, "must be positive"));
    if (qps <= 0) errors.push(invalidValue(`${at}.qps`, qps, "must be positive"));
    if (type !== "Server" && cacheSize < 0) {
      errors.push(invalidValue(`${at}.cacheSize`, cacheSize, "must not be negative"));
    }
  }
  if (errors.length > 0) throw new Error(formatFieldErrors(errors));
}

/**
 * Rejects core/v1 events above the configured rates with 429. An event takes a token from every limit, even if one of them rejects
 * it. Throws in kube-apiserver's words for an invalid configuration.
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
