import type { JsonValue } from "../../machinery/meta/json.js";

/**
 * The configuration of a client of one cluster, merged from kubeconfig, environment and flags. Its files are not read yet.
 */
export interface ClientConfig {
  /** Includes the scheme and may have a path prefix. */
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
    /** The name of users[].user.auth-provider. client-go supports none any more, so using one is an error. */
    readonly authProvider?: string;
    readonly impersonate?: ImpersonationConfig;
  };
  readonly proxyUrl?: string;
  readonly disableCompression: boolean;
  /** --request-timeout in milliseconds; 0 is no limit. */
  readonly timeout: number;
  readonly userAgent: string;
  /** The namespace of the context; "default" when it names none. */
  readonly namespace: string;
  /** True when -n was given or the namespace was enforced otherwise. */
  readonly namespaceEnforced: boolean;
  /** --cache-dir or its default; "" caches nothing on disk. */
  readonly cacheDir: string;
}

/** The default User-Agent. */
export const USER_AGENT = `kubets (${process.platform}/${process.arch})`;

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
  /** The cluster's extension "client.authentication.k8s.io/exec", which the plugin gets with the cluster's description. */
  readonly clusterConfig?: JsonValue;
}
