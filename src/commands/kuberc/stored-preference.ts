import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import { PathError } from "../../base/files/path-error.js";
import type { Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { isAbsent, type KubercPlace, kubercPlace, readContent } from "../../cli/kuberc/read-kuberc.js";
import { GROUP, v1beta1 } from "../../cli/kuberc/preference-schema.js";
import { decodeObject, UnmarshalError } from "../../machinery/wire/strict-decode.js";
import { formatG } from "../../machinery/text/go/format-g.js";
import { isJsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { Schema } from "../../machinery/schema/schema.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";

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

/** The file as it is written: always in v1beta1's fields, whatever version it says it has. */
export interface StoredPreference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly defaults?: readonly StoredDefaults[] | null;
  readonly aliases?: readonly StoredAlias[] | null;
  readonly credentialPluginPolicy?: string;
  readonly credentialPluginAllowlist?: readonly { readonly name?: string; readonly command?: string }[];
}

export const kubercFlag: FlagSpec = { name: "kuberc", type: "string", usage: "The preferences file to work with" };

/** The file that a command works with. @throws when preferences are switched off */
export function placeOf({ env, platform }: Factory, { flags }: Invocation): KubercPlace {
  const place = kubercPlace(flags.string("kuberc"), { env, platform });
  if (place === undefined) throw new Error("KUBERC is disabled via KUBERC=off environment variable");
  return place;
}

export function newPreference(): StoredPreference {
  return { kind: "Preference", apiVersion: `${GROUP}/v1beta1` };
}

/** The text of a file, or undefined where there is none. @throws when it cannot be read */
export function readStored(path: string, cwd: string): string | undefined {
  const content = readContent(path, cwd);
  if (content.text !== undefined || isAbsent(content)) return content.text;
  const { message } = new PathError("open", path, content.error);
  throw new Error(`error reading kuberc file: ${message}`, { cause: content.error });
}

/**
 * What a file says, read as leniently as kubectl's `kuberc` commands do: unknown fields do not count, keys are known in any
 * case, a number is text where text is wanted. Undefined for a file that says nothing.
 */
export function parseStored(text: string): StoredPreference | undefined {
  try {
    const value = fitted(parseYaml(text), v1beta1);
    return value === null ? undefined : decodeObject<StoredPreference>(value, v1beta1, { mode: "Ignore" }).object;
  } catch (error) {
    const reason = errorMessage(error);
    const where = error instanceof UnmarshalError ? "error unmarshaling JSON: while decoding JSON: " : "";
    throw new Error(`error parsing kuberc file: ${where}${reason}`, { cause: error });
  }
}

/** Keys by their own names, later ones first to go; scalars as text where the type is text. */
function fitted(value: JsonValue, schema: Schema): JsonValue {
  if (schema.type === "list") return Array.isArray(value) ? value.map((item) => fitted(item, schema.items)) : value;
  if (schema.type === "struct" && isJsonObject(value)) {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      entries.map(([key, held]): [string, JsonValue] => {
        const field = schema.byName.get(key) ?? schema.fields.find(({ name }) => sameLetters(name, key));
        return field === undefined ? [key, held] : [field.name, fitted(held, field.schema)];
      }),
    );
  }
  if (schema.type !== "scalar" || value === null || typeof value === "object") return value;
  return typeof value === "number" && !Number.isInteger(value) ? formatG(value) : String(value);
}

const sameLetters = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** With every field that the type does not leave out, in the type's order. `empty` stands for lists that are not there. */
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

/** Writes the file, its folder too, and says so. */
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
