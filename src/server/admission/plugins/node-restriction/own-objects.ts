import type { Node } from "../../../../api/types/core/v1.js";
import type { ResourceSlice } from "../../../../api/types/resource/v1.js";
import type { CertificateSigningRequest } from "../../../../api/types/certificates/v1.js";
import { parseCertificateRequest } from "../../../../machinery/crypto/certificate-request.js";
import { errorMessage } from "../../../../base/text/error-message.js";
import { goQuote } from "../../../../base/text/go-quote.js";
import { type FieldsOf, object, type ReceivedObject, text } from "../../../../machinery/meta/received.js";
import { refused } from "../../attributes.js";
import { type NodeRequest, permitIf } from "./node-request.js";
import { sameValue } from "../../../../api/validation/rules.js";
import { isFields, object as objectOf, type ReadonlyFields } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import { withoutFields } from "../without-fields.js";

const LEASES = "kube-node-lease";

/** Allows a node only the one lease that has its name. */
export function checkLease(request: NodeRequest): void {
  const { attributes, node } = request;
  const place = `can only access leases in the ${goQuote(LEASES)} system namespace`;
  permitIf(attributes.namespace === LEASES, request, place);
  const rule = "can only access node lease with the same name as the requesting node";
  permitIf(nameOf(request) === node, request, rule);
}

export function checkCsiNode(request: NodeRequest): void {
  const rule = "can only access CSINode with the same name as the requesting node";
  permitIf(nameOf(request) === request.node, request, rule);
}

const nameOf = ({ attributes: { operation, name, object: made } }: NodeRequest): string =>
  operation === "CREATE" ? (made?.metadata?.name ?? "") : name;

/**
 * Allows a node to create and delete only the ResourceSlices with its own nodeName; the node authorizer checks updates, for which only the
 * name matters.
 */
export function checkResourceSlice(request: NodeRequest): void {
  const { attributes, node } = request;
  const { operation, object: made, oldObject } = attributes;
  const nodeIn = (slice: ReceivedObject<ResourceSlice> | undefined): string => text(object(slice?.spec).nodeName);
  if (operation === "CREATE") {
    const rule = "can only create ResourceSlice with the same NodeName as the requesting node";
    permitIf(nodeIn(made) === node, request, rule);
  }
  if (operation === "DELETE") {
    const rule = "can only delete ResourceSlice with the same NodeName as the requesting node";
    permitIf(nodeIn(oldObject) === node, request, rule);
  }
}

const KUBELET_SIGNERS: ReadonlySet<unknown> = new Set([
  "kubernetes.io/kubelet-serving",
  "kubernetes.io/kube-apiserver-client-kubelet",
]);

/** Allows a kubelet to request client and serving certificates only in its own name. */
export function checkCertificateRequest(request: NodeRequest): void {
  const { attributes, node } = request;
  const asked: ReceivedObject<CertificateSigningRequest> | undefined = attributes.object;
  const spec = object(asked?.spec);
  if (attributes.operation !== "CREATE" || !KUBELET_SIGNERS.has(spec.signerName)) return;
  const rule = `can only create a node CSR with CN=system:node:${node}`;
  permitIf(commonNameOf(text(spec.request), request) === `system:node:${node}`, request, rule);
}

function commonNameOf(base64: string, { attributes }: NodeRequest): string {
  try {
    const { subject } = parseCertificateRequest(Buffer.from(base64, "base64").toString("latin1"));
    return subject.commonName?.at(-1) ?? "";
  } catch (error) {
    throw refused(attributes, `unable to parse csr: ${errorMessage(error)}`);
  }
}

/** Allows a node to report the resize of a claim's volume in its status, and nothing else. */
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
  const status = withoutFields(objectOf(claim?.["status"]), ...REPORTED);
  return { ...claim, metadata, status } satisfies FieldsOf<Node>;
}

/** The paths of the fields that differ, as far down as both sides have fields. kube-apiserver shows a diff of Go values. */
function changes(now: unknown, before: unknown, path: string): string[] {
  if (sameValue(now, before)) return [];
  if (!isFields(now) || !isFields(before)) return [path];
  const keys = [...new Set([...Object.keys(now), ...Object.keys(before)])].toSorted();
  return keys.flatMap((key) => changes(now[key], before[key], path === "" ? key : `${path}.${key}`));
}
