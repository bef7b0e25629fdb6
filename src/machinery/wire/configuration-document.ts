import { goQuote } from "../../base/text/go-quote.js";
import { formatGroupVersion, type GroupVersionKind } from "../meta/gvk.js";
import type { JsonValue } from "../meta/json.js";
import type { StructSchema } from "../schema/schema.js";
import type { DuplicateKeys } from "./json/exact-json.js";
import { statedKind } from "./stated-kind.js";
import { decodeObject } from "./strict-decode.js";

/** A configuration file after parsing, before its kind is known. */
export interface ConfigurationDocument {
  /** As it stood. */
  readonly text: string;
  /** Null for an empty document. Of YAML, keys are in byte order. */
  readonly value: JsonValue;
  /** Which keys JSON sets twice. */
  readonly duplicates?: DuplicateKeys | undefined;
  /** Which keys YAML sets twice, in goyaml's words. */
  readonly repeated: readonly string[];
}

/** A kind of configuration, in all its versions. */
export interface ConfigurationFormat {
  readonly group: string;
  readonly kind: string;
  /** Its fields, by version. */
  readonly versions: ReadonlyMap<string, StructSchema>;
  /** Where Kubernetes' program declares its scheme, as errors name it: "pkg/config/scheme/scheme.go:30". */
  readonly scheme: string;
}

export interface DecodedConfiguration<T> {
  /** "v1beta1". */
  readonly version: string;
  readonly object: T;
  /** "strict decoding error: ..." of fields that the version does not have and of keys that are set twice; "" when all is well. */
  readonly strictError: string;
}

/** The document does not state its kind, or has an unknown version. */
export class UnknownConfigurationError extends Error {
  override readonly name = "UnknownConfigurationError";
}

/**
 * What a document holds, in the version that it names. The object is what the document says, without defaults. Throws an
 * {@link UnknownConfigurationError} for a document of another kind and an UnmarshalError for a value of another type, both in
 * apimachinery's words.
 */
export function decodeConfiguration<T extends object>(
  { text, value, duplicates, repeated }: ConfigurationDocument,
  format: ConfigurationFormat,
): DecodedConfiguration<T> {
  const stated = statedKind(value);
  if (stated.kind === "") throw new UnknownConfigurationError(`Object 'Kind' is missing in '${text}'`);
  if (stated.version === "") throw new UnknownConfigurationError(`Object 'apiVersion' is missing in '${text}'`);
  const { object, strictErrors } = decodeObject<T>(value, schemaOf(stated, format), { mode: "Strict", duplicates });
  const yaml = repeated.length === 0 ? [] : [`yaml: unmarshal errors:\n  ${repeated.join("\n  ")}`];
  const errors = [...yaml, ...strictErrors];
  const strictError = errors.length === 0 ? "" : `strict decoding error: ${errors.join(", ")}`;
  return { version: stated.version, object, strictError };
}

/** As {@link decodeConfiguration}, and throws for unknown fields and for keys that are set twice. */
export function decodeConfigurationStrictly<T extends object>(
  document: ConfigurationDocument,
  format: ConfigurationFormat,
): Omit<DecodedConfiguration<T>, "strictError"> {
  const { strictError, ...decoded } = decodeConfiguration<T>(document, format);
  if (strictError !== "") throw new Error(strictError);
  return decoded;
}

function schemaOf(stated: GroupVersionKind, { group, kind, versions, scheme }: ConfigurationFormat): StructSchema {
  const schema = stated.group === group && stated.kind === kind ? versions.get(stated.version) : undefined;
  if (schema !== undefined) return schema;
  const [quotedKind, version, place] = [stated.kind, formatGroupVersion(stated), scheme].map(goQuote);
  throw new UnknownConfigurationError(`no kind ${quotedKind} is registered for version ${version} in scheme ${place}`);
}
