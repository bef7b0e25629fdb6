import { notRegisteredText, statedKind } from "../../../machinery/wire/stated-kind.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import { unknownConversion } from "./unknown-conversion.js";

/**
 * What a JSON patch or a merge patch made of an object of the expected kind: a version of that kind, mostly the same. Undefined
 * when it removed the version: Go then decodes into its internal type, whose JSON has other names for every field. Throws an
 * {@link UnmarshalError} for another kind. `schemaOf` has the schemas of what is served.
 */
export function patchedKind(
  value: JsonValue,
  expected: GroupVersionKind,
  schemaOf: (gvk: GroupVersionKind) => StructSchema | undefined,
): GroupVersionKind | undefined {
  const { group, version, kind: named } = statedKind(value);
  if (version === "") return undefined;
  const kind = named === "" ? expected.kind : named;
  if (kind === expected.kind && version === expected.version && group === expected.group) return expected;
  const stated = { group, version, kind };
  const schema = schemaOf(stated);
  if (schema === undefined) throw new UnmarshalError(notRegisteredText(stated));
  if (kind === expected.kind) return stated;
  // Go decodes it before it compares: what does not fit the other kind is its first problem.
  decodeObject(value, schema, { mode: "Ignore" });
  throw new UnmarshalError(unknownConversion(stated, expected));
}
