import type { JsonValue } from "../../machinery/meta/json.js";

/** A decoded and possibly merged kubeconfig. Entries are maps by name, with the field names of the file. */
export interface Kubeconfig {
  currentContext: string;
  clusters: Map<string, KubeconfigCluster>;
  users: Map<string, KubeconfigUser>;
  contexts: Map<string, KubeconfigContext>;
  extensions: Map<string, JsonValue>;
  /** The legacy `preferences` object, kept only to be written back. */
  preferences: { colors?: boolean; extensions?: Map<string, JsonValue> };
}

interface Entry {
  /** The name of the file that the entry came from; "" for none. */
  origin: string;
  extensions?: Map<string, JsonValue>;
}

export interface KubeconfigCluster extends Entry {
  server?: string;
  "tls-server-name"?: string;
  "insecure-skip-tls-verify"?: boolean;
  "certificate-authority"?: string;
  "certificate-authority-data"?: Uint8Array;
  "proxy-url"?: string;
  "disable-compression"?: boolean;
}

export interface KubeconfigUser extends Entry {
  "client-certificate"?: string;
  "client-certificate-data"?: Uint8Array;
  "client-key"?: string;
  "client-key-data"?: Uint8Array;
  token?: string;
  tokenFile?: string;
  as?: string;
  "as-uid"?: string;
  "as-groups"?: readonly string[];
  "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
  username?: string;
  password?: string;
  "auth-provider"?: { readonly name: string; readonly config: Readonly<Record<string, string>> };
  exec?: KubeconfigExec;
}

export interface KubeconfigExec {
  command: string;
  readonly args: readonly string[] | null;
  readonly env: readonly { readonly name: string; readonly value: string }[] | null;
  readonly apiVersion?: string;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode?: string;
}

export interface KubeconfigContext extends Entry {
  cluster?: string;
  user?: string;
  namespace?: string;
}

export function emptyKubeconfig(): Kubeconfig {
  return {
    currentContext: "",
    clusters: new Map(),
    users: new Map(),
    contexts: new Map(),
    extensions: new Map(),
    preferences: {},
  };
}
