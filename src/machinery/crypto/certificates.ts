import { X509Certificate } from "node:crypto";
import { errorMessage } from "../../base/text/error-message.js";
import { findPemBlock, certificateBlocks } from "./pem.js";
import { readX509 } from "./x509/certificate.js";

/** Parses the certificates of a PEM text. Throws client-go's error for a text without any, and an Error for an invalid one. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = certificateBlocks(pem);
  if (blocks.length === 0) throw new Error("data does not contain any valid RSA or ECDSA certificates");
  return blocks.map(readCertificate);
}

/**
 * The CA certificates of a PEM text in DER, as Go's AppendCertsFromPEM reads them: it skips those that it cannot parse. Throws
 * client-go's error where none is left.
 */
export function rootCertificatesIn(pem: string): readonly Uint8Array[] {
  const roots: Uint8Array[] = [];
  let fault: string | undefined;
  for (let at = 0; at < pem.length; ) {
    const block = findPemBlock(pem, at);
    if (block === undefined) {
      fault ??= "unable to parse bytes as PEM block";
      break;
    }
    at = block.end;
    if (block.type !== "CERTIFICATE" || block.hasHeaders) continue;
    try {
      readCertificate(block.bytes);
      roots.push(block.bytes);
    } catch (error) {
      fault ??= `failed to parse certificate: ${errorMessage(error)}`;
    }
  }
  if (roots.length > 0) return roots;
  throw new Error(`unable to load root certificates: ${fault ?? "no valid certificate authority data seen"}`);
}

/** Parses the certificate of one PEM block, or of DER. Throws Go's error for an invalid one, and for one that Go cannot parse. */
export function readCertificate(block: string | Uint8Array): X509Certificate {
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(block);
  } catch (error) {
    throw new Error("x509: malformed certificate", { cause: error });
  }
  readX509(certificate.raw);
  return certificate;
}
