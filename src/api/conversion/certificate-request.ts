import {
  text,
  absent,
  child,
  children,
  type Fields,
  ensureChild,
  list,
  setDefault,
} from "../../machinery/meta/access.js";
import type { VersionTable } from "./version-table.js";
import { without, withChild } from "./copies.js";
import { type CertificateRequest, parseCertificateRequest } from "../../machinery/crypto/certificate-request.js";
import { DerError } from "../../machinery/crypto/der.js";

/** Converts certificates.k8s.io/v1beta1, which has v1's shape, except that a signer may be absent, which is "" in v1. */
export const CERTIFICATES_BETA: VersionTable = {
  "certificates.k8s.io/v1beta1/CertificateSigningRequest": {
    conversion: {
      toHub: (request) => request,
      fromHub: (request) => withChild(request, "spec", (spec) => ({ ...spec, signerName: text(spec.signerName) })),
    },
    applyDefaults: defaultBetaCertificateSigningRequest,
  },
};

const POD_REQUEST = "certificates.k8s.io/v1beta1/PodCertificateRequest";

/**
 * The hub is v1beta1, which Kubernetes 1.37 stores (K37-104): certificates.k8s.io/v1 has no public key and no proof of possession (K37-007), and an
 * object that is read by it and written back must keep them.
 */
export const POD_CERTIFICATES: VersionTable = {
  [POD_REQUEST]: { hub: POD_REQUEST, applyDefaults: defaultPodCertificateRequest },
  "certificates.k8s.io/v1/PodCertificateRequest": {
    hub: POD_REQUEST,
    applyDefaults: defaultPodCertificateRequest,
    conversion: {
      toHub: (request) => request,
      fromHub: (request) => withChild(request, "spec", (spec) => without(spec, ["pkixPublicKey", "proofOfPossession"])),
    },
  },
};

/** In Go the spec is always there, so that its default is set in an object without one, too. */
function defaultPodCertificateRequest(request: Fields): void {
  setDefault(ensureChild(request, "spec"), "maxExpirationSeconds", 86400);
}

/** certificates.k8s.io/v1beta1, where the signer could be left out and was told from the request and its usages. */
function defaultBetaCertificateSigningRequest(request: Fields): void {
  const spec = ensureChild(request, "spec");
  setDefault(spec, "usages", ["digital signature", "key encipherment"]);
  if (absent(spec.signerName)) spec.signerName = signerOf(text(spec.request), list(spec.usages).map(text));
  for (const condition of children(child(request, "status") ?? {}, "conditions")) {
    if (text(condition.status) === "") condition.status = "True";
  }
}

/** `pem` is base64 of the PEM text. */
function signerOf(pem: string, usages: readonly string[]): string {
  const request = requestIn(Buffer.from(pem, "base64").toString("latin1"));
  if (request !== undefined && isOfNode(request)) {
    const { dns, ips, emails, uris } = request.alternativeNames;
    const [hosts, others] = [dns.length + ips.length, emails.length + uris.length];
    if (hosts === 0 && others === 0 && areUsages(usages, "client auth"))
      return "kubernetes.io/kube-apiserver-client-kubelet";
    if (hosts > 0 && others === 0 && areUsages(usages, "server auth")) return "kubernetes.io/kubelet-serving";
  }
  return "kubernetes.io/legacy-unknown";
}

/** Undefined for what cannot be read. */
function requestIn(pem: string): CertificateRequest | undefined {
  try {
    return parseCertificateRequest(pem);
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

function isOfNode({ subject: { organization = [], commonName = [] } }: CertificateRequest): boolean {
  return (
    organization.length === 1 &&
    organization[0] === "system:nodes" &&
    commonName.at(-1)?.startsWith("system:node:") === true
  );
}

/** Key encipherment is RSA's and may be there. */
function areUsages(usages: readonly string[], purpose: string): boolean {
  const stated = new Set(usages);
  stated.delete("key encipherment");
  return stated.size === 2 && stated.has("digital signature") && stated.has(purpose);
}
