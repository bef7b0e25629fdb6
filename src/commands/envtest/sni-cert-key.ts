type NamedCertificateFiles = import("../../cluster/options/tls-options.js").NamedCertificateFiles;

/** A value of --tls-sni-cert-key, "cert,key" or "cert,key:domain,domain". Throws in kube-apiserver's words. */
export function parseSniCertKey(value: string): NamedCertificateFiles {
  const colon = value.indexOf(":");
  const [files, names] = colon < 0 ? [value, undefined] : [value.slice(0, colon), value.slice(colon + 1).trim()];
  if (names === "") throw new Error("empty names list is not allowed");
  const [certFile, keyFile, ...more] = files.split(",").map((file) => file.trim());
  if (certFile === undefined || keyFile === undefined || more.length > 0) {
    throw new Error("expected comma separated certificate and key file paths");
  }
  return { certFile, keyFile, ...(names !== undefined && { names: names.split(",").map((name) => name.trim()) }) };
}
