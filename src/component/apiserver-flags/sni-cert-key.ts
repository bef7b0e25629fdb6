import { errorMessage } from "../../base/text/error-message.js";

/** A pair of files, and the names that clients ask for it by; without them, the names of the certificate. */
export interface SniCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  readonly names?: readonly string[];
}

/** A value of --tls-sni-cert-key, "cert,key" or "cert,key:domain,domain". Throws in kube-apiserver's words. */
export function parseSniCertKey(value: string): SniCertKey {
  const colon = value.indexOf(":");
  const [files, names] = colon < 0 ? [value, undefined] : [value.slice(0, colon), value.slice(colon + 1).trim()];
  if (names === "") throw new Error("empty names list is not allowed");
  const [certFile, keyFile, ...more] = files.split(",").map((file) => file.trim());
  if (certFile === undefined || keyFile === undefined || more.length > 0) {
    throw new Error("expected comma separated certificate and key file paths");
  }
  return { certFile, keyFile, ...(names !== undefined && { names: names.split(",").map((name) => name.trim()) }) };
}

/** Returns what {@link parseSniCertKey} throws. */
export function sniCertKeyFault(value: string): string | undefined {
  try {
    parseSniCertKey(value);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
