import { errorMessage } from "../../base/text/error-message.js";

/** A certificate and its key, both PEM files, for clients that use a certain server name. */
export interface SniCertKey {
  readonly certFile: string;
  readonly keyFile: string;
  /**
   * "shop.example.com", "*.example.com", whose star stands for one label, or the address that the server listens on. Default: the
   * names of the certificate. An exact name comes before a wildcard, a given one before the certificate's, an earlier pair before a later.
   */
  readonly names?: readonly string[];
}

/** Parses a value of --tls-sni-cert-key, "cert,key" or "cert,key:domain,domain". Throws in kube-apiserver's words. */
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

/** Reads all values of --tls-sni-cert-key. `file` makes a path absolute. */
export const readSniCertKeys = (values: readonly string[], file: (path: string) => string): readonly SniCertKey[] =>
  values.map((value) => {
    const { certFile, keyFile, ...names } = parseSniCertKey(value);
    const path = (name: string): string => (name === "" ? "" : file(name));
    return { certFile: path(certFile), keyFile: path(keyFile), ...names };
  });

/** The inverse of {@link readSniCertKeys}. */
export const writeSniCertKeys = (pairs: readonly SniCertKey[]): readonly string[] =>
  pairs.map(
    ({ certFile, keyFile, names }) => `${certFile},${keyFile}${names === undefined ? "" : `:${names.join(",")}`}`,
  );

/** Returns the error that {@link parseSniCertKey} throws. */
export function sniCertKeyFault(value: string): string | undefined {
  try {
    parseSniCertKey(value);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}
