import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../../machinery/wire/configuration-document.js";
import { int32, list, string, struct } from "../../../../machinery/schema/build-schema.js";
import type { EventRateLimitConfiguration } from "./configuration.js";

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
