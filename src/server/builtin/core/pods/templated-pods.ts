import type { PodSpec, PodTemplateSpec } from "../../../../api/types/core/v1.js";
import { podNameWarnings, podTemplateWarnings } from "../../../../api/validation/pod/pod-warnings.js";
import type { ApiObject } from "../../../../machinery/meta/object.js";
import {
  child,
  type Draft,
  type DraftObject,
  object,
  type ReceivedObject,
} from "../../../../machinery/meta/received.js";
import type { StrategyOf } from "../../../registry/strategy.js";
import { dropDisabledFields } from "./disabled-fields.js";

/** What makes pods of a template. */
interface Templated {
  spec?: { template?: PodTemplateSpec };
}

const template = (workload: ReceivedObject<Templated>) => object(object(workload.spec).template);
export const templateWarnings = (workload: ReceivedObject<Templated>) =>
  podTemplateWarnings(template(workload), "spec.template");
export const namedTemplateWarnings = (workload: ReceivedObject<Templated>) => [
  ...podNameWarnings(workload.metadata?.name ?? ""),
  ...templateWarnings(workload),
];

/** Updates are warned of when they change something: the registry has counted the generation by then. */
export const onChange =
  <Workload extends ApiObject>(warnings: (workload: Workload) => string[]) =>
  (workload: Workload, old: Workload): string[] =>
    workload.metadata?.generation === old.metadata?.generation ? [] : warnings(workload);

/** The pod spec of a draft, to change. */
export const podSpecOf = (workload: DraftObject<Templated>): Draft<PodSpec> | undefined =>
  child(child(child(workload, "spec"), "template"), "spec");

/** Drops the fields of the template whose gates are off. */
export const dropping: StrategyOf<Templated> = {
  prepareForCreate: (draft) => dropDisabledFields(podSpecOf(draft)),
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpecOf(draft), object(template(old).spec)),
};
