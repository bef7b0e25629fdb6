import { v36 } from "../../helpers/server-traits.js";
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { builtinRecord } from "../../../src/server/builtin/index.js";
import type { StrategyContext } from "../../../src/server/registry/strategy.js";
import { GOOD } from "./good-objects.js";

const context = v36 as StrategyContext;

/** What can stand in a field of an object in a store: nothing, null, an empty or a wrong value, null in a list or a map. */
const VALUES: readonly unknown[] = [undefined, null, "", 0, {}, [], [null], { a: null }, "wrong", [7], [{}]];

/** The object once for each of its fields and each value that the field can have. */
function* variants(object: KubeObject): Generator<KubeObject> {
  for (const path of pathsOf(object, [])) {
    for (const value of VALUES) yield withValue(object, path, value) as KubeObject;
  }
}

function pathsOf(value: unknown, path: readonly string[]): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value)
    .filter(([key]) => path.length > 0 || !["apiVersion", "kind", "metadata"].includes(key))
    .flatMap(([key, held]) => [[...path, key], ...pathsOf(held, [...path, key])]);
}

function withValue(holder: unknown, [key = "", ...rest]: readonly string[], value: unknown): unknown {
  const copy = Array.isArray(holder) ? [...holder] : { ...(holder as object) };
  const before: unknown = Reflect.get(copy, key);
  Reflect.set(copy, key, rest.length === 0 ? value : withValue(before, rest, value));
  return copy;
}

/** A selector with everything that a selector can have, which few of the good objects need. */
const SELECTOR = { matchLabels: { a: "b" }, matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] };

const SELECTORS: Readonly<Record<string, KubeObject>> = {
  "policy/poddisruptionbudgets": { spec: { minAvailable: 1, selector: SELECTOR } },
  "networking.k8s.io/networkpolicies": { spec: { podSelector: SELECTOR } },
  "rbac.authorization.k8s.io/clusterroles": { aggregationRule: { clusterRoleSelectors: [SELECTOR] } },
};

describe("validation of stored objects with values of wrong types, which decoding a request would refuse", () => {
  it.each(Object.entries({ ...GOOD, ...SELECTORS }))("does not throw for any field of %s", (resource, good) => {
    const [name = "", group = ""] = resource.split("/").toReversed();
    const strategy = builtinRecord(group, name)?.strategy;
    const object = { ...good, metadata: { name: "a", ...good.metadata } };
    for (const variant of variants(object)) {
      const shown = JSON.stringify(variant);
      expect(() => strategy?.validate?.(variant, context), shown).not.toThrow(TypeError);
      expect(() => strategy?.validateUpdate?.(variant, object, context), shown).not.toThrow(TypeError);
      expect(() => strategy?.validateUpdate?.(object, variant, context), shown).not.toThrow(TypeError);
      expect(() => strategy?.validateStatusUpdate?.(variant, object, context), shown).not.toThrow(TypeError);
      expect(() => strategy?.warningsOnCreate?.(variant, context), shown).not.toThrow(TypeError);
    }
  });
});
