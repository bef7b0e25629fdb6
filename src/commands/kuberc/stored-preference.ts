import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { isAbsent, type KubercPlace, kubercPlace, readContent } from "../../cli/kuberc/read-kuberc.js";
import { decodePreferences, type DecodedPreference, type WireOptions } from "../../cli/kuberc/decode-preference.js";
import { GROUP } from "../../cli/kuberc/preference-schema.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";

export interface StoredOption {
  readonly name?: string;
  readonly default?: string;
}

export interface StoredDefaults {
  readonly command?: string;
  readonly options?: readonly StoredOption[] | null;
}

export interface StoredAlias extends StoredDefaults {
  readonly name?: string;
  readonly prependArgs?: readonly string[];
  readonly appendArgs?: readonly string[];
}

/** The content of the file in v1beta1. */
export interface StoredPreference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly defaults?: readonly StoredDefaults[] | null;
  readonly aliases?: readonly StoredAlias[] | null;
  readonly credentialPluginPolicy?: string;
  readonly credentialPluginAllowlist?: readonly { readonly name?: string; readonly command?: string }[];
}

export const kubercFlag: FlagSpec = { name: "kuberc", type: "string", usage: "The preferences file to work with" };

/** The preferences file of a command. @throws when preferences are switched off */
export function placeOf({ env, platform }: Factory, { flags }: Invocation): KubercPlace {
  const place = kubercPlace(flags.string("kuberc"), { env, platform });
  if (place === undefined) throw new Error("KUBERC is disabled via KUBERC=off environment variable");
  return place;
}

export function newPreference(): StoredPreference {
  return { kind: "Preference", apiVersion: `${GROUP}/v1beta1` };
}

/** Reads the text of a file; undefined where it does not exist. @throws when it cannot be read */
export function readStored(path: string, cwd: string): string | undefined {
  const content = readContent(path, cwd);
  if (content.text !== undefined || isAbsent(content)) return content.text;
  const { message } = new PathError("open", path, content.error);
  throw new Error(`error reading kuberc file: ${message}`, { cause: content.error });
}

/**
 * Parses a file of any version into v1beta1's shape (K37-212). `path` is for messages.
 * @throws when the file has no preferences, a field that its version does not have, or a key twice
 */
export function parseStored(text: string, path: string): StoredPreference {
  const { document, strictError } = decoded(text, path);
  if (strictError !== "") throw new Error(`error reading kuberc file: ${strictError}`);
  const { defaults, overrides, aliases, credentialPluginPolicy, credentialPluginAllowlist } = document;
  const commands = defaults ?? overrides;
  return {
    ...newPreference(),
    defaults: commands?.map(({ command = "", ...rest }) => ({ command, options: optionsOf(rest) })) ?? null,
    aliases: aliases?.map(({ flags, ...rest }) => ({ ...rest, options: optionsOf({ ...rest, flags }) })) ?? null,
    ...(credentialPluginPolicy !== undefined && { credentialPluginPolicy }),
    ...(credentialPluginAllowlist !== undefined && { credentialPluginAllowlist }),
  };
}

function decoded(text: string, path: string): DecodedPreference {
  let found: DecodedPreference | undefined;
  try {
    found = decodePreferences(text, path);
  } catch (error) {
    throw new Error(`error reading kuberc file: ${errorMessage(error)}`, { cause: error });
  }
  if (found !== undefined) return found;
  // kubectl converts nothing to v1beta1, and shows Go's words for that.
  const reason = "expected pointer, but got invalid kind";
  throw new Error(`error reading kuberc file: error converting Preferences to v1beta1.Preferences: ${reason}`);
}

const optionsOf = ({
  options,
  flags,
}: { [name in keyof WireOptions]?: WireOptions[name] | undefined }): readonly StoredOption[] | null =>
  options ?? flags ?? null;

/** Returns the preferences with every field that the Go type always writes, in the type's order. `empty` replaces absent lists. */
export function encodeStored(stored: StoredPreference, empty: readonly never[] | null): StoredPreference {
  const { kind, apiVersion, credentialPluginPolicy = "", credentialPluginAllowlist = [] } = stored;
  return {
    ...(kind && { kind }),
    ...(apiVersion && { apiVersion }),
    defaults: stored.defaults?.map(encodeDefaults) ?? empty,
    aliases: stored.aliases?.map(encodeAlias) ?? empty,
    ...(credentialPluginPolicy !== "" && { credentialPluginPolicy }),
    ...(credentialPluginAllowlist.length > 0 && { credentialPluginAllowlist }),
  };
}

const encodeOption = (option: StoredOption): StoredOption => ({
  name: option.name ?? "",
  default: option.default ?? "",
});

const encodeDefaults = ({ command = "", options }: StoredDefaults): StoredDefaults => ({
  command,
  options: options?.map(encodeOption) ?? null,
});

const encodeAlias = ({ name = "", command = "", ...rest }: StoredAlias): StoredAlias => ({
  name,
  command,
  ...(rest.prependArgs?.length && { prependArgs: rest.prependArgs }),
  ...(rest.appendArgs?.length && { appendArgs: rest.appendArgs }),
  ...(rest.options?.length && { options: rest.options.map(encodeOption) }),
});

/** Writes the file, creates its folder, and reports the path. */
export function saveStored(
  stored: StoredPreference,
  path: string,
  { cwd, write }: { readonly cwd: string; readonly write: (text: string) => void },
): void {
  const file = resolve(cwd, path);
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 });
  } catch (error) {
    const reason = new PathError("mkdir", dirname(path), error).message;
    throw new Error(`failed to create directory ${dirname(path)}: ${reason}`, { cause: error });
  }
  try {
    writeFileSync(file, emitYaml(encodeStored(stored, null)), { mode: 0o644 });
  } catch (error) {
    throw new Error(`failed to write kuberc file: ${new PathError("open", path, error).message}`, { cause: error });
  }
  write(`Updated ${path}\n`);
}
