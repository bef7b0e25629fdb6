/** A path such as clusters.10.10.12.56.server, cut where names of entries (which may hold dots) end. */
export interface PropertyPath {
  /** The text of each step, in order. */
  readonly steps: readonly string[];
}

/** @throws kubectl's text when the path leads nowhere */
export function parsePropertyPath(path: string): PropertyPath {
  const parts = path.split(".");
  const steps: string[] = [];
  let type: PropertyType = configType;
  for (let index = 0; index < parts.length; ) {
    if (type.kind === "map") {
      const name = entryName(parts.slice(index), type.entry);
      steps.push(name);
      index += name.split(".").length;
      type = type.entry;
    } else if (type.kind === "struct") {
      const step = parts[index] ?? "";
      const next: PropertyType | undefined = Object.hasOwn(type.fields, step) ? type.fields[step] : undefined;
      if (next === undefined) throw new Error(`unable to parse ${path} after [${steps.join(" ")}] at ${type.name}`);
      steps.push(step);
      index++;
      type = next;
    } else if (type.kind === "closed map") {
      throw new Error(`${type.valueType} is not of type struct`);
    } else {
      throw new Error(`unable to parse one or more field values of ${path}`);
    }
  }
  return { steps };
}

/** Everything up to the next part that is a field of the entry; all of it when none is. */
function entryName(parts: readonly string[], entry: StructType): string {
  const end = parts.findIndex((part, index) => index > 0 && Object.hasOwn(entry.fields, part));
  return parts.slice(0, end < 0 ? parts.length : end).join(".");
}

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
