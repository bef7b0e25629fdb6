import { podNameWarnings, podTemplateWarnings } from "../../../../api/validation/pod/pod-warnings.js";
import { child, type Fields, object } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { Strategy } from "../../../registry/strategy.js";
import { dropDisabledFields } from "./disabled-fields.js";

const template = (workload: KubeObject) => object(object(workload.spec).template);
export const templateWarnings = (workload: KubeObject) => podTemplateWarnings(template(workload), "spec.template");
export const namedTemplateWarnings = (workload: KubeObject) => [
  ...podNameWarnings(workload.metadata?.name ?? ""),
  ...templateWarnings(workload),
];

/** Updates are warned of when they change something: the registry has counted the generation by then. */
export const onChange =
  (warnings: (workload: KubeObject) => string[]) =>
  (workload: KubeObject, old: KubeObject): string[] =>
    workload.metadata?.generation === old.metadata?.generation ? [] : warnings(workload);

/** The pod spec of a draft, to change. */
export const podSpecOf = (workload: KubeObject): Fields | undefined =>
  child(child((workload.spec ?? {}) as Fields, "template") ?? {}, "spec");

/** Drops the fields of the template whose gates are off. */
export const dropping: Strategy = {
  prepareForCreate: (draft) => dropDisabledFields(podSpecOf(draft)),
  prepareForUpdate: (draft, old) => dropDisabledFields(podSpecOf(draft), podSpecOf(old)),
};
