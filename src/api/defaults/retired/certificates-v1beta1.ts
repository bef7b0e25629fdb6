import {
  absent,
  child,
  children,
  type Fields,
  ensureChild,
  list,
  setDefault,
  text,
} from "../../../machinery/meta/access.js";
import { type CertificateRequest, parseCertificateRequest } from "./pkcs10.js";

/** certificates.k8s.io/v1beta1, where the signer could be left out and was told from the request and its usages. */
export function defaultBetaCertificateSigningRequest(request: Fields): void {
  const spec = ensureChild(request, "spec");
  setDefault(spec, "usages", ["digital signature", "key encipherment"]);
  if (absent(spec.signerName)) spec.signerName = signerOf(text(spec.request), list(spec.usages).map(text));
  for (const condition of children(child(request, "status") ?? {}, "conditions")) {
    if (text(condition.status) === "") condition.status = "True";
  }
}

/** `pem` is base64 of the PEM text. */
function signerOf(pem: string, usages: readonly string[]): string {
  const request = parseCertificateRequest(Buffer.from(pem, "base64").toString("latin1"));
  if (request !== undefined && isOfNode(request)) {
    const { hosts, others } = request.alternativeNames;
    if (hosts === 0 && others === 0 && areUsages(usages, "client auth"))
      return "kubernetes.io/kube-apiserver-client-kubelet";
    if (hosts > 0 && others === 0 && areUsages(usages, "server auth")) return "kubernetes.io/kubelet-serving";
  }
  return "kubernetes.io/legacy-unknown";
}

function isOfNode({ organizations, commonName }: CertificateRequest): boolean {
  return organizations.length === 1 && organizations[0] === "system:nodes" && commonName.startsWith("system:node:");
}

/** Key encipherment is RSA's and may be there. */
function areUsages(usages: readonly string[], purpose: string): boolean {
  const stated = new Set(usages);
  stated.delete("key encipherment");
  return stated.size === 2 && stated.has("digital signature") && stated.has(purpose);
}
