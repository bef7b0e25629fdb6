import type { Creater } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { isLong, readObjectBody, runWork } from "../negotiation/request-body.js";
import { writeOptions } from "../options/write-options.js";
import type { ServedResource } from "../served-resource.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { respondObject } from "./answer.js";
import { fieldManagerName, fieldTracking } from "./field-tracking.js";
import { Admitter } from "./admitter.js";
import { createOrRetry } from "./retry-too-large.js";
import { objectFormat, scopeOf } from "./scope.js";
import { answerInSteps, storeInSteps } from "./steps.js";

/** Handles POST to a collection. */
export async function handleCreate(request: ApiRequest, resource: ServedResource, storage: Creater): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const scope = scopeOf(request, options.dryRun, body.bytes);
  step("About to convert to expected version");
  const { object, warnings } = await resource.codec.decode(body, options.fieldValidation);
  for (const warning of warnings) request.warnings.add(warning);
  request.audit?.decoded(object, resource.codec.schema);
  const admit = new Admitter(request, resource, options.dryRun);
  await scope.pause?.(scope.token);
  const hub = resource.codec.toHub(object, request);
  const draft = hub instanceof Promise ? await hub : hub;
  step("Conversion done");
  const manager = fieldManagerName(request, options);
  const isLongWork = isLong(body.bytes);
  const steps = fieldTracking(resource).trackSteps(draft, undefined, manager, isLongWork, request);
  await runWork(isLongWork, steps, request);
  await scope.pause?.(scope.token);
  const stored = await storeInSteps(body.bytes.length, () =>
    createOrRetry(draft, admit.create, (...given) => storage.create(scope, ...given)),
  );
  await answerInSteps(() => respondObject(request, resource, format, 201, stored));
}
