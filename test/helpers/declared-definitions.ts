import { transformSync } from "esbuild";
import { compileFunction } from "node:vm";
import * as kinds from "../../src/cluster/kind.js";
import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { deepCopy } from "../../src/machinery/patch/json-values.js";

/** What a module that `crd declaration` printed exports, by name. */
export function exportsOf(module: string): Readonly<Record<string, unknown>> {
  const { code } = transformSync(module, { loader: "ts", format: "cjs" });
  const holder: { exports: Record<string, unknown> } = { exports: {} };
  const load = (name: string): unknown => {
    if (name !== "kubets/kind") throw new Error(`the module imports ${name}`);
    return kinds;
  };
  compileFunction(code, ["module", "require"])(holder, load);
  return holder.exports;
}

/** Runs such a module, and makes the definitions of the kinds that it exports, sorted by name. */
export function definitionsOf(module: string): readonly KubeObject[] {
  const exported = exportsOf(module);
  const made = Object.entries(exported).flatMap(([name, value]) =>
    isKind(value) ? [kinds.crdOf(value, exported[`${name}Crd`] as kinds.CrdOptions)] : [],
  );
  return made.toSorted(byName);
}

/** Compares definitions by name. */
export const byName = (a: KubeObject, b: KubeObject): number =>
  (a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1;

const isKind = (value: unknown): value is kinds.Kind<unknown> =>
  typeof value === "object" && value !== null && "declaration" in value;

/**
 * A definition in the one form of all that mean the same: with the names that a server fills in, without what is as if it were not
 * there, and required fields in order. Of metadata it has what its author writes.
 */
export function normalized(definition: KubeObject): KubeObject {
  const { apiVersion, kind, metadata, spec } = deepCopy(definition as unknown as JsonValue) as JsonObject & {
    readonly metadata: JsonObject;
    readonly spec: JsonObject & { readonly names: JsonObject & { readonly kind: string }; versions: JsonObject[] };
  };
  const { name, labels, annotations } = metadata;
  const names = { singular: spec.names.kind.toLowerCase(), listKind: `${spec.names.kind}List`, ...spec.names };
  const versions = spec.versions.map((version) => {
    const { schema, ...rest } = version as JsonObject & { readonly schema: { readonly openAPIV3Schema: JsonObject } };
    return { ...withoutEmpty(rest), schema: { openAPIV3Schema: ordered(withMeta(schema.openAPIV3Schema)) } };
  });
  return {
    apiVersion,
    kind,
    metadata: withoutEmpty({ name, labels, annotations } as JsonObject),
    spec: { conversion: { strategy: "None" }, ...withoutEmpty(spec), names: withoutEmpty(names), versions },
  } as unknown as KubeObject;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  (typeof value === "object" && value !== null && Object.keys(value).length === 0);

/** Without lists and objects that are empty, and what is false; `served: false` is not the default. */
const withoutEmpty = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).filter(([name, held]) => name === "served" || name === "storage" || !isEmpty(held)),
  );

const withMeta = (schema: JsonObject): JsonObject => ({
  ...schema,
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    ...(schema.properties as JsonObject | undefined),
  },
});

/** With required fields in order, at every depth, and without lists of none. */
function ordered(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, held]) => name !== "required" || !isEmpty(held))
      .map(([name, held]) => [
        name,
        name === "required" && Array.isArray(held) ? (held as string[]).toSorted() : ordered(held as JsonValue),
      ]),
  );
}
