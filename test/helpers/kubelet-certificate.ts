import { type KeyPair, issueCertificate } from "../../src/cluster/pki/certificate.js";

const DAY = 86_400_000;

/** The certificate of a kubelet that listens on 127.0.0.1, of no authority. */
export const kubeletCertificate = (): KeyPair =>
  issueCertificate({
    commonName: "kubelet",
    notBefore: Date.now() - DAY,
    notAfter: Date.now() + DAY,
    serial: Buffer.from([1]),
    usage: "server",
    names: ["127.0.0.1"],
  });
