import { expect, test } from "vitest";
import {
  customResourceDefinitionSteps,
  validateCustomResourceDefinition,
} from "../../../src/api/validation/apiextensions/index.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { formatFieldError } from "../../../src/machinery/errors/field-error.js";
import type { KubeObject } from "../../../src/machinery/meta/object.js";

/** A definition whose versions have the fields a0, a1, ... */
function definition(count: number, property: (index: number) => JsonObject): KubeObject {
  const properties = Object.fromEntries(Array.from({ length: count }, (_, index) => [`a${index}`, property(index)]));
  const schema = { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "boxes", singular: "box", kind: "Box", listKind: "BoxList" },
      versions: [
        { name: "v1", served: true, storage: true, schema },
        { name: "v2", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
    status: { storedVersions: ["v1"] },
  };
}

test.each<[string, (index: number) => JsonObject]>([
  ["good ones", (index) => ({ type: "string", pattern: `^${index}$`, default: String(index) })],
  ["defaults of another type", () => ({ type: "string", default: 1 })],
  ["patterns that are none", () => ({ type: "string", pattern: "(" })],
  ["no types", () => ({})],
  ["types that there are not", () => ({ type: "text" })],
  ["lists of schemas", () => ({ type: "array", items: [{ type: "string" }] })],
])(
  "validating a CustomResourceDefinition in time slices returns the same errors as validating it at once: %s",
  (_, property) => {
    const [plain, ahead] = [definition(40, property), definition(40, property)];
    let steps = 0;
    for (const _step of customResourceDefinitionSteps(ahead)) steps += 1;
    expect(steps).toBeGreaterThan(4);
    expect(validateCustomResourceDefinition(ahead).map(formatFieldError)).toEqual(
      validateCustomResourceDefinition(plain).map(formatFieldError),
    );
  },
);

test("validation of a CustomResourceDefinition with a huge number of errors returns the first thousand", () => {
  const errors = validateCustomResourceDefinition(definition(150_000, () => ({})));
  expect(errors.map(formatFieldError)).toHaveLength(1000);
});

test("validation of a CustomResourceDefinition splits a thousand patterns and defaults into many slices", () => {
  const large = definition(1000, (index) => ({ type: "string", pattern: `^${index}$`, default: "x" }));
  let steps = 0;
  for (const _ of customResourceDefinitionSteps(large)) steps += 1;
  expect(steps).toBeGreaterThan(150);
  expect(validateCustomResourceDefinition(large)).toHaveLength(1000);
});
