/** The kinds of values `config set` and `config unset` can walk through, named by client-go's internal types. */
export type PropertyType =
  | { readonly kind: "string" | "bool" | "bytes" | "strings" }
  /** A pointer to a struct: it can be unset, not entered. */
  | { readonly kind: "pointer" }
  /** Named entries. */
  | { readonly kind: "map"; readonly entry: StructType }
  /** A map whose values are no structs: its name leads nowhere. */
  | { readonly kind: "closed map"; readonly valueType: string }
  | StructType;

export interface StructType {
  readonly kind: "struct";
  /** Go's name, shown in errors. */
  readonly name: string;
  readonly fields: Readonly<Record<string, PropertyType>>;
}

const string: PropertyType = { kind: "string" };
const bool: PropertyType = { kind: "bool" };
const bytes: PropertyType = { kind: "bytes" };
const extensions: PropertyType = { kind: "closed map", valueType: "runtime.Object" };

const cluster: StructType = {
  kind: "struct",
  name: "api.Cluster",
  fields: {
    server: string,
    "tls-server-name": string,
    "insecure-skip-tls-verify": bool,
    "certificate-authority": string,
    "certificate-authority-data": bytes,
    "proxy-url": string,
    "disable-compression": bool,
    extensions,
  },
};

/** Impersonation has other names here than in the file. */
const user: StructType = {
  kind: "struct",
  name: "api.AuthInfo",
  fields: {
    "client-certificate": string,
    "client-certificate-data": bytes,
    "client-key": string,
    "client-key-data": bytes,
    token: string,
    tokenFile: string,
    "act-as": string,
    "act-as-uid": string,
    "act-as-groups": { kind: "strings" },
    "act-as-user-extra": { kind: "closed map", valueType: "string" },
    username: string,
    password: string,
    "auth-provider": { kind: "pointer" },
    exec: { kind: "pointer" },
    extensions,
  },
};

const context: StructType = {
  kind: "struct",
  name: "api.Context",
  fields: { cluster: string, user: string, namespace: string, extensions },
};

export const configType: StructType = {
  kind: "struct",
  name: "api.Config",
  fields: {
    kind: string,
    apiVersion: string,
    preferences: { kind: "struct", name: "api.Preferences", fields: { colors: bool, extensions } },
    clusters: { kind: "map", entry: cluster },
    users: { kind: "map", entry: user },
    contexts: { kind: "map", entry: context },
    "current-context": string,
    extensions,
  },
};

/** The name of a field in a kubeconfig entry of ours, where it differs from the name in a path. */
export const fieldNames: Readonly<Record<string, string>> = {
  __proto__: null as never,
  "act-as": "as",
  "act-as-uid": "as-uid",
  "act-as-groups": "as-groups",
  "act-as-user-extra": "as-user-extra",
};
