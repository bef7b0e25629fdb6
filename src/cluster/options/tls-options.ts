import type { tlsOptions } from "../../component/apiserver-flags/secure-serving.js";
import type { OptionsOf } from "../../component/option-group.js";

type FlagOptions = OptionsOf<typeof tlsOptions>;

/** A certificate and its key, both files of PEM. */
export type CertificateFiles = NonNullable<FlagOptions["certificate"]>;

/** A certificate and its key, for clients that use a certain server name. */
export type NamedCertificateFiles = NonNullable<FlagOptions["named"]>[number];

/**
 * The certificate and the TLS settings of a server's port, as kube-apiserver's flags have them. Files are read again when they
 * change: new connections get the new certificate, and open ones continue. While a file is wrong the old certificate stays,
 * `onError` gets the fault once, and /readyz/serving-certificates (with /healthz and /livez) fails.
 */
export interface TlsOptions extends FlagOptions {
  /** The authority of `certificate`, a file of PEM, for kubeconfigs and pods. Default: what its own file holds. */
  readonly caFile?: string;
}
