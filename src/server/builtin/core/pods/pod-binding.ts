import type { Status } from "../../../../api/types/meta/v1.js";
import type { ServerTraits } from "../../../../api/gates/feature-gates.js";
import { check, type Errors } from "../../../../api/validation/collect.js";
import { dns1123SubdomainErrors } from "../../../../machinery/validation/names.js";
import { schemaFor } from "../../../../api/facts/index.js";
import { notSupported, required } from "../../../../machinery/errors/field-error.js";
import { badRequest, conflict, invalid } from "../../../../machinery/errors/status-error.js";
import {
  type FieldsOf,
  type DraftObject,
  list,
  object as received,
  objects,
  type ReceivedObject,
  text,
} from "../../../../machinery/meta/received.js";
import type { ObjectMeta, KubeObject } from "../../../../machinery/meta/object.js";
import { decodeBody } from "../../../endpoints/negotiation/decode-body.js";
import { readObjectBody } from "../../../endpoints/negotiation/request-body.js";
import { negotiatePlain } from "../../../endpoints/negotiation/response-format.js";
import { writeOptions } from "../../../endpoints/options/write-options.js";
import type { ServedResource } from "../../../endpoints/served-resource.js";
import { Admitter } from "../../../endpoints/verbs/admitter.js";
import { respondValue } from "../../../endpoints/verbs/answer.js";
import { trustedUpdate } from "../../../endpoints/verbs/update.js";
import { matchNamespace, metadataOf, timestamp } from "../../../registry/metadata.js";
import type { ApiRequest } from "../../../request/api-request.js";
import type { Binding, Pod, PodCondition } from "../../../../api/types/core/v1.js";
import { NOT_STORED, type RecordOf } from "../../../endpoints/resource-record.js";

const BINDING = { group: "", version: "v1", kind: "Binding" };

/** POST /pods/NAME/binding, or /bindings with the pod's name in the body: puts a pod on a node, once. `resource` is pods. */
export async function handlePodBinding(request: ApiRequest, resource: ServedResource): Promise<void> {
  const options = writeOptions(request.exchange.query, "CreateOptions");
  const body = await readObjectBody(request);
  const { object, kind } = await decodeBody(body, {
    expected: BINDING,
    mode: options.fieldValidation,
    schemaOf: resource.codec.schemaOf,
  });
  request.audit?.decoded(object, resource.codec.schemaOf(kind));
  // The uid stays: it is that of the pod which the binding is for.
  matchNamespace(object, request.info.namespace);
  const admit = new Admitter(request, resource, options.dryRun, { kind: BINDING, schema: schemaFor(BINDING) }).create;
  await admit.mutate?.(object);
  const { name: bound = "", uid = "", resourceVersion = "" } = object.metadata ?? {};
  const name = request.info.name === "" ? bound : request.info.name;
  if (name !== bound) throw badRequest("name in URL does not match name in Binding object");
  const node = targetNode(object, name, resource);
  await admit.validate?.(object);
  const named = request.with({ info: { ...request.info, resource: "pods", name } });
  const preconditions = {
    ...(uid !== "" && ({ uid } satisfies FieldsOf<ObjectMeta>)),
    ...(resourceVersion !== "" && ({ resourceVersion } satisfies FieldsOf<ObjectMeta>)),
  };
  const change = (draft: KubeObject) => {
    bind(draft, node, resource.now());
    copyMetadata(object, draft);
  };
  await trustedUpdate(named, resource, options.dryRun, change, { preconditions });
  const status = {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    code: 201,
  } satisfies FieldsOf<Status>;
  await respondValue(request, negotiatePlain(request.exchange), 201, status);
}

function targetNode(binding: ReceivedObject<Binding>, name: string, { release }: ServerTraits): string {
  const target = received(binding.target);
  const kind = target.kind ?? "";
  const errors: Errors = [];
  if (kind !== "" && kind !== "Node") errors.push(notSupported("target.kind", kind, ["Node", "<empty>"]));
  const node = text(target.name);
  if (node === "") errors.push(required("target.name"));
  // K37-075: Kubernetes 1.36 takes any name.
  else if (release.atLeast("1.37")) check(node, "target.name", dns1123SubdomainErrors, errors);
  if (errors.length > 0) throw invalid(BINDING, name, errors);
  return node;
}

/** What the scheduler says of the pod. */
function copyMetadata({ metadata: { labels, annotations } = {} }: KubeObject, pod: KubeObject): void {
  const metadata = metadataOf(pod);
  if (annotations !== undefined) metadata.annotations = { ...metadata.annotations, ...annotations };
  if (labels !== undefined) metadata.labels = { ...metadata.labels, ...labels };
}

function bind(pod: DraftObject<Pod>, node: string, now: number): void {
  const name = pod.metadata?.name ?? "";
  const spec = received(pod.spec);
  const pods = { group: "", resource: "pods/binding" };
  if (pod.metadata?.deletionTimestamp !== undefined) {
    throw conflict(pods, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const current = spec.nodeName ?? "";
  if (current !== "") throw conflict(pods, name, `pod ${name} is already assigned to node ${JSON.stringify(current)}`);
  if (list(spec.schedulingGates).length > 0) {
    throw conflict(pods, name, `pod ${name} has non-empty .spec.schedulingGates`);
  }
  pod.spec = { ...spec, nodeName: node };
  // Where it might have gone is of no interest any more.
  const { nominatedNodeName: _, ...status } = received(pod.status);
  const others = objects(status.conditions).filter(({ type }) => type !== "PodScheduled");
  const scheduled: PodCondition = {
    type: "PodScheduled",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  };
  pod.status = { ...status, conditions: [...others, scheduled] };
}

export const bindingRecord: RecordOf<Binding> = {
  group: "",
  resource: "bindings",
  storage: NOT_STORED,
  handlers: {
    create:
      (bindings, { resource }) =>
      (request) =>
        handlePodBinding(request, resource("v1", "pods") ?? bindings),
  },
};
