import { append } from "../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../../machinery/errors/field-error.js";
import {
  absent,
  isStruct,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { dns1123LabelErrors, pathSegmentErrors } from "../../machinery/validation/names.js";
import type { ServerTraits } from "../gates/feature-gates.js";
import type {
  ContainerResourceMetricSource,
  CrossVersionObjectReference,
  ExternalMetricSource,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricIdentifier,
  MetricSpec,
  MetricTarget,
  ObjectMetricSource,
  PodsMetricSource,
  ResourceMetricSource,
} from "../types/autoscaling/v2.js";
import { positiveQuantity, quantity, validateContainerResourceName } from "./resources.js";
import { named, nonNegative, oneOf } from "./rules.js";
import { validateSelector } from "./label-selector.js";
import { requiredSegment } from "./typed-reference.js";

const SCALE_TO_ZERO = "HPAScaleToZero";

/** Validates an autoscaler in the shape of autoscaling/v2, in which every version is validated. */
export function validateHorizontalPodAutoscaler(
  autoscaler: ReceivedObject<HorizontalPodAutoscaler>,
  server: ServerTraits,
): FieldError[] {
  return validateSpec(object(autoscaler.spec), server.gates.enabled(SCALE_TO_ZERO) ? 0 : 1, server);
}

/** Validates an update of an autoscaler. If minReplicas was 0 before, it may stay 0 without the feature gate. */
export function validateHorizontalPodAutoscalerUpdate(
  autoscaler: ReceivedObject<HorizontalPodAutoscaler>,
  old: ReceivedObject<HorizontalPodAutoscaler>,
  server: ServerTraits,
): FieldError[] {
  const mayBeZero = server.gates.enabled(SCALE_TO_ZERO) || object(old.spec).minReplicas === 0;
  return validateSpec(object(autoscaler.spec), mayBeZero ? 0 : 1, server);
}

export function validateHorizontalPodAutoscalerStatusUpdate(
  autoscaler: ReceivedObject<HorizontalPodAutoscaler>,
): FieldError[] {
  const status = object(autoscaler.status);
  return (["currentReplicas", "desiredReplicas"] as const).flatMap((field) =>
    nonNegative(status[field], `status.${field}`),
  );
}

function validateSpec(spec: Received<HorizontalPodAutoscalerSpec>, least: number, server: ServerTraits): FieldError[] {
  const errors: FieldError[] = [];
  const [min, max] = [spec.minReplicas, number(spec.maxReplicas)];
  if (!absent(min) && number(min) < least) {
    errors.push(invalidValue("spec.minReplicas", min, `must be greater than or equal to ${least}`));
  }
  append(errors, mostErrors(max, server));
  if (!absent(min) && max < number(min)) {
    errors.push(invalidValue("spec.maxReplicas", max, "must be greater than or equal to `minReplicas`"));
  }
  const metrics = objects(spec.metrics);
  append(
    errors,
    validateReference(object(spec.scaleTargetRef), "spec.scaleTargetRef"),
    metrics.flatMap((metric, index) => validateMetric(metric, `spec.metrics[${index}]`)),
  );
  if (min === 0 && !metrics.some(({ type }) => type === "Object" || type === "External")) {
    const detail = "must specify at least one Object or External metric to support scaling to zero replicas";
    errors.push(forbiddenField("spec.metrics", detail));
  }
  const { scaleUp, scaleDown } = object(spec.behavior);
  return [
    ...errors,
    ...validateRules(scaleUp, "spec.behavior.scaleUp"),
    ...validateRules(scaleDown, "spec.behavior.scaleDown"),
  ];
}

function mostErrors(max: number, { release }: ServerTraits): FieldError[] {
  const path = "spec.maxReplicas";
  if (max >= 1) return [];
  // K37-060: a declared rule since 1.37, with other words.
  if (!release.atLeast("1.37")) return [invalidValue(path, max, "must be greater than 0")];
  return max === 0 ? [required(path)] : [invalidValue(path, max, "must be greater than or equal to 1")];
}

function validateReference(reference: Received<CrossVersionObjectReference>, path: string): FieldError[] {
  return [...requiredSegment(reference.kind, `${path}.kind`), ...requiredSegment(reference.name, `${path}.name`)];
}

const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

function validateRules(rules: Received<HPAScalingRules> | null | undefined, path: string): FieldError[] {
  if (!isStruct(rules)) return [];
  const window = rules.stabilizationWindowSeconds;
  const policies = objects(rules.policies);
  const errors: FieldError[] = [];
  if (!absent(window) && number(window) < 0) {
    errors.push(invalidValue(`${path}.stabilizationWindowSeconds`, window, "must be greater than or equal to zero"));
  }
  if (!absent(window) && number(window) > MAX_WINDOW_SECONDS) {
    const detail = `must be less than or equal to ${MAX_WINDOW_SECONDS}`;
    errors.push(invalidValue(`${path}.stabilizationWindowSeconds`, window, detail));
  }
  append(errors, oneOf(rules.selectPolicy, `${path}.selectPolicy`, ["Disabled", "Max", "Min"]));
  if (policies.length === 0) errors.push(required(`${path}.policies`, "must specify at least one Policy"));
  append(
    errors,
    policies.flatMap((policy, index) => validatePolicy(policy, `${path}.policies[${index}]`)),
  );
  const tolerance = quantity(rules.tolerance);
  if (tolerance !== undefined && tolerance.unscaled < 0n) {
    errors.push(invalidValue(`${path}.tolerance`, rules.tolerance, "must be greater or equal to zero"));
  }
  return errors;
}

function validatePolicy(policy: Received<HPAScalingPolicy>, path: string): FieldError[] {
  const period = number(policy.periodSeconds);
  const errors: FieldError[] = [];
  if (policy.type !== "Pods" && policy.type !== "Percent") {
    errors.push(notSupported(`${path}.type`, text(policy.type), ["Percent", "Pods"]));
  }
  if (number(policy.value) <= 0) {
    errors.push(invalidValue(`${path}.value`, number(policy.value), "must be greater than zero"));
  }
  if (period <= 0) errors.push(invalidValue(`${path}.periodSeconds`, period, "must be greater than zero"));
  if (period > MAX_PERIOD_SECONDS) {
    const detail = `must be less than or equal to ${MAX_PERIOD_SECONDS}`;
    errors.push(invalidValue(`${path}.periodSeconds`, period, detail));
  }
  return errors;
}

/** The fields of a metric that say where its values come from. */
type SourceField = Exclude<keyof MetricSpec, "type">;
type ValidateSource<Source> = (source: Received<Source>, path: string) => FieldError[];

const TYPES = ["ContainerResource", "External", "Object", "Pods", "Resource"];
const POPULATE = "must populate information for the given metric source";

function validateMetric(metric: Received<MetricSpec>, path: string): FieldError[] {
  const type = text(metric.type);
  const errors: FieldError[] = [];
  if (type === "") errors.push(required(`${path}.type`, "must specify a metric source type"));
  if (!TYPES.includes(type)) errors.push(notSupported(`${path}.type`, type, TYPES));
  const sources = SOURCES.filter(({ field }) => isStruct(metric[field]));
  const [first] = sources;
  if (first !== undefined) append(errors, first.validate(object(metric[first.field]), `${path}.${first.field}`));
  const present: string[] = sources.map(({ field }) => field);
  const expected = TYPES.includes(type) ? type.charAt(0).toLowerCase() + type.slice(1) : undefined;
  if (expected === undefined) errors.push(notSupported(`${path}.type`, type, TYPES));
  else if (!present.includes(expected)) errors.push(required(`${path}.${expected}`, POPULATE));
  if (present.length === 1) return errors;
  const extra = present.filter((field) => field !== expected);
  return [
    ...errors,
    ...extra.map((field) => forbiddenField(`${path}.${field}`, "must populate the given metric source only")),
  ];
}

const objectSource: ValidateSource<ObjectMetricSource> = (source, path) => {
  const target = object(source.target);
  const errors = [
    ...validateReference(object(source.describedObject), `${path}.describedObject`),
    ...validateIdentifier(object(source.metric), `${path}.metric`),
    ...validateTarget(target, `${path}.target`),
  ];
  if (!absent(target.value) || !absent(target.averageValue)) return errors;
  return [...errors, required(`${path}.target.averageValue`, "must set either a target value or averageValue")];
};

const external: ValidateSource<ExternalMetricSource> = (source, path) => {
  const target = object(source.target);
  const errors = [
    ...validateIdentifier(object(source.metric), `${path}.metric`),
    ...validateTarget(target, `${path}.target`),
  ];
  const [total, average] = [!absent(target.value), !absent(target.averageValue)];
  if (!total && !average) {
    const detail = "must set either a target value for metric or a per-pod target";
    errors.push(required(`${path}.target.averageValue`, detail));
  }
  if (total && average) {
    const detail = "may not set both a target value for metric and a per-pod target";
    errors.push(forbiddenField(`${path}.target.value`, detail));
  }
  return errors;
};

const pods: ValidateSource<PodsMetricSource> = (source, path) => {
  const errors = [
    ...validateIdentifier(object(source.metric), `${path}.metric`),
    ...validateTarget(object(source.target), `${path}.target`),
  ];
  if (!absent(object(source.target).averageValue)) return errors;
  return [...errors, required(`${path}.target.averageValue`, "must specify a positive target averageValue")];
};

const resource: ValidateSource<ResourceMetricSource> = (source, path) => {
  const errors = text(source.name) === "" ? [required(`${path}.name`, "must specify a resource name")] : [];
  return [...errors, ...validateUtilization(object(source.target), `${path}.target`)];
};

const containerResource: ValidateSource<ContainerResourceMetricSource> = (source, path) => {
  const [name, container] = [text(source.name), text(source.container)];
  const errors: FieldError[] = [];
  if (name === "") errors.push(required(`${path}.name`, "must specify a resource name"));
  else validateContainerResourceName(name, `${path}.name`, errors);
  if (container === "") errors.push(required(`${path}.container`, "must specify a container"));
  else append(errors, named(container, `${path}.container`, dns1123LabelErrors));
  return [...errors, ...validateUtilization(object(source.target), `${path}.target`)];
};

/** In the order in which Kubernetes looks at them; only the first that is there is looked into. */
const SOURCES: readonly {
  field: SourceField;
  validate(source: Received<MetricSpec[SourceField]>, path: string): FieldError[];
}[] = [
  { field: "object", validate: objectSource },
  { field: "external", validate: external },
  { field: "pods", validate: pods },
  { field: "resource", validate: resource },
  { field: "containerResource", validate: containerResource },
];

function validateUtilization(target: Received<MetricTarget>, path: string): FieldError[] {
  const errors = validateTarget(target, path);
  const [share, raw] = [!absent(target.averageUtilization), !absent(target.averageValue)];
  if (!share && !raw) {
    const detail = "must set either a target raw value or a target utilization";
    errors.push(required(`${path}.averageUtilization`, detail));
  }
  if (share && raw) {
    const detail = "may not set both a target raw value and a target utilization";
    errors.push(forbiddenField(`${path}.averageValue`, detail));
  }
  return errors;
}

function validateTarget(target: Received<MetricTarget>, path: string): FieldError[] {
  const type = text(target.type);
  const errors = type === "" ? [required(`${path}.type`, "must specify a metric target type")] : [];
  if (!["Utilization", "Value", "AverageValue"].includes(type)) {
    errors.push(invalidValue(`${path}.type`, type, "must be either Utilization, Value, or AverageValue"));
  }
  append(
    errors,
    positiveQuantity(target.value, `${path}.value`, "must be positive"),
    positiveQuantity(target.averageValue, `${path}.averageValue`, "must be positive"),
  );
  const share = target.averageUtilization;
  if (absent(share) || number(share) >= 1) return errors;
  return [...errors, invalidValue(`${path}.averageUtilization`, share, "must be greater than 0")];
}

function validateIdentifier(metric: Received<MetricIdentifier>, path: string): FieldError[] {
  const name = text(metric.name);
  const errors =
    name === ""
      ? [required(`${path}.name`, "must specify a metric name")]
      : named(name, `${path}.name`, pathSegmentErrors);
  return [...errors, ...validateSelector(metric.selector, `${path}.selector`)];
}
