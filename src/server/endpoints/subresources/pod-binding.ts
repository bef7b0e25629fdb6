import { notSupported, required } from "../../../machinery/errors/field-error.js";
import { conflict, invalid } from "../../../machinery/errors/status-error.js";
import { text } from "../../../machinery/meta/access.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { timestamp } from "../../registry/metadata.js";
import type { ApiRequest } from "../../request/api-request.js";
import { decodeBody } from "../negotiation/decode-body.js";
import { readObjectBody } from "../negotiation/request-body.js";
import { negotiatePlain } from "../negotiation/response-format.js";
import { writeOptions } from "../options/write-options.js";
import { jsonBytes } from "../representation/json-text.js";
import type { ServedResource } from "../served-resource.js";
import { respondJson } from "../verbs/answer.js";
import { trustedUpdate } from "../verbs/trusted-update.js";

const BINDING = { group: "", version: "v1", kind: "Binding" };

/** POST /pods/NAME/binding, or /bindings with the pod's name in the body: puts a pod on a node, once. `resource` is pods. */
export async function handlePodBinding(request: ApiRequest, resource: ServedResource): Promise<void> {
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const { object } = await decodeBody(body, { expected: BINDING, mode: options.fieldValidation });
  const name = request.info.name === "" ? (object.metadata?.name ?? "") : request.info.name;
  const node = targetNode(object, name);
  const named = request.with({ info: { ...request.info, resource: "pods", name } });
  await trustedUpdate(named, resource, options.dryRun, (draft) => bind(draft, node, resource.now()));
  const status = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 };
  await respondJson(request, negotiatePlain(request.exchange), 201, jsonBytes(status));
}

function targetNode(binding: KubeObject, name: string): string {
  const target = isJsonObject(binding["target"]) ? binding["target"] : {};
  const kind = target["kind"] ?? "";
  const errors = [];
  if (kind !== "" && kind !== "Node") errors.push(notSupported("target.kind", kind, ["Node", "<empty>"]));
  if ((target["name"] ?? "") === "") errors.push(required("target.name"));
  if (errors.length > 0) throw invalid(BINDING, name, errors);
  return text(target["name"]);
}

function bind(pod: KubeObject, node: string, now: number): void {
  const name = pod.metadata?.name ?? "";
  const spec = isJsonObject(pod["spec"]) ? pod["spec"] : {};
  const pods = { group: "", resource: "pods/binding" };
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw conflict(pods, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const current = spec["nodeName"] ?? "";
  if (current !== "") throw conflict(pods, name, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  pod["spec"] = { ...spec, nodeName: node };
  const status = isJsonObject(pod["status"]) ? pod["status"] : {};
  const others = (Array.isArray(status["conditions"]) ? status["conditions"] : []).filter(
    (condition) => (condition as JsonObject)["type"] !== "PodScheduled",
  );
  const scheduled = { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: timestamp(now) };
  pod["status"] = { ...status, conditions: [...others, scheduled] };
}
