import { notRegisteredText, statedKind } from "../../../machinery/wire/stated-kind.js";
import { decodeObject, UnmarshalError } from "../../../machinery/wire/strict-decode.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";

/**
 * Returns the kind and version that an object has after a JSON patch or a merge patch: a version of the expected kind, mostly the same.
 * Undefined when the patch removed the version: Go then decodes into its internal type, whose JSON has other names for every field. Throws
 * an {@link UnmarshalError} for another kind. `schemaOf` has the schemas of what is served.
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

/**
 * Returns the message of apimachinery's converter for an object of another kind than expected. It names both by Go types, the
 * expected one by its internal type ("autoscaling.Scale").
 */
export function unknownConversion(given: GroupVersionKind, wanted: GroupVersionKind): string {
  return `converting (${given.version}.${given.kind}) to (${internalPackage(wanted)}.${wanted.kind}): unknown conversion`;
}

/** The Go package of a kind's internal type: the first label of its group, but for these. */
function internalPackage({ group, kind }: GroupVersionKind): string {
  // Events of both groups have one internal type.
  if (group === "" || kind === "Event") return "core";
  if (group === "internal.apiserver.k8s.io") return "apiserverinternal";
  return group.split(".")[0] ?? "";
}
