import { parseInt64 } from "../../../base/numbers/int64.js";
import { absent, object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Conversion } from "../../../machinery/scheme/registration.js";
import { withAnnotations, withoutAnnotations } from "../copies.js";
import { convertWorkload, DEPLOYMENT } from "./workload.js";

/** Versions without `spec.rollbackTo` carry its revision here; it is all the field holds. */
const ROLLBACK_TO = "deprecated.deployment.rollback.to";

/** extensions/v1beta1 and apps/v1beta1, which have `spec.rollbackTo`, to apps/v1. An annotation of that name is no rollback. */
export const deploymentWithRollback: Conversion = {
  toHub(deployment) {
    const { rollbackTo, ...spec } = object(deployment.spec);
    if (absent(rollbackTo)) return annotated(convertWorkload(deployment, DEPLOYMENT), undefined);
    return annotated(convertWorkload({ ...deployment, spec }, DEPLOYMENT), revisionIn(rollbackTo));
  },
  fromHub(deployment) {
    const revision = annotatedRevision(deployment);
    const converted = convertWorkload(deployment, DEPLOYMENT);
    if (revision === undefined) return converted;
    const rollbackTo = revision === 0 ? {} : { revision };
    return withoutAnnotations({ ...converted, spec: { ...object(converted.spec), rollbackTo } }, [ROLLBACK_TO]);
  },
};

/** Between apps/v1beta2 and apps/v1, which both have the annotation: a number is written the shortest way, an empty text dropped. */
export const deploymentWithAnnotation: Conversion = { toHub: readThrough, fromHub: readThrough };

function readThrough(deployment: KubeObject): KubeObject {
  return annotated(convertWorkload(deployment, DEPLOYMENT), annotatedRevision(deployment));
}

function annotated(deployment: KubeObject, revision: number | bigint | undefined): KubeObject {
  if (revision === undefined) return withoutAnnotations(deployment, [ROLLBACK_TO]);
  return withAnnotations(deployment, { [ROLLBACK_TO]: String(revision) });
}

function revisionIn(rollbackTo: unknown): number | bigint {
  const { revision } = object(rollbackTo);
  return typeof revision === "number" || typeof revision === "bigint" ? revision : 0;
}

/** Undefined where there is none; throws where it is no number. */
function annotatedRevision(deployment: KubeObject): number | bigint | undefined {
  const stated = text(deployment.metadata?.annotations?.[ROLLBACK_TO]);
  if (stated === "") return undefined;
  try {
    return parseInt64(stated);
  } catch (error) {
    throw new Error(`failed to parse annotation[${ROLLBACK_TO}]=${stated} as int64: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
