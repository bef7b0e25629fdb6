import { aggregateText } from "../../../machinery/errors/aggregate-text.js";
import { tooManyRequests } from "../../../machinery/errors/status-error.js";
import { handling, WRITES } from "../handling.js";
import type { AdmissionPlugin } from "../plugin.js";
import {
  checkEventRateLimitConfiguration,
  type EventRateLimitConfiguration,
} from "./event-rate-limit/configuration.js";
import { EventLimit } from "./event-rate-limit/event-limit.js";

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
