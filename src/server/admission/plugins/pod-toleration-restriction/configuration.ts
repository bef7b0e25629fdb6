import { int64, string, struct, list } from "../../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../../machinery/schema/schema.js";
import type { Toleration } from "../../../../api/types/core/v1.js";
import { NEW_POD } from "../../../../api/validation/pod/pod-options.js";
import { validateTolerations } from "../../../../api/validation/pod/tolerations.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../../machinery/wire/configuration-document.js";
import { type FieldError, formatFieldError } from "../../../../machinery/errors/field-error.js";
import { objects } from "../../../../machinery/meta/received.js";

/** A toleration in an annotation, or in the plugin's configuration. */
export const TOLERATION: StructSchema = {
  ...struct("Toleration", { key: string, operator: string, value: string, effect: string, tolerationSeconds: int64 }),
  goType: "v1.Toleration",
};

/** Tolerations of a whole cluster, for namespaces that do not have their own. */
export interface PodTolerationRestrictionConfiguration {
  /** New pods get them. Left out: none. */
  readonly default?: readonly Toleration[];
  /** Pods may have no others. Left out, or empty: any. */
  readonly whitelist?: readonly Toleration[];
}

const CONFIGURATION = struct("Configuration", {
  kind: string,
  apiVersion: string,
  default: list(TOLERATION),
  whitelist: list(TOLERATION),
});

const FORMAT: ConfigurationFormat = {
  group: "podtolerationrestriction.admission.k8s.io",
  kind: "Configuration",
  versions: new Map([["v1alpha1", { ...CONFIGURATION, goType: "v1alpha1.Configuration" }]]),
  scheme: "pkg/admission/podtolerationrestriction/config.go:32",
};

/** Throws in apimachinery's words for a document that is no configuration of the plugin, and in the plugin's for wrong tolerations. */
export function readPodTolerationRestrictionConfiguration(
  document: ConfigurationDocument,
): PodTolerationRestrictionConfiguration {
  return decodeConfigurationStrictly<PodTolerationRestrictionConfiguration>(document, FORMAT).object;
}

/** Throws in the plugin's words, naming each field. */
export function checkPodTolerationRestrictionConfiguration(configuration: PodTolerationRestrictionConfiguration): void {
  const errors: FieldError[] = [];
  for (const field of ["default", "whitelist"] as const) {
    validateTolerations(objects(configuration[field]), `podtolerationrestriction.${field}`, NEW_POD, errors);
  }
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(formatFieldError).join(" ")}]`);
}
