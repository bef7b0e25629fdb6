import { inSlices } from "../../../base/async/time-slice.js";
import { copyObject, copyObjectSteps } from "../../registry/copy.js";
import {
  type Transform,
  type UpdateOptions,
  type Updater,
  ADMITTED,
  type AdmitUpdate,
} from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { readObjectBody, runWork } from "../negotiation/request-body.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { respondObject } from "./answer.js";
import { Admitter } from "./admitter.js";
import { changeOrRetry } from "./retry-too-large.js";
import { objectFormat, scopeOf, weigh } from "./scope.js";
import { answerInSteps, storeInSteps } from "./steps.js";
import { fieldManagerName, fieldTracking } from "./field-tracking.js";
import { badRequest, notFound } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { RequestInfo } from "../../request/request-info.js";
import type { StoredObject } from "../../storage/store.js";

/** Handles PUT of an object or of a part of it. */
export async function handleUpdate(
  request: ApiRequest,
  resource: ServedResource,
  storage: Updater,
  subresource?: UpdateOptions["subresource"],
): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = writeOptions(request.exchange.query, "UpdateOptions");
  const body = await readObjectBody(request);
  const scope = scopeOf(request, options.dryRun, body.bytes);
  step("About to convert to expected version");
  const { object, warnings } = await resource.codec.decode(body, options.fieldValidation);
  for (const warning of warnings) request.warnings.add(warning);
  request.audit?.decoded(object, resource.codec.schema);
  checkName(object, request.info);
  await scope.pause?.(scope.token);
  const hub = resource.codec.toHub(object, request);
  const draft = hub instanceof Promise ? await hub : hub;
  step("Conversion done");
  const uid = draft.metadata?.uid;
  const manager = fieldManagerName(request, options);
  const tracking = fieldTracking(resource, subresource);
  const change: Transform = async (current) => {
    const next = scope.pause === undefined ? copyObject(draft) : await inSlices(copyObjectSteps(draft), request);
    const isLongWork = weigh(scope, current);
    await runWork(isLongWork, tracking.trackSteps(next, current, manager, isLongWork, request), request);
    await scope.pause?.(scope.token);
    return next;
  };
  const update = (transform: Transform) =>
    storage.update(scope, request.info.name, transform, {
      subresource,
      preconditions: uid === undefined || uid === "" ? undefined : { uid },
      admit: new Admitter(request, resource, options.dryRun).update,
    });
  const result = await storeInSteps(body.bytes.length, () => changeOrRetry(change, update));
  await answerInSteps(() => respondObject(request, resource, format, result.created ? 201 : 200, result.object));
}

/** Throws unless the name and the namespace in a body are those of the URL; the namespace may be absent. */
export function checkName(object: KubeObject, { name, namespace }: RequestInfo): void {
  const own = object.metadata?.name ?? "";
  if (own === "") {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (own !== name) throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  const ownNamespace = object.metadata?.namespace ?? "";
  if (namespace !== "" && ownNamespace !== "" && ownNamespace !== namespace) {
    throw badRequest(
      `the namespace of the object (${ownNamespace}) does not match the namespace on the request (${namespace})`,
    );
  }
}

interface TrustedUpdateOptions {
  readonly preconditions?: UpdateOptions["preconditions"];
  /** Left out when admission has already run. */
  readonly admit?: AdmitUpdate;
}

/** Changes a field of the named object without its strategy. `change` may modify its draft, and may run again. */
export async function trustedUpdate(
  request: ApiRequest,
  resource: ServedResource,
  dryRun: boolean,
  change: (draft: KubeObject) => void,
  { preconditions, admit = ADMITTED }: TrustedUpdateOptions = {},
): Promise<StoredObject> {
  const { info } = request;
  if (resource.storage.update === undefined) throw new Error(`${info.resource} cannot be updated`);
  const { object } = await resource.storage.update(
    scopeOf(request, dryRun),
    info.name,
    (current) => {
      if (current === undefined) throw notFound({ group: info.apiGroup, resource: info.resource }, info.name);
      const draft = copyObject(current.object());
      change(draft);
      return Promise.resolve(draft);
    },
    { trusted: true, preconditions, admit },
  );
  return object;
}
