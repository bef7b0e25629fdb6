import { atOnce, type Steps } from "../../../base/async/steps.js";
import { object, objects } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { type DefinitionRequest, isBeta } from "./beta-spec.js";
import { definitionSpec } from "./definition-spec.js";
import { type Forgiven, forgivenSteps } from "./forgiven.js";

interface Known {
  readonly old: KubeObject;
  readonly forgiven: Forgiven;
}

const known = new WeakMap<KubeObject, Known>();

/** What an update of `old` to `definition` forgives. Both are large, so that it is found once for the same objects. */
export const forgivenOfUpdate = (definition: KubeObject, old: KubeObject, request: DefinitionRequest): Forgiven =>
  atOnce(forgivenOfUpdateSteps(definition, old, request));

export function* forgivenOfUpdateSteps(
  definition: KubeObject,
  old: KubeObject,
  request: DefinitionRequest,
): Steps<Forgiven> {
  const found = known.get(definition);
  if (found?.old === old) return found.forgiven;
  const [spec, before] = [definitionSpec(object(definition.spec)), definitionSpec(object(old.spec))];
  yield;
  const forgiven = yield* forgivenSteps(spec, before, { established: isEstablished(old), beta: isBeta(request) });
  known.set(definition, { old, forgiven });
  return forgiven;
}

export function isEstablished(definition: KubeObject): boolean {
  return objects(object(definition.status).conditions).some(
    ({ type, status }) => type === "Established" && status === "True",
  );
}
