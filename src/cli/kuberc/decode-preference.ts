import { errorMessage } from "../../base/text/error-message.js";
import type { PluginPolicy } from "../../client/auth/plugin-policy.js";
import { type ConfigurationFormat, decodeConfiguration } from "../../machinery/wire/configuration-document.js";
import { readConfigurationDocument } from "../../machinery/text/yaml/configuration-document.js";
import { splitYaml } from "../../machinery/text/yaml/documents.js";
import {
  type Alias,
  type CommandDefaults,
  type OptionDefault,
  type Preference,
  GROUP,
  v1alpha1,
  v1beta1,
} from "./preference-schema.js";

/** How a version writes options: the fields' names. */
type Wire<T extends string> = { readonly [name in T]?: string };
type WireOption = Wire<"name" | "default">;
export interface WireOptions {
  readonly command?: string;
  readonly options?: readonly WireOption[];
  readonly flags?: readonly WireOption[];
}
export interface WireAlias extends WireOptions {
  readonly name?: string;
  readonly prependArgs?: readonly string[];
  readonly appendArgs?: readonly string[];
}
/** The fields of both versions, as a file has them. */
export interface WirePreference {
  readonly defaults?: readonly WireOptions[];
  readonly overrides?: readonly WireOptions[];
  readonly aliases?: readonly WireAlias[];
  readonly credentialPluginPolicy?: string;
  readonly credentialPluginAllowlist?: readonly Wire<"name" | "command">[];
}

export interface DecodedPreference {
  readonly preference: Preference;
  readonly document: WirePreference;
  /** The fields of the file that the version does not know, as a line of client-go's; "" without any. */
  readonly strictError: string;
}

/**
 * Decodes the first document of a file that has preferences of a known version; undefined for a file without documents. `log` gets the lines
 * of -v=5 with their places in kubectl's source. @throws when no document is one
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
      const reason = errorMessage(error);
      log("marshal.go:71", `kuberc: strict decoding error for entry ${entry} in ${path}: ${reason}`);
    }
  }
  if (entry > 0) throw new Error(`no valid preferences found in ${path}, use --v=5 to see details`);
  log("marshal.go:103", `kuberc: no preferences found in ${path}`);
  return undefined;
}

const FORMAT: ConfigurationFormat = {
  group: GROUP,
  kind: "Preference",
  versions: new Map([
    ["v1beta1", v1beta1],
    ["v1alpha1", v1alpha1],
  ]),
  scheme: "pkg/config/scheme/scheme.go:30",
};

function decodeDocument(text: string): DecodedPreference & { readonly version: string } {
  const document = readConfigurationDocument(text);
  const { version, object, strictError } = decodeConfiguration<WirePreference>(document, FORMAT);
  return { version: `${GROUP}/${version}`, preference: preferenceOf(object), document: object, strictError };
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
