/** The connection flags of every command. "" and false mean "not given", as in kubectl. */
export interface ConfigOverrides {
  readonly kubeconfig: string;
  readonly context: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
  readonly server: string;
  readonly tlsServerName: string;
  /** Replaces the proxy of the kubeconfig. */
  readonly proxyUrl: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly certificateAuthority: string;
  readonly clientCertificate: string;
  readonly clientKey: string;
  readonly token: string;
  readonly username: string;
  readonly password: string;
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  /** "key=value" pairs. Entries without "=" are ignored. */
  readonly asUserExtra: readonly string[];
  /** As typed: whole seconds, or a Go duration. */
  readonly requestTimeout: string;
  readonly disableCompression: boolean;
  /** "" for the default folder. */
  readonly cacheDir: string;
}

export const noOverrides: ConfigOverrides = {
  kubeconfig: "",
  context: "",
  cluster: "",
  user: "",
  namespace: "",
  server: "",
  tlsServerName: "",
  proxyUrl: "",
  insecureSkipTlsVerify: false,
  certificateAuthority: "",
  clientCertificate: "",
  clientKey: "",
  token: "",
  username: "",
  password: "",
  as: "",
  asUid: "",
  asGroups: [],
  asUserExtra: [],
  requestTimeout: "",
  disableCompression: false,
  cacheDir: "",
};
