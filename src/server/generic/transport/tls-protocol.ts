import { getCiphers, type SecureContextOptions } from "node:tls";

/** Go's names of versions, which kube-apiserver's flag takes. */
const VERSIONS = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
} as const;

export type TlsVersion = keyof typeof VERSIONS;

/** The TLS versions and cipher suites of a server. */
export interface TlsProtocol {
  /** The oldest version. Default VersionTLS12. */
  readonly minVersion?: TlsVersion;
  /** The suites before TLS 1.3, by Go's names; those of TLS 1.3 are always on. Default: Go's own. */
  readonly cipherSuites?: readonly string[];
}

/** Go's suites in its order of preference, by OpenSSL's names. */
const SUITES: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "ECDHE-ECDSA-AES128-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", "ECDHE-RSA-AES128-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA", "ECDHE-ECDSA-AES256-SHA"],
  ["TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", "ECDHE-RSA-AES256-SHA"],
]);

/** Names that the flag takes beside them. Suites that OpenSSL was built without are not offered. */
const MORE_SUITES: ReadonlyMap<string, string> = new Map([
  ["TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305", "ECDHE-ECDSA-CHACHA20-POLY1305"],
  ["TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"],
  ["TLS_RSA_WITH_AES_128_GCM_SHA256", "AES128-GCM-SHA256"],
  ["TLS_RSA_WITH_AES_256_GCM_SHA384", "AES256-GCM-SHA384"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"],
  ["TLS_RSA_WITH_AES_256_CBC_SHA", "AES256-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256", "ECDHE-ECDSA-AES128-SHA256"],
  ["TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256", "ECDHE-RSA-AES128-SHA256"],
  ["TLS_RSA_WITH_AES_128_CBC_SHA256", "AES128-SHA256"],
  ["TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA", "ECDHE-RSA-DES-CBC3-SHA"],
  ["TLS_RSA_WITH_3DES_EDE_CBC_SHA", "DES-CBC3-SHA"],
  ["TLS_ECDHE_ECDSA_WITH_RC4_128_SHA", "ECDHE-ECDSA-RC4-SHA"],
  ["TLS_ECDHE_RSA_WITH_RC4_128_SHA", "ECDHE-RSA-RC4-SHA"],
  ["TLS_RSA_WITH_RC4_128_SHA", "RC4-SHA"],
]);

const TLS_1_3 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

/** What HTTP/2 needs of a server that speaks TLS 1.2. */
const REQUIRED = ["TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"];

const isVersion = (name: string): name is TlsVersion => Object.hasOwn(VERSIONS, name);

/** Parses names from the command line. Throws in kube-apiserver's words for an unknown name. */
export function readTlsProtocol(minVersion: string, cipherSuites: readonly string[]): TlsProtocol {
  const unknown = cipherSuites.find((name) => !SUITES.has(name) && !MORE_SUITES.has(name) && !TLS_1_3.includes(name));
  if (unknown !== undefined) throw new Error(`Cipher suite ${unknown} not supported or doesn't exist`);
  if (minVersion !== "" && !isVersion(minVersion)) throw new Error(`unknown tls version ${JSON.stringify(minVersion)}`);
  const version = minVersion === "" ? "VersionTLS12" : minVersion;
  if (cipherSuites.length > 0 && version !== "VersionTLS13" && !REQUIRED.some((name) => cipherSuites.includes(name))) {
    throw new Error(
      "error configuring http2: http2: TLSConfig.CipherSuites is missing an HTTP/2-required AES_128_GCM_SHA256 cipher (need at least one of TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 or TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256)",
    );
  }
  return { minVersion: version, cipherSuites };
}

/** The same for OpenSSL. */
export function protocolOptions({ minVersion = "VersionTLS12", cipherSuites = [] }: TlsProtocol): SecureContextOptions {
  const version = VERSIONS[minVersion];
  // The order of a list of Go's suites means nothing: Go prefers them in an order of its own.
  const wanted = [...SUITES, ...MORE_SUITES].filter(([name]) =>
    cipherSuites.length === 0 ? SUITES.has(name) : cipherSuites.includes(name),
  );
  const built = getCiphers();
  const names = [...new Set(wanted.map(([, name]) => name))].filter((name) => built.includes(name.toLowerCase()));
  // OpenSSL's default level of security signs no handshake of versions before 1.2.
  const level = version === "TLSv1" || version === "TLSv1.1" ? ["@SECLEVEL=0"] : [];
  return { minVersion: version, ciphers: [...TLS_1_3, ...names, ...level].join(":"), honorCipherOrder: true };
}
