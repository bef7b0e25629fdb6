import type { JsonValue } from "../../machinery/meta/json.js";

/** Everything needed to talk to one cluster, after kubeconfig, environment and flags were merged. Files are not read yet. */
export interface ClientConfig {
  /** With scheme; a path prefix is kept. */
  readonly server: string;
  readonly tls: {
    readonly insecureSkipVerify: boolean;
    readonly serverName?: string;
    readonly caFile?: string;
    readonly caData?: Uint8Array;
    readonly certFile?: string;
    readonly certData?: Uint8Array;
    readonly keyFile?: string;
    readonly keyData?: Uint8Array;
  };
  readonly auth: {
    readonly token?: string;
    readonly tokenFile?: string;
    readonly username?: string;
    readonly password?: string;
    readonly exec?: ExecConfig;
    /** users[].user.auth-provider's name; none is supported any more, using one is an error. */
    readonly authProvider?: string;
    readonly impersonate?: ImpersonationConfig;
  };
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  /** Milliseconds; 0 is none (--request-timeout). */
  readonly timeout: number;
  readonly userAgent: string;
  /** Namespace of the context, "default" when it names none. */
  readonly namespace: string;
  /** True when -n was given (or the namespace was enforced otherwise). */
  readonly namespaceEnforced: boolean;
  /** --cache-dir or its default. */
  readonly cacheDir: string;
}

export interface ImpersonationConfig {
  readonly user: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** users[].user.exec of a kubeconfig (client.authentication.k8s.io/v1 and v1beta1). */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: string;
  /** The cluster's extension "client.authentication.k8s.io/exec", handed to the plugin with the cluster info. */
  readonly clusterConfig?: JsonValue;
}
