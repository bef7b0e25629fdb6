import type { FieldsOf } from "../../machinery/meta/received.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import type { SubjectAccessReviewSpec } from "../../api/types/authorization/v1.js";
import type { CertificateSigningRequest, CertificateSigningRequestCondition } from "../../api/types/certificates/v1.js";
import { parseCertificateRequest } from "../../machinery/crypto/certificate-request.js";
import { KUBELET_CLIENT_SIGNER, kubeletClientProblem } from "./certificate-signer.js";

/** How long the controller waits before it asks again: rights may change without a trace in the request. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 1_000_000;

/** Approves the requests for kubelets' client certificates whose users are entitled to them, which a SubjectAccessReview decides. */
export function certificateApprover({ client, manager }: ControllerContext): void {
  const requests = client.of("certificates.k8s.io/v1", "CertificateSigningRequest");
  const reviews = client.of("authorization.k8s.io/v1", "SubjectAccessReview");
  const waits = new Map<string, number>();
  manager
    .controllerFor("certificates.k8s.io/v1", "CertificateSigningRequest", { when: isOpen })
    .named("certificatesigningrequest-approving-controller")
    .reconcile(async ({ name, object: request }) => {
      const ways = request === undefined || !isOpen(request) ? [] : recognize(request);
      if (request === undefined || ways.length === 0) {
        waits.delete(name);
        return;
      }
      for (const way of ways) {
        const review = await reviews.create({
          apiVersion: "authorization.k8s.io/v1",
          kind: "SubjectAccessReview",
          spec: reviewOf(request, way),
        });
        if (review.status?.allowed !== true) continue;
        waits.delete(name);
        try {
          await requests.update(approved(request, way), { subresource: "approval" });
        } catch (error) {
          // Deleted, or changed since the cache saw it: the change reconciles the request again.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
        return;
      }
      const wait = waits.get(name) ?? FIRST_WAIT_MS;
      waits.set(name, Math.min(wait * 2, LONGEST_WAIT_MS));
      return { requeueAfterMilliseconds: wait };
    });
}

/** A ground for approval: the request's user must be allowed to create this subresource of requests. */
export interface Recognition {
  readonly subresource: "selfnodeclient" | "nodeclient";
  readonly message: string;
}

const SELF: Recognition = {
  subresource: "selfnodeclient",
  message: "Auto approving self kubelet client certificate after SubjectAccessReview.",
};
const NODE: Recognition = {
  subresource: "nodeclient",
  message: "Auto approving kubelet client certificate after SubjectAccessReview.",
};

/** Whether the request has neither been approved nor denied, and has no certificate. */
export function isOpen({ status }: CertificateSigningRequest): boolean {
  const decided = (status?.conditions ?? []).some(({ type }) => type === "Approved" || type === "Denied");
  return !decided && (status?.certificate ?? "") === "";
}

/** The grounds on which a request may be approved, in order. None for a request that is not for a kubelet's client certificate. */
export function recognize({ spec }: CertificateSigningRequest): readonly Recognition[] {
  if (spec.signerName !== KUBELET_CLIENT_SIGNER) return [];
  const request = parseCertificateRequest(Buffer.from(spec.request, "base64").toString("latin1"));
  if (kubeletClientProblem(request, spec.usages ?? []) !== undefined) return [];
  // A kubelet that has a certificate already asks for the next one in its own name.
  return request.subject.commonName?.at(-1) === spec.username ? [SELF, NODE] : [NODE];
}

/** Makes the SubjectAccessReview that asks whether the user of a request may have it approved. */
export function reviewOf({ spec }: CertificateSigningRequest, { subresource }: Recognition): SubjectAccessReviewSpec {
  return {
    ...(spec.username && ({ user: spec.username } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...(spec.uid && ({ uid: spec.uid } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...(spec.groups && ({ groups: spec.groups } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...(spec.extra && ({ extra: spec.extra } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    resourceAttributes: {
      group: "certificates.k8s.io",
      resource: "certificatesigningrequests",
      verb: "create",
      subresource,
      version: "*",
    },
  };
}

/** Returns the request with the condition Approved. */
export function approved(request: CertificateSigningRequest, { message }: Recognition): CertificateSigningRequest {
  const condition: CertificateSigningRequestCondition = {
    type: "Approved",
    status: "True",
    reason: "AutoApproved",
    message,
  };
  return { ...request, status: { ...request.status, conditions: [...(request.status?.conditions ?? []), condition] } };
}
