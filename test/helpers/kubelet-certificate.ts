import { issueCertificate, type Issuer, issuerOf, type KeyPair } from "../../src/machinery/crypto/issue-certificate.js";

const DAY = 86_400_000;
const AUTHORITY = "kubelets";

type Usage = "ca" | "server" | "client";

function certificate(
  serial: number,
  commonName: string,
  usage: Usage,
  issuer?: Issuer,
  organizations: readonly string[] = [],
): KeyPair {
  const request = {
    commonName,
    organizations,
    notBefore: Date.now() - DAY,
    notAfter: Date.now() + DAY,
    serial: Buffer.from([serial]),
    usage,
    ...(usage === "server" && { names: ["127.0.0.1"] }),
  };
  return issueCertificate(request, issuer);
}

/** The certificate of a kubelet that listens on 127.0.0.1, of no authority. */
export const kubeletCertificate = (): KeyPair => certificate(1, "kubelet", "server");

/** Certificates between kubelets that listen on 127.0.0.1 and the API server that asks them. */
export interface KubeletCertificates {
  readonly authority: KeyPair;
  readonly kubelet: KeyPair;
  /** The API server's, as a client of kubelets. */
  readonly client: KeyPair;
}

export function kubeletCertificates(): KubeletCertificates {
  const authority = certificate(1, AUTHORITY, "ca");
  const issuer = issuerOf(authority, AUTHORITY);
  return {
    authority,
    kubelet: certificate(2, "system:node:node-1", "server", issuer),
    client: certificate(3, "kube-apiserver-kubelet-client", "client", issuer, ["system:masters"]),
  };
}
