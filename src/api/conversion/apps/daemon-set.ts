import { parseInt64 } from "../../../base/numbers/int64.js";
import { absent, number, object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/registration.js";
import { withAnnotations, withoutAnnotations } from "../copies.js";
import { convertWorkload, DAEMON_SET } from "./workload.js";

/** Versions without `spec.templateGeneration` carry it here, always: where nothing says it, it is 0. */
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** extensions/v1beta1, which has `spec.templateGeneration`, to apps/v1. */
export const daemonSetWithGeneration: Conversion = {
  toHub(set) {
    const { templateGeneration, ...spec } = object(set.spec);
    const converted = convertWorkload(absent(set.spec) ? set : { ...set, spec }, DAEMON_SET);
    return withAnnotations(converted, { [TEMPLATE_GENERATION]: String(integer(templateGeneration)) });
  },
  fromHub(set) {
    const templateGeneration = annotatedGeneration(set);
    const converted = withoutAnnotations(convertWorkload(set, DAEMON_SET), [TEMPLATE_GENERATION]);
    if (templateGeneration === 0) return converted;
    return { ...converted, spec: { ...object(converted.spec), templateGeneration } };
  },
};

/** Between apps/v1beta2 and apps/v1, which both have the annotation. */
export const daemonSetWithAnnotation: Conversion = { toHub: readThrough, fromHub: readThrough };

function readThrough(set: KubeObject): KubeObject {
  return withAnnotations(convertWorkload(set, DAEMON_SET), { [TEMPLATE_GENERATION]: String(annotatedGeneration(set)) });
}

/** Throws where it is no number, the empty text too. */
function annotatedGeneration(set: KubeObject): number | bigint {
  return parseInt64(set.metadata?.annotations?.[TEMPLATE_GENERATION] ?? "0");
}

/** As it is: a bigint is one that a number cannot hold. */
function integer(value: unknown): number | bigint {
  return typeof value === "bigint" ? value : number(value);
}
