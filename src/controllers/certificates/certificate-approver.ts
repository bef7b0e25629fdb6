import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { approved, isOpen, recognize, reviewOf } from "./approval.js";

/** How long the controller waits before it asks again: rights may change without a trace in the request. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 1_000_000;

/** Approves the client certificates of kubelets whose users may have them by a SubjectAccessReview. */
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
