import { badRequest } from "../../../machinery/errors/status-error.js";
import { isJsonObject } from "../../../machinery/meta/json.js";
import type { ApiRequest } from "../../request/api-request.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { negotiatePlain } from "../negotiation/response-format.js";
import { writeOptions } from "../options/write-options.js";
import { jsonBytes } from "../representation/json-text.js";
import type { ServedResource } from "../served-resource.js";
import { respondJson } from "../verbs/answer.js";
import { admitter, scopeOf } from "../verbs/scope.js";

const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };

/** POST /pods/NAME/eviction: deletes the pod. Disruption budgets need the controller that keeps their status. */
export async function handlePodEviction(request: ApiRequest, resource: ServedResource): Promise<void> {
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const { object } = await decodeBody(body, { expected: EVICTION, mode: options.fieldValidation });
  const { name } = request.info;
  if ((object.metadata?.name ?? name) !== name) throw badRequest("name in URL does not match name in Eviction object");
  if (resource.storage.delete === undefined) throw new Error("pods cannot be deleted");
  const wanted = isJsonObject(object["deleteOptions"]) ? object["deleteOptions"] : {};
  const dryRun = options.dryRun || (Array.isArray(wanted["dryRun"]) && wanted["dryRun"].includes("All"));
  const grace = wanted["gracePeriodSeconds"];
  await resource.storage.delete(
    scopeOf(request, dryRun),
    name,
    {
      ...(typeof grace === "number" && { gracePeriodSeconds: grace }),
      ...(isJsonObject(wanted["preconditions"]) && { preconditions: wanted["preconditions"] }),
    },
    admitter(request, resource, dryRun).remove,
  );
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  await respondJson(request, negotiatePlain(request.exchange), 201, jsonBytes(status));
}
