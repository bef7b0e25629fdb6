import {
  type FieldError,
  formatFieldErrors,
  invalidValue,
  notSupported,
} from "../../../../machinery/errors/field-error.js";

const TYPES = ["Namespace", "Server", "SourceAndObject", "User"] as const;

/** As a Configuration of eventratelimit.admission.k8s.io/v1alpha1. */
export interface EventRateLimitConfiguration {
  /** At least one. An event must be within all of them. */
  readonly limits: readonly EventRateLimitEntry[];
}

/** A limit that events share: all of a server, of a namespace, of a user, or of a source about one object. */
export interface EventRateLimitEntry {
  readonly type: (typeof TYPES)[number];
  /** Events a second. */
  readonly qps: number;
  /** Events at once. */
  readonly burst: number;
  /** How many namespaces, users or sources are remembered; one that was forgotten begins anew. Default 4096. */
  readonly cacheSize?: number;
}

/** Throws an Error in kube-apiserver's words for a configuration that cannot be used. */
export function checkEventRateLimitConfiguration({ limits = [] }: Partial<EventRateLimitConfiguration>): void {
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
