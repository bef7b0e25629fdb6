import { describe, expect, test } from "vitest";
import type { FieldRules } from "../../../../src/api/validation/declarative/field-rules.js";
import { validateDeclared } from "../../../../src/api/validation/declarative/validate-declared.js";
import { formatFieldError } from "../../../../src/machinery/errors/field-error.js";
import { dns1123LabelErrors } from "../../../../src/machinery/validation/names.js";

const off = { enabled: () => false };

/** What is wrong with the value of a field by these rules; with `old` in an update. */
function wrong(rules: FieldRules, value: unknown, ...old: readonly unknown[]): readonly string[] {
  const isUpdate = old.length > 0;
  const before = isUpdate ? { f: old[0] } : undefined;
  return validateDeclared({ fields: { f: rules } }, { f: value }, before, "spec", { gates: off, isUpdate }).map(
    formatFieldError,
  );
}

const items = { fields: { name: { required: true } as const } };
const named = (...names: readonly string[]) => names.map((name) => ({ name }));

describe("K37-061: messages of declarative validation", () => {
  test.each<readonly [string, FieldRules, unknown, string]>([
    ["a required text", { required: true }, "", "spec.f: Required value"],
    ["a required number", { required: true, minimum: 1 }, 0, "spec.f: Required value"],
    ["a required pointer", { required: true, pointer: true }, undefined, "spec.f: Required value"],
    ["a minimum", { minimum: 1 }, -1, "spec.f: Invalid value: -1: must be greater than or equal to 1"],
    [
      "a pointer's minimum",
      { pointer: true, minimum: 1 },
      0,
      "spec.f: Invalid value: 0: must be greater than or equal to 1",
    ],
    ["a maximum", { maximum: 5 }, 6, "spec.f: Invalid value: 6: must be less than or equal to 5"],
    ["too many items", { maxItems: 1, items }, named("a", "b"), "spec.f: Too many: 2: must have at most 1 item"],
    ["too many characters", { maxLength: 2 }, "äöü", "spec.f: Too long: may not be more than 2 characters"],
    ["too many bytes", { maxBytes: 2 }, "äö", "spec.f: Too long: may not be more than 2 bytes"],
    ["an enum", { enum: ["B", "A"] }, "C", 'spec.f: Unsupported value: "C": supported values: "A", "B"'],
    ["a gate that is off", { gate: "G" }, "x", "spec.f: Forbidden"],
    ["a list with doubles", { keys: ["name"], items }, named("a", "a"), 'spec.f[1]: Duplicate value: {"name":"a"}'],
    ["a set with doubles", { values: {} }, ["a", "a"], 'spec.f[1]: Duplicate value: "a"'],
  ])("for a new value that breaks %s", (_title, rules, value, expected) => {
    expect(wrong(rules, value)).toEqual([expected]);
  });

  test.each<readonly [string, FieldRules, unknown, unknown, string]>([
    ["an immutable field", { immutable: true }, "b", "a", "spec.f: Invalid value: null: field is immutable"],
    ["NoSet", { update: ["NoSet"] }, "b", undefined, "spec.f: Invalid value: null: field cannot be set once created"],
    [
      "NoUnset",
      { update: ["NoUnset"] },
      undefined,
      "a",
      "spec.f: Invalid value: null: field cannot be cleared once set",
    ],
    ["NoModify", { update: ["NoModify"] }, "b", "a", "spec.f: Invalid value: null: field cannot be modified once set"],
    [
      "NoAddItem",
      { keys: ["name"], items, update: ["NoAddItem"] },
      named("a", "b"),
      named("a"),
      "spec.f[1]: Forbidden: item may not be added",
    ],
    [
      "NoRemoveItem",
      { keys: ["name"], items, update: ["NoRemoveItem"] },
      named("a"),
      named("a", "b"),
      "spec.f: Forbidden: item may not be removed",
    ],
    ["monotonic", { monotonic: true }, 1, 2, "spec.f: Invalid value: 1: may not be decreased from 2"],
  ])("are kube-apiserver's for an updated value that breaks %s", (_title, rules, value, old, expected) => {
    expect(wrong(rules, value, old)).toEqual([expected]);
  });

  test("for a union without exactly one member", () => {
    const union = { struct: { union: ["a", "b"], fields: {} } };
    expect(wrong(union, {})).toEqual(['spec.f: Invalid value: "": must specify one of: `a`, `b`']);
    expect(wrong(union, { a: {}, b: {} })).toEqual([
      'spec.f: Invalid value: "{a, b}": must specify exactly one of: `a`, `b`',
    ]);
    expect(wrong(union, { a: {} })).toEqual([]);
    expect(wrong(union, {}, {})).toEqual([]);
  });

  test("do not appear for unchanged values; list items are compared by their keys", () => {
    expect(wrong({ maximum: 1 }, 2, 2)).toEqual([]);
    const list: FieldRules = {
      keys: ["name"],
      items: { fields: { name: { format: dns1123LabelErrors }, size: { maximum: 1 } } },
    };
    const old = [{ name: "A", size: 2 }];
    expect(wrong(list, [{ name: "b", size: 2 }, ...old], old)).toEqual([
      "spec.f[0].size: Invalid value: 2: must be less than or equal to 1",
    ]);
  });

  test("name no further problem of a value that is missing or forbidden", () => {
    expect(wrong({ required: true, format: dns1123LabelErrors }, "")).toHaveLength(1);
    expect(wrong({ immutable: true, maximum: 1 }, 5, 4)).toHaveLength(1);
    expect(wrong({ format: dns1123LabelErrors, minimum: 1 }, undefined)).toEqual([]);
  });
});
