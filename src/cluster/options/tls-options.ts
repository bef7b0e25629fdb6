import type { TlsVersion } from "../../server/generic/transport/tls-protocol.js";

/** A certificate and its key, both files of PEM. */
export interface CertificateFiles {
  /** The certificate, and behind it those between it and its authority. */
  readonly certFile: string;
  readonly keyFile: string;
}

/** A pair for clients that ask for a server by name. */
export interface NamedCertificateFiles extends CertificateFiles {
  /**
   * "shop.example.com", "*.example.com", whose star stands for one label, or the address that the server listens on. Default: the
   * names of the certificate. An exact name comes before a wildcard, a given one before the certificate's, an earlier pair before a later.
   */
  readonly names?: readonly string[];
}

/**
 * What a server speaks and shows on its port, as kube-apiserver's flags have it. Files are read again when they change: new connections
 * get the new certificate, and open ones live on. While a file is wrong the old certificate stays, `onError` receives what is wrong
 * once, and /readyz/serving-certificates (with /healthz and /livez) fails.
 */
export interface TlsOptions {
  /** Shown in place of the server's own certificate. */
  readonly certificate?: CertificateFiles;
  /** The authority of {@link certificate}, a file of PEM, for kubeconfigs and pods. Default: what its own file holds. */
  readonly caFile?: string;
  /** The oldest version of TLS. Default VersionTLS12. */
  readonly minVersion?: TlsVersion;
  /**
   * Suites by Go's names, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"; their order means nothing, and those of TLS 1.3 are always on.
   * Default: Go's own.
   */
  readonly cipherSuites?: readonly string[];
  readonly named?: readonly NamedCertificateFiles[];
}
