import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import {
  emptyKubeconfig,
  type Kubeconfig,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigExec,
  type KubeconfigUser,
} from "./kubeconfig.js";

const SCHEME = "k8s.io/client-go/tools/clientcmd/api/latest/latest.go:50";

/**
 * Decodes one parsed file into a kubeconfig. It ignores unknown fields, compares names by case and treats null as absent. A
 * value of the wrong type throws with the text of Go's JSON decoder. Every entry keeps its `origin`.
 */
export function decodeKubeconfig(document: JsonValue, origin: string): Kubeconfig {
  const config = emptyKubeconfig();
  if (document === null) return config;
  const root = typeMeta(document);
  const at = new Reader("Config", "", root);
  config.currentContext = at.string("current-context") ?? "";
  const preferences = at.struct("preferences", "Preferences");
  if (preferences) {
    const colors = preferences.bool("colors");
    const extensions = named(preferences, "extensions", "NamedExtension", "*map[string]runtime.Object", extension);
    config.preferences = {
      ...(colors !== undefined && { colors }),
      ...(extensions.size > 0 && { extensions }),
    };
  }
  config.clusters = named(at, "clusters", "NamedCluster", "*map[string]*api.Cluster", (entry) =>
    cluster(entry.struct("cluster", "Cluster"), origin),
  );
  config.users = named(at, "users", "NamedAuthInfo", "*map[string]*api.AuthInfo", (entry) =>
    user(entry.struct("user", "AuthInfo"), origin),
  );
  config.contexts = named(at, "contexts", "NamedContext", "*map[string]*api.Context", (entry) =>
    context(entry.struct("context", "Context"), origin),
  );
  config.extensions = named(at, "extensions", "NamedExtension", "*map[string]runtime.Object", extension);
  return config;
}

function typeMeta(document: JsonValue): JsonObject {
  const goType =
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
  const prefix = "couldn't get version/kind; json parse error: json: cannot unmarshal";
  if (!isJsonObject(document)) throw new Error(`${prefix} ${jsonType(document)} into Go value of type ${goType}`);
  const field = (name: string): string => {
    const value = document[name] ?? "";
    if (typeof value === "string") return value;
    throw new Error(`${prefix} ${jsonType(value)} into Go struct field .${name} of type string`);
  };
  const version = field("apiVersion") || "v1";
  const kind = field("kind") || "Config";
  if (kind !== "Config" || version !== "v1") {
    throw new Error(`no kind "${kind}" is registered for version "${version}" in scheme "${SCHEME}"`);
  }
  return document;
}

function cluster(at: Reader | undefined, origin: string): KubeconfigCluster {
  if (!at) return { origin };
  return present<KubeconfigCluster>({
    origin,
    server: at.string("server"),
    "tls-server-name": at.string("tls-server-name"),
    "insecure-skip-tls-verify": at.bool("insecure-skip-tls-verify"),
    "certificate-authority": at.string("certificate-authority"),
    "certificate-authority-data": at.bytes("certificate-authority-data"),
    "proxy-url": at.string("proxy-url"),
    "disable-compression": at.bool("disable-compression"),
    extensions: extensionsOf(at),
  });
}

function user(at: Reader | undefined, origin: string): KubeconfigUser {
  if (!at) return { origin };
  const provider = at.struct("auth-provider", "AuthProviderConfig");
  const exec = at.struct("exec", "ExecConfig");
  return present<KubeconfigUser>({
    origin,
    "client-certificate": at.string("client-certificate"),
    "client-certificate-data": at.bytes("client-certificate-data"),
    "client-key": at.string("client-key"),
    "client-key-data": at.bytes("client-key-data"),
    token: at.string("token"),
    tokenFile: at.string("tokenFile"),
    as: at.string("as"),
    "as-uid": at.string("as-uid"),
    "as-groups": at.strings("as-groups"),
    "as-user-extra": at.stringLists("as-user-extra"),
    username: at.string("username"),
    password: at.string("password"),
    "auth-provider": provider && { name: provider.string("name") ?? "", config: provider.stringMap("config") ?? {} },
    exec: exec && execConfig(exec),
    extensions: extensionsOf(at),
  });
}

function execConfig(at: Reader): KubeconfigExec {
  const apiVersion = at.string("apiVersion");
  const interactiveMode = at.string("interactiveMode");
  // The API versions before v1 lack the field. Their plugins keep their old behaviour.
  const legacy = /^client\.authentication\.k8s\.io\/v1(alpha|beta)1$/.test(apiVersion ?? "")
    ? "IfAvailable"
    : undefined;
  return present<KubeconfigExec>({
    command: at.string("command") ?? "",
    args: at.strings("args") ?? null,
    env:
      at.structs("env", "ExecEnvVar")?.map((item) => ({
        name: item.string("name") ?? "",
        value: item.string("value") ?? "",
      })) ?? null,
    apiVersion,
    installHint: at.string("installHint"),
    provideClusterInfo: at.bool("provideClusterInfo") ?? false,
    interactiveMode: interactiveMode || legacy,
  });
}

function context(at: Reader | undefined, origin: string): KubeconfigContext {
  if (!at) return { origin };
  return present<KubeconfigContext>({
    origin,
    cluster: at.string("cluster"),
    user: at.string("user"),
    namespace: at.string("namespace"),
    extensions: extensionsOf(at),
  });
}

const extension = (entry: Reader): JsonValue => entry.raw("extension") ?? null;

function extensionsOf(at: Reader): Map<string, JsonValue> | undefined {
  const extensions = named(at, "extensions", "NamedExtension", "*map[string]runtime.Object", extension);
  return extensions.size === 0 ? undefined : extensions;
}

function named<T>(at: Reader, field: string, type: string, target: string, read: (entry: Reader) => T): Map<string, T> {
  const entries = new Map<string, T>();
  for (const entry of at.structs(field, type) ?? []) {
    const name = entry.string("name") ?? "";
    const value = read(entry);
    if (entries.has(name)) {
      throw new Error(`error converting *[]${type} into ${target}: duplicate name "${name}" in list`);
    }
    entries.set(name, value);
  }
  return entries;
}

/** Drops undefined properties, so that an absent value has one form. */
function present<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  const result: Partial<T> = {};
  for (const key of Object.keys(value) as (keyof T)[]) {
    const item = value[key];
    if (item !== undefined) result[key] = item;
  }
  return result as T;
}

/** Reads typed fields of an object. Its errors name the path of the wrong field. */
class Reader {
  constructor(
    private readonly type: string,
    private readonly path: string,
    private readonly value: JsonObject,
  ) {}

  raw(field: string): JsonValue | undefined {
    const value = Object.hasOwn(this.value, field) ? this.value[field] : undefined;
    return value === null ? undefined : value;
  }

  string(field: string): string | undefined {
    const value = this.raw(field);
    if (value === undefined || typeof value === "string") return value;
    return this.fail(field, value, "string");
  }

  bool(field: string): boolean | undefined {
    const value = this.raw(field);
    if (value === undefined || typeof value === "boolean") return value;
    return this.fail(field, value, "bool");
  }

  bytes(field: string): Uint8Array | undefined {
    const value = this.raw(field);
    if (value === undefined) return undefined;
    if (typeof value !== "string") return this.fail(field, value, "[]uint8");
    return decodeBase64(value);
  }

  strings(field: string): readonly string[] | undefined {
    return this.stringList(field, this.raw(field));
  }

  stringMap(field: string): Readonly<Record<string, string>> | undefined {
    const value = this.raw(field);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) return this.fail(field, value, "map[string]string");
    const map = new Map<string, string>();
    for (const [key, item] of Object.entries(value)) {
      map.set(key, typeof item === "string" ? item : item === null ? "" : this.fail(field, item, "string"));
    }
    return Object.fromEntries(map);
  }

  stringLists(field: string): Readonly<Record<string, readonly string[]>> | undefined {
    const value = this.raw(field);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) return this.fail(field, value, "map[string][]string");
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.stringList(field, item) ?? []]));
  }

  struct(field: string, type: string): Reader | undefined {
    const value = this.raw(field);
    if (value === undefined) return undefined;
    if (!isJsonObject(value)) return this.fail(field, value, `v1.${type}`);
    return new Reader(type, this.pathTo(field), value);
  }

  structs(field: string, type: string): readonly Reader[] | undefined {
    const value = this.raw(field);
    if (value === undefined) return undefined;
    if (!Array.isArray(value)) return this.fail(field, value, `[]v1.${type}`);
    return value.map((item) => {
      if (item !== null && !isJsonObject(item)) return this.fail(field, item, `v1.${type}`);
      return new Reader(type, this.pathTo(field), item ?? {});
    });
  }

  private stringList(field: string, value: JsonValue | undefined): readonly string[] | undefined {
    if (value === undefined || value === null) return undefined;
    if (!Array.isArray(value)) return this.fail(field, value, "[]string");
    return value.map((item) =>
      typeof item === "string" ? item : item === null ? "" : this.fail(field, item, "string"),
    );
  }

  private pathTo(field: string): string {
    return this.path === "" ? field : `${this.path}.${field}`;
  }

  private fail(field: string, value: JsonValue, goType: string): never {
    throw new Error(
      `json: cannot unmarshal ${jsonType(value)} into Go struct field ${this.type}.${this.pathTo(field)} of type ${goType}`,
    );
  }
}

function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "bigint") return "number";
  return typeof value;
}

/** Go's base64 decoder: it requires padding, skips line breaks and reports the offset of the first error. */
function decodeBase64(text: string): Uint8Array {
  const compact = text.replaceAll(/[\r\n]/g, "");
  const digits = /^[A-Za-z0-9+/]*/.exec(compact)?.[0].length ?? 0;
  const padding = compact.slice(digits);
  const partial = digits % 4;
  const need = (4 - partial) % 4;
  if (need !== 3 && padding === "=".repeat(need)) return new Uint8Array(Buffer.from(compact, "base64"));
  throw new Error(`illegal base64 data at input byte ${faultIn(digits, padding, partial)}`);
}

function faultIn(digits: number, padding: string, partial: number): number {
  // Go reports the start of an incomplete group, and the position of a wrong character.
  if (padding === "") return digits - partial;
  if (partial < 2 || !padding.startsWith("=")) return digits;
  if (partial === 2 && padding.length > 1 && padding[1] !== "=") return digits;
  return digits + Math.min(4 - partial, padding.length);
}
