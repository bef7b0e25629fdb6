import type { tlsOptions } from "../../component/apiserver-flags/secure-serving.js";
import type { OptionsOf } from "../../component/option-group.js";

type FlagOptions = OptionsOf<typeof tlsOptions>;

/** A certificate and its key, both files of PEM. */
export type CertificateFiles = NonNullable<FlagOptions["certificate"]>;

/** A pair for clients that ask for a server by name. */
export type NamedCertificateFiles = NonNullable<FlagOptions["named"]>[number];

/**
 * What a server speaks and shows on its port, as kube-apiserver's flags have it. Files are read again when they change: new connections
 * get the new certificate, and open ones live on. While a file is wrong the old certificate stays, `onError` receives what is wrong
 * once, and /readyz/serving-certificates (with /healthz and /livez) fails.
 */
export interface TlsOptions extends FlagOptions {
  /** The authority of `certificate`, a file of PEM, for kubeconfigs and pods. Default: what its own file holds. */
  readonly caFile?: string;
}
