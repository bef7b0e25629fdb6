import {
  type FieldError,
  formatFieldErrors,
  invalidValue,
  notSupported,
} from "../../../../machinery/errors/field-error.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../../machinery/wire/configuration-document.js";
import { int32, list, string, struct } from "../../../../machinery/schema/build-schema.js";

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
