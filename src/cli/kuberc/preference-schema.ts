import type { Field, ListSchema, ScalarSchema, Schema, StructSchema } from "../../machinery/schema/schema.js";
import type { PluginPolicy } from "../../client/auth/plugin-policy.js";

export const GROUP = "kubectl.config.k8s.io";

/** A field that stays when it is empty is a `field`, one that goes is `optional`. */
const member = (name: string, schema: Schema, omitEmpty: boolean): Field => ({
  name,
  schema,
  omitEmpty,
  omitZero: false,
  pointer: false,
  required: false,
});
const field = (name: string, schema: Schema): Field => member(name, schema, false);
const optional = (name: string, schema: Schema): Field => member(name, schema, true);

const text: ScalarSchema = { type: "scalar", scalar: "string" };
const listOf = (items: Schema): ListSchema => ({ type: "list", items });

/** The types of one version; they differ in what they call options. */
function preferenceOf(version: string, names: { readonly options: string; readonly defaults: string }): StructSchema {
  const struct = (name: string, fields: readonly Field[]): StructSchema => ({
    type: "struct",
    name,
    definition: `${GROUP}.${version}.${name}`,
    goType: `${version}.${name}`,
    fields,
    byName: new Map(fields.map((one) => [one.name, one])),
  });
  const options = listOf(struct("CommandOptionDefault", [field("name", text), field("default", text)]));
  const texts = listOf(text);
  const defaults = struct("CommandDefaults", [field("command", text), field(names.options, options)]);
  const alias = struct("AliasOverride", [
    field("name", text),
    field("command", text),
    optional("prependArgs", texts),
    optional("appendArgs", texts),
    optional(names.options, options),
  ]);
  const policy: ScalarSchema = { ...text, goType: `${version}.CredentialPluginPolicy` };
  const entry = struct("AllowlistEntry", [optional("name", text), optional("command", text)]);
  return struct("Preference", [
    optional("kind", text),
    optional("apiVersion", text),
    field(names.defaults, listOf(defaults)),
    field("aliases", listOf(alias)),
    ...(version === "v1alpha1"
      ? []
      : // An allowlist without entries is not the same as none.
        [optional("credentialPluginPolicy", policy), field("credentialPluginAllowlist", listOf(entry))]),
  ]);
}

export const v1alpha1 = preferenceOf("v1alpha1", { options: "flags", defaults: "overrides" });
export const v1beta1 = preferenceOf("v1beta1", { options: "options", defaults: "defaults" });

/** The user's preferences, independent of the version of the file. */
export interface Preference {
  readonly defaults: readonly CommandDefaults[];
  readonly aliases: readonly Alias[];
  readonly pluginPolicy: PluginPolicy;
}

/** The default of one flag. */
export interface OptionDefault {
  /** Without dashes. */
  readonly name: string;
  /** The value as it is written on a command line. */
  readonly default: string;
}

export interface CommandDefaults {
  /** The command as it is typed: "get", "set env". */
  readonly command: string;
  readonly options: readonly OptionDefault[];
}

/** `kubectl NAME ...` stands for `kubectl COMMAND PREPENDARGS ... APPENDARGS` with some flags given. */
export interface Alias {
  readonly name: string;
  readonly command: string;
  readonly prependArgs: readonly string[];
  readonly appendArgs: readonly string[];
  readonly options: readonly OptionDefault[];
}
