import type { PluginPolicy } from "../../client/auth/plugin-policy.js";
import type { DuplicateKeys } from "../../machinery/codec/exact-json.js";
import { goValueOf } from "../../machinery/codec/go-types.js";
import { decodeJson } from "../../machinery/codec/json-decoder.js";
import { decodeObject } from "../../machinery/codec/strict-decode.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import { splitYaml } from "../../machinery/yaml/documents.js";
import { readYaml } from "../../machinery/yaml/read.js";
import { YamlError } from "../../machinery/yaml/yaml-error.js";
import type { Alias, CommandDefaults, OptionDefault, Preference } from "./preference.js";
import { GROUP, v1alpha1, v1beta1 } from "./preference-schema.js";

/** How a version writes options: the fields' names. */
type Wire<T extends string> = { readonly [name in T]?: string };
type WireOption = Wire<"name" | "default">;
interface WireOptions {
  readonly command?: string;
  readonly options?: readonly WireOption[];
  readonly flags?: readonly WireOption[];
}
interface WireAlias extends WireOptions {
  readonly name?: string;
  readonly prependArgs?: readonly string[];
  readonly appendArgs?: readonly string[];
}
interface WirePreference {
  readonly defaults?: readonly WireOptions[];
  readonly overrides?: readonly WireOptions[];
  readonly aliases?: readonly WireAlias[];
  readonly credentialPluginPolicy?: string;
  readonly credentialPluginAllowlist?: readonly Wire<"name" | "command">[];
}

export interface DecodedPreference {
  readonly preference: Preference;
  /** What the file holds that the version does not know, in one line of client-go's; "" when all is well. */
  readonly strictError: string;
}

const SCHEMAS = new Map([
  [`${GROUP}/v1beta1`, v1beta1],
  [`${GROUP}/v1alpha1`, v1alpha1],
]);

/**
 * The first document of a file that holds preferences of a version we know; undefined for a file without documents.
 * `log` takes what -v=5 shows: the place in kubectl's source and the line. @throws when no document is one
 */
export function decodePreferences(
  text: string,
  path: string,
  log: (source: string, line: string) => void = () => undefined,
): DecodedPreference | undefined {
  let entry = 0;
  for (const document of splitYaml(text)) {
    if (document.error !== undefined) throw new Error(document.error);
    if (document.text.trim() === "") continue;
    entry += 1;
    try {
      const { version, ...decoded } = decodeDocument(document.text);
      log("marshal.go:94", `kuberc: using entry ${entry} (${version}) in ${path}`);
      return decoded;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      log("marshal.go:71", `kuberc: strict decoding error for entry ${entry} in ${path}: ${reason}`);
    }
  }
  if (entry > 0) throw new Error(`no valid preferences found in ${path}, use --v=5 to see details`);
  log("marshal.go:103", `kuberc: no preferences found in ${path}`);
  return undefined;
}

interface Read {
  readonly value: JsonValue;
  readonly duplicates?: DuplicateKeys | undefined;
  readonly repeated: readonly string[];
}

function decodeDocument(text: string): DecodedPreference & { readonly version: string } {
  const { value, duplicates, repeated } = read(text);
  const version = versionOf(value, text);
  const schema = SCHEMAS.get(version);
  if (schema === undefined) throw new Error(`no version ${version}`);
  const { object, strictErrors } = decodeObject<WirePreference>(value, schema, { mode: "Strict", duplicates });
  const yaml = repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`];
  const errors = [...yaml, ...strictErrors];
  return {
    version,
    preference: preferenceOf(object),
    strictError: errors.length === 0 ? "" : `strict decoding error: ${errors.join(", ")}`,
  };
}

/** What begins as JSON does must be JSON. */
function read(text: string): Read {
  return text.trimStart().startsWith("{") ? { ...decodeJson(Buffer.from(text)), repeated: [] } : readAsYaml(text);
}

function readAsYaml(text: string): Read {
  try {
    const { value, repeated } = readYaml(text);
    return { value: inKeyOrder(value), repeated };
  } catch (error) {
    throw error instanceof YamlError ? new Error(error.message.replace(/^error converting YAML to JSON: /, "")) : error;
  }
}

/** YAML is made JSON first, whose keys are sorted: so are the complaints about them. */
function inKeyOrder(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, held]): [string, JsonValue] => [key, inKeyOrder(held)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** The version of a document that says it is preferences. */
function versionOf(value: JsonValue, text: string): string {
  const refuse = (what: string): Error =>
    new Error(`couldn't get version/kind; json parse error: json: cannot unmarshal ${what}`);
  if (value !== null && !isJsonObject(value)) throw refuse(`${goValueOf(value)} into Go value of type ${TYPE_META}`);
  const read = (name: string): string => {
    const held = (value as JsonObject | null)?.[name] ?? "";
    if (typeof held === "string") return held;
    throw refuse(`${goValueOf(held)} into Go struct field .${name} of type string`);
  };
  const [version, kind] = [read("apiVersion"), read("kind")];
  if (kind === "") throw new Error(`Object 'Kind' is missing in '${text}'`);
  if (version === "") throw new Error(`Object 'apiVersion' is missing in '${text}'`);
  if (kind === "Preference" && SCHEMAS.has(version)) return version;
  throw new Error(
    `no kind "${kind}" is registered for version "${version}" in scheme "pkg/config/scheme/scheme.go:30"`,
  );
}

function preferenceOf(wire: WirePreference): Preference {
  return {
    defaults: (wire.defaults ?? wire.overrides ?? []).map(defaultsOf),
    aliases: (wire.aliases ?? []).map(aliasOf),
    pluginPolicy: policyOf(wire),
  };
}

const optionsOf = ({ options, flags }: WireOptions): readonly OptionDefault[] =>
  (options ?? flags ?? []).map((option) => ({ name: option.name ?? "", default: option.default ?? "" }));

const defaultsOf = (wire: WireOptions): CommandDefaults => ({ command: wire.command ?? "", options: optionsOf(wire) });

const aliasOf = (wire: WireAlias): Alias => ({
  name: wire.name ?? "",
  command: wire.command ?? "",
  prependArgs: wire.prependArgs ?? [],
  appendArgs: wire.appendArgs ?? [],
  options: optionsOf(wire),
});

function policyOf({ credentialPluginPolicy = "", credentialPluginAllowlist }: WirePreference): PluginPolicy {
  const allowlist = credentialPluginAllowlist?.map(({ name = "", command = "" }) => {
    if (name !== "" && command !== "" && name !== command) {
      throw new Error(
        "both `Name` and `Command` were supplied with different values. `Name` is deprecated, use `Command` instead",
      );
    }
    return command || name;
  });
  return { type: credentialPluginPolicy, ...(allowlist !== undefined && { allowlist }) };
}
