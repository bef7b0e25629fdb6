import { dictionary } from "../../base/collections/dictionary.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Streams } from "../../cli/connect/factory.js";
import { accessOf, type KubeconfigAccess, unexpectedArgs } from "../../cli/connect/kubeconfig-access.js";
import { own } from "../../base/collections/own.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import { canonicalizeBase64 } from "../../machinery/text/go/go-base64.js";
import { parseBool } from "../../component/flags/flag-value.js";

/** A path such as clusters.10.10.12.56.server, split so that names of entries, which may contain dots, stay whole. */
export interface PropertyPath {
  /** The text of each step, in order. */
  readonly steps: readonly string[];
}

/** Parses the path of a property. @throws kubectl's text for a path that does not exist */
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

/** The names of fields in our kubeconfig entries, where they differ from the names in paths. */
export const fieldNames: Readonly<Record<string, string>> = dictionary({
  "act-as": "as",
  "act-as-uid": "as-uid",
  "act-as-groups": "as-groups",
  "act-as-user-extra": "as-user-extra",
});

export interface SetOptions {
  readonly access: KubeconfigAccess;
  readonly property: string;
  readonly value: string;
  readonly rawBytes: boolean;
}

export function setCommand(run = runSet): Command {
  return {
    use: "set PROPERTY_NAME PROPERTY_VALUE",
    description: `Set one value of a kubeconfig.

PROPERTY_NAME is a path: names of fields and of entries, joined by dots.

PROPERTY_VALUE is the new value. Fields that hold bytes, such as certificate-authority-data, expect base64 unless --set-raw-bytes is given.`,
    examples: `# Set the server of the cluster my-cluster
{{program}} config set clusters.my-cluster.server https://1.2.3.4

# Set its certificate authority
{{program}} config set clusters.my-cluster.certificate-authority-data $(base64 -w0 ca.crt)

# Set the cluster of the context my-context
{{program}} config set contexts.my-context.cluster my-cluster

# Set bytes as they are
{{program}} config set users.cluster-admin.client-key-data key_here --set-raw-bytes=true`,
    flags: [
      {
        name: "set-raw-bytes",
        type: "bool",
        usage: "Write the value of a field of bytes as it is, without decoding base64",
      },
    ],
    execute: async (factory, invocation) =>
      run(await complete(invocation, accessOf(factory, invocation)), factory.streams),
  };
}

async function complete(invocation: Invocation, access: KubeconfigAccess): Promise<SetOptions> {
  const [property = "", value = ""] = invocation.args;
  if (invocation.args.length !== 2) throw await unexpectedArgs(invocation);
  if (value === "") throw new Error("you cannot use set to unset a property");
  if (property === "") throw new Error("you must specify a property");
  return { access, property, value, rawBytes: invocation.flags.bool("set-raw-bytes") };
}

export async function runSet({ access, property, value, rawBytes }: SetOptions, streams: Streams): Promise<void> {
  const config = await access.start();
  modifyProperty(config, parsePropertyPath(property), { value, rawBytes });
  await access.modify(config, false);
  streams.out.write(`Property ${goQuote(property)} set.\n`);
}

export function unsetCommand(): Command {
  return {
    use: "unset PROPERTY_NAME",
    description: `Take one value out of a kubeconfig.

PROPERTY_NAME is a path: names of fields and of entries, joined by dots.`,
    examples: `# Have no current context
{{program}} config unset current-context

# Take the namespace out of the context foo
{{program}} config unset contexts.foo.namespace`,
    flags: [],
    execute: async (factory, invocation) => {
      const [property = ""] = invocation.args;
      if (invocation.args.length !== 1) throw await unexpectedArgs(invocation);
      if (property === "") throw new Error("you must specify a property");
      const access = accessOf(factory, invocation);
      const config = await access.start();
      modifyProperty(config, parsePropertyPath(property), "unset");
      await access.modify(config, false);
      factory.streams.out.write(`Property ${goQuote(property)} unset.\n`);
    },
  };
}

/** The change of a property: its new value as text, or its removal. */
export type PropertyChange = { readonly value: string; readonly rawBytes: boolean } | "unset";

type Fields = Record<string, unknown>;

/** Changes one property of a kubeconfig in place. @throws kubectl's text when the path or the value does not fit */
export function modifyProperty(config: Kubeconfig, path: PropertyPath, change: PropertyChange): void {
  const [section = "", ...rest] = path.steps;
  const type = own(configType.fields, section);
  if (type?.kind === "map") return modifyEntries(entriesOf(config, section), type.entry, rest, change);
  if (type?.kind === "struct") return modifyPreferences(config, type, rest, change);
  if (section === "current-context") {
    config.currentContext = change === "unset" ? "" : change.value;
  } else if (section === "extensions") {
    if (change !== "unset") throw new Error(mapValue([...config.extensions.keys()]));
    config.extensions.clear();
  }
  // kind and apiVersion are accepted and change nothing: a kubeconfig has only one of each.
}

function modifyEntries(
  entries: Map<string, object>,
  type: StructType,
  steps: readonly string[],
  change: PropertyChange,
): void {
  const [name, field] = steps;
  if (name === undefined) {
    if (change !== "unset") throw new Error(mapValue([...entries.keys()]));
    entries.clear();
    return;
  }
  if (field === undefined) {
    if (change !== "unset") throw new Error(mapValue([...entries.keys()]));
    entries.delete(name);
    return;
  }
  const existing = entries.get(name);
  if (existing === undefined && change === "unset") throw new Error(`current map key \`${name}\` is invalid`);
  const entry: Fields = { origin: "", ...existing };
  setField(entry, fieldNames[field] ?? field, own(type.fields, field), change);
  entries.set(name, entry);
}

function modifyPreferences(
  config: Kubeconfig,
  type: StructType,
  steps: readonly string[],
  change: PropertyChange,
): void {
  const [field] = steps;
  if (field !== undefined) {
    const preferences: Fields = { ...config.preferences };
    setField(preferences, field, own(type.fields, field), change);
    config.preferences = preferences;
  } else if (change === "unset") {
    config.preferences = {};
  } else {
    const { colors = false, extensions } = config.preferences;
    const shown = `{${colors} map[${[...(extensions?.keys() ?? [])].join(" ")}]}`;
    throw new Error(
      `unable to locate path config.navigationStep{stepValue:"", stepType:reflect.Type(nil)} under ${shown}`,
    );
  }
}

function setField(fields: Fields, name: string, type: PropertyType | undefined, change: PropertyChange): void {
  if (change === "unset") {
    delete fields[name];
    return;
  }
  const kind = type?.kind ?? "nothing";
  if (kind === "string") fields[name] = change.value;
  else if (kind === "bool") fields[name] = change.value !== "" && parseBool(change.value);
  else if (kind === "bytes") fields[name] = change.rawBytes ? Buffer.from(change.value) : decodeBase64(change.value);
  else if (kind === "strings") throw new Error("unrecognized slice type. string");
  else if (kind === "closed map") throw new Error(mapValue([]));
  else throw new Error(`a value cannot be set at ${name}: set the fields in it`);
}

function entriesOf(config: Kubeconfig, section: string): Map<string, object> {
  if (section === "clusters") return config.clusters;
  return section === "users" ? config.users : config.contexts;
}

/** kubectl shows a map as Go prints one, addresses included; here its names. */
const mapValue = (names: readonly string[]): string => `can't set a map to a value: map[${names.toSorted().join(" ")}]`;

function decodeBase64(text: string): Uint8Array {
  try {
    return Buffer.from(canonicalizeBase64(text), "base64");
  } catch (error) {
    throw new Error(`error decoding input value: ${errorMessage(error)}`);
  }
}
