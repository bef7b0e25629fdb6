import { smallest } from "../../base/collections/append.js";
import { X509Certificate } from "node:crypto";
import type { CertificateSigningRequest } from "../../api/types/certificates/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";

const HOUR_MS = 3_600_000;

/**
 * Deletes certificate signing requests an hour after they were answered, or earlier when their certificate expires, and those
 * without a decision after a day.
 */
export function certificateRequestCleaner({ client, manager, clock }: ControllerContext): void {
  manager
    .controllerFor("certificates.k8s.io/v1", "CertificateSigningRequest")
    .named("certificatesigningrequest-cleaner-controller")
    .reconcile(async ({ name, object: request }) => {
      const end = request && endOf(request);
      if (request === undefined || end === undefined) return;
      const left = end - clock.now();
      if (left >= 0) return { requeueAfterMilliseconds: left + 1 };
      try {
        const { uid } = request.metadata ?? {};
        const requests = client.of("certificates.k8s.io/v1", "CertificateSigningRequest");
        await requests.delete(name, { preconditions: { uid } });
      } catch (error) {
        if (!isNotFound(error) && !isConflict(error)) throw error;
      }
    });
}

/** The time at which the request may be deleted, in milliseconds; undefined for one that stays. */
export function endOf({ metadata, status }: CertificateSigningRequest): number | undefined {
  const { conditions = [], certificate = "" } = status ?? {};
  const created = metadata?.creationTimestamp;
  if (conditions.length === 0) return created ? Date.parse(created) + 24 * HOUR_MS : undefined;
  const ends = conditions.flatMap(({ type, lastUpdateTime }) => {
    if (type === "Approved" && certificate === "") return [];
    return lastUpdateTime ? [Date.parse(lastUpdateTime) + HOUR_MS] : [];
  });
  const approved = conditions.some(({ type }) => type === "Approved");
  if (approved && certificate !== "") ends.push(expiryOf(certificate));
  return ends.length === 0 ? undefined : smallest(ends);
}

/** When a certificate ends. One that cannot be read: never. */
function expiryOf(certificate: string): number {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, "base64")).validTo);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
