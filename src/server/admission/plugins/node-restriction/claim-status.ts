import { sameValue } from "../../../../api/validation/rules.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { isFields, object, type ReadonlyFields } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { withoutFields } from "../without-fields.js";
import { type NodeRequest, permitIf } from "./node-request.js";

/** A node reports of a claim how far its volume is grown, and nothing else. */
export function checkClaimStatus(request: NodeRequest): void {
  const { attributes, node } = request;
  const { operation, subresource, object: claim, oldObject } = attributes;
  permitIf(subresource === "status", request, "may only update PVC status");
  permitIf(operation === "UPDATE", request, `unexpected operation ${goQuote(operation)}`);
  const changed = changes(rest(claim), rest(oldObject), "");
  const rule = `node ${goQuote(node)} is not allowed to update fields other than status.quantity and status.conditions`;
  permitIf(changed.length === 0, request, `${rule}: ${changed.join(", ")}`);
}

const REPORTED = ["capacity", "conditions", "allocatedResourceStatuses", "allocatedResources"];

/** What a node may not change. Conflicts of managed fields are no concern of this rule. */
function rest(claim: KubeObject | undefined): ReadonlyFields {
  const metadata = withoutFields(claim?.metadata ?? {}, "managedFields", "resourceVersion");
  const status = withoutFields(object(claim?.["status"]), ...REPORTED);
  return { ...claim, metadata, status };
}

/** The paths of the fields that differ, as far down as both sides have fields. kube-apiserver shows a diff of Go values. */
function changes(now: unknown, before: unknown, path: string): string[] {
  if (sameValue(now, before)) return [];
  if (!isFields(now) || !isFields(before)) return [path];
  const keys = [...new Set([...Object.keys(now), ...Object.keys(before)])].toSorted();
  return keys.flatMap((key) => changes(now[key], before[key], path === "" ? key : `${path}.${key}`));
}
