import type { CertificateRequest } from "../../machinery/crypto/certificate-request.js";

/** The signer of the certificates by which kubelets call the API. */
export const KUBELET_CLIENT_SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** Key encipherment is RSA's and may be there. */
const USAGES = ["client auth", "digital signature", "key encipherment"];

/** Why a request is none for a kubelet's client certificate, in Kubernetes' words; undefined when it is one. */
export function kubeletClientProblem(request: CertificateRequest, usages: readonly string[]): string | undefined {
  const { subject, alternativeNames: names } = request;
  const { organization = [], commonName = [] } = subject;
  if (organization.length !== 1 || organization[0] !== "system:nodes") {
    return "subject organization is not system:nodes";
  }
  if (names.dns.length > 0) return "DNS subjectAltNames are not allowed";
  if (names.emails.length > 0) return "Email subjectAltNames are not allowed";
  if (names.ips.length > 0) return "IP subjectAltNames are not allowed";
  if (names.uris.length > 0) return "URI subjectAltNames are not allowed";
  if (commonName.at(-1)?.startsWith("system:node:") !== true) {
    return "subject common name does not begin with system:node:";
  }
  const stated = new Set(usages);
  const missing = USAGES.filter((usage) => !stated.has(usage));
  const complete = missing.length === 0 || (missing.length === 1 && missing[0] === "key encipherment");
  if (!complete || stated.size !== USAGES.length - missing.length) return `usages did not match [${USAGES.join(" ")}]`;
  return undefined;
}
