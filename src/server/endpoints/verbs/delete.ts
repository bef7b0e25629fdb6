import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { StatusDetails, Status } from "../../../api/types/meta/v1.js";
import type { CollectionDeleter, GracefulDeleter } from "../../registry/resource.js";
import type { ApiRequest } from "../../request/api-request.js";
import { deleteOptions } from "../options/delete-options.js";
import { fieldLabelsOf } from "../options/field-labels.js";
import { listOptions } from "../options/list-options.js";
import type { ServedResource } from "../served-resource.js";
import { step } from "../../../machinery/tracing/request-span.js";
import { respondObject, respondValue } from "./answer.js";
import { respondList, storeOptions } from "./reads.js";
import { Admitter } from "./admitter.js";
import { objectFormat, scopeOf } from "./scope.js";
import { answerInSteps } from "./steps.js";

/**
 * Handles DELETE of one object: answers a Status when the object is deleted, and the object when a finalizer or a grace period keeps it.
 */
export async function handleDelete(
  request: ApiRequest,
  resource: ServedResource,
  storage: GracefulDeleter,
): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const options = await deleteOptions(request);
  const { facts, strategy } = resource;
  const scope = scopeOf(request, options.dryRun);
  if (options.ignoresReadErrors === true && (await storage.deleteUnreadable?.(scope, request.info.name, options))) {
    return respondValue(request, format, 200, {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: { name: request.info.name, kind: facts.kind } satisfies FieldsOf<StatusDetails>,
      code: 200,
    } satisfies FieldsOf<Status>);
  }
  step("About to delete object from database");
  const { object, gone } = await storage.delete(
    scope,
    request.info.name,
    options,
    new Admitter(request, resource, options.dryRun).remove(options),
  );
  step("Object deleted from database");
  if (gone && !strategy.returnsDeletedObject) {
    const status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name: request.info.name,
        ...(facts.group !== "" && ({ group: facts.group } satisfies FieldsOf<StatusDetails>)),
        kind: facts.name,
        uid: object.object().metadata?.uid,
      } satisfies FieldsOf<StatusDetails>,
    } satisfies FieldsOf<Status>;
    return answerInSteps(() => respondValue(request, format, 200, status));
  }
  const accepted = !gone && options.orphanDependents === false;
  await answerInSteps(() => respondObject(request, resource, format, accepted ? 202 : 200, object));
}

/** Handles DELETE of a collection: answers the list of the objects. */
export async function handleDeleteCollection(
  request: ApiRequest,
  resource: ServedResource,
  storage: CollectionDeleter,
): Promise<void> {
  const format = objectFormat(request.exchange, resource);
  const list = listOptions(request, fieldLabelsOf(resource));
  const options = await deleteOptions(request);
  const deleted = await storage.deleteCollection(
    scopeOf(request, options.dryRun),
    storeOptions(request, list),
    options,
    new Admitter(request, resource, options.dryRun).remove(options),
  );
  const shape = format.shape === "Table" ? "object" : format.shape;
  const view = { resource, format: { ...format, shape }, include: "Metadata" } as const;
  await answerInSteps(() => respondList(request, view, deleted));
}
