import { errorMessage } from "../../../base/text/error-message.js";
import { qosClass } from "../../../api/pods/qos-class.js";
import type { Pod, Toleration } from "../../../api/types/core/v1.js";
import { goValueOf } from "../../../machinery/wire/go-types.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import { unclassified } from "../../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  type DraftObject,
  ensureChild,
  list,
  object,
  type ReceivedObject,
  objects,
} from "../../../machinery/meta/received.js";
import { isJsonObject, type JsonValue } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionAttributes } from "../attributes.js";
import { handling, WRITES, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { namespaceOf } from "./namespaces.js";
import { isWhitelisted, mergeTolerations } from "./tolerations.js";
import { int64, string, struct, list as listOf } from "../../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { NEW_POD } from "../../../api/validation/pod/pod-options.js";
import { validateTolerations } from "../../../api/validation/pod/tolerations.js";
import {
  type ConfigurationDocument,
  type ConfigurationFormat,
  decodeConfigurationStrictly,
} from "../../../machinery/wire/configuration-document.js";
import { type FieldError, formatFieldError } from "../../../machinery/errors/field-error.js";

/** A toleration in an annotation, or in the plugin's configuration. */
const TOLERATION: StructSchema = {
  ...struct("Toleration", {
    key: string,
    operator: string,
    value: string,
    effect: string,
    tolerationSeconds: int64,
  } satisfies FieldsOf<Toleration>),
  goType: "v1.Toleration",
};

/** The tolerations of a whole cluster, for namespaces that do not have their own. */
export interface PodTolerationRestrictionConfiguration {
  /** New pods get them. Left out: none. */
  readonly default?: readonly Toleration[];
  /** Pods may have no others. Left out, or empty: any. */
  readonly whitelist?: readonly Toleration[];
}

const CONFIGURATION = struct("Configuration", {
  kind: string,
  apiVersion: string,
  default: listOf(TOLERATION),
  whitelist: listOf(TOLERATION),
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
function checkPodTolerationRestrictionConfiguration(configuration: PodTolerationRestrictionConfiguration): void {
  const errors: FieldError[] = [];
  for (const field of ["default", "whitelist"] as const) {
    validateTolerations(objects(configuration[field]), `podtolerationrestriction.${field}`, NEW_POD, errors);
  }
  if (errors.length > 0) throw new Error(`invalid config: [${errors.map(formatFieldError).join(" ")}]`);
}

const DEFAULTS = "scheduler.alpha.kubernetes.io/defaultTolerations";
const WHITELIST = "scheduler.alpha.kubernetes.io/tolerationsWhitelist";

const MEMORY_PRESSURE: Toleration = {
  key: "node.kubernetes.io/memory-pressure",
  operator: "Exists",
  effect: "NoSchedule",
};

/**
 * New pods get the tolerations of their namespace, or the cluster's, and pods may have no others than those that the namespace, or the
 * cluster, allows. Pods that ask for resources tolerate nodes that are short of memory.
 */
export function podTolerationRestriction(configuration: PodTolerationRestrictionConfiguration = {}): AdmissionPlugin {
  checkPodTolerationRestrictionConfiguration(configuration);
  return {
    name: "PodTolerationRestriction",
    handles: handling(WRITES, "pods"),
    async admit(attributes, context) {
      const { operation } = attributes;
      const pod: DraftObject<Pod> | undefined = attributes.object;
      if (pod === undefined) return;
      const namespace = await namespaceOf(attributes, context);
      const added = operation === "CREATE" ? [...(annotated(namespace, DEFAULTS) ?? configuration.default ?? [])] : [];
      const spec = ensureChild(pod, "spec");
      if (qosClass(spec, context.release) !== "BestEffort") added.push(MEMORY_PRESSURE);
      if (added.length > 0) spec.tolerations = mergeTolerations(tolerationsOf(pod), structuredClone(added));
      checkWhitelist(pod, namespace, configuration);
    },
    validate: (attributes, context) => validate(attributes, context, configuration),
  };
}

async function validate(
  attributes: AdmissionAttributes,
  context: AdmissionContext,
  configuration: PodTolerationRestrictionConfiguration,
): Promise<void> {
  const { object: pod } = attributes;
  if (pod === undefined || tolerationsOf(pod).length === 0) return;
  checkWhitelist(pod, await namespaceOf(attributes, context), configuration);
}

const tolerationsOf = (pod: ReceivedObject<Pod>): readonly Toleration[] =>
  list(object(pod.spec).tolerations) as readonly Toleration[];

/** kube-apiserver's error has no reason. */
function checkWhitelist(
  pod: ReceivedObject<Pod>,
  namespace: KubeObject,
  { whitelist = [] }: PodTolerationRestrictionConfiguration,
): void {
  const tolerations = tolerationsOf(pod);
  if (tolerations.length === 0) return;
  const own = annotated(namespace, WHITELIST);
  if (isWhitelisted(tolerations, own ?? whitelist)) return;
  const scope = own === undefined ? "cluster" : "namespace";
  throw unclassified(
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`,
  );
}

/** The tolerations in an annotation of the namespace; undefined without it. Throws in Go's words for another value. */
function annotated({ metadata }: KubeObject, annotation: string): readonly Toleration[] | undefined {
  const value = metadata?.annotations?.[annotation];
  if (value === undefined) return undefined;
  if (value === "") return [];
  try {
    return tolerationsIn(decodeJson(value).value);
  } catch (error) {
    throw unclassified(errorMessage(error));
  }
}

function tolerationsIn(value: JsonValue): readonly Toleration[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, "[]v1.Toleration");
  return value.map((item) => {
    if (item !== null && !isJsonObject(item)) throw mismatch(item, "v1.Toleration");
    return decodeObject<Toleration>(item ?? {}, TOLERATION, { mode: "Ignore" }).object;
  });
}

const mismatch = (value: JsonValue, type: string): Error =>
  new Error(`json: cannot unmarshal ${goValueOf(value)} into Go value of type ${type}`);
