import { X509Certificate } from "node:crypto";
import { certificateBlocks } from "./certificate-blocks.js";

/** The certificates of a PEM text. Throws client-go's words for a text with none, and an Error for one that cannot be read. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error("data does not contain any valid RSA or ECDSA certificates");
  return blocks.map(readCertificate);
}

/** The certificate of one block. Throws Go's words for what is none. */
export function readCertificate(block: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch (error) {
    throw new Error("x509: malformed certificate", { cause: error });
  }
}
