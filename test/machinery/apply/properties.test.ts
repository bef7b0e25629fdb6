import { describe, expect, test } from "vitest";
import { encodedView } from "../../../src/machinery/apply/encoded-view.js";
import {
  difference,
  equal,
  type FieldSet,
  fieldSet,
  intersection,
  isEmpty,
  union,
} from "../../../src/machinery/apply/field-set.js";
import { parseFieldsV1, printFieldsV1 } from "../../../src/machinery/apply/fields-v1.js";
import { keyElement, valueElement } from "../../../src/machinery/apply/path-element.js";
import { toFieldSet } from "../../../src/machinery/apply/to-field-set.js";
import type { JsonObject, JsonValue } from "../../../src/machinery/meta/json.js";
import { fieldManagerOf, objectOf, POD, storedView, structOfKind, typeOfKind } from "./kinds.js";

const ROUNDS = 200;

/** A generator of the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}

function anySet(next: (below: number) => number): FieldSet {
  const element = () => {
    switch (next(4)) {
      case 0:
        return valueElement(["a", 1, 2.5, true, "ü<"][next(5)] as JsonValue);
      case 1:
        return keyElement([
          ["name", `n${next(3)}`],
          ["port", next(100)],
        ]);
      case 2:
        return `i:${next(20)}`;
      default:
        return `f:${["a", "B", "ä", "\u{1F600}", "x/y", "__proto__"][next(6)]}`;
    }
  };
  const paths = Array.from({ length: next(8) }, () => Array.from({ length: 1 + next(4) }, element));
  return fieldSet(...paths);
}

function anyPod(next: (below: number) => number): JsonObject {
  const some = <T>(make: (index: number) => T) => Array.from({ length: 1 + next(2) }, (_, index) => make(index));
  const labels = () => Object.fromEntries(some((index) => [`l${index}`, `${next(3)}`]));
  return objectOf(
    POD,
    {
      spec: {
        ...(next(2) === 0 && { nodeName: `n${next(3)}` }),
        ...(next(2) === 0 && { tolerations: some(() => ({ key: `k${next(2)}` })) }),
        containers: some((index) => ({
          name: `c${index}`,
          ...(next(2) === 0 && { image: `i${next(3)}` }),
          ...(next(2) === 0 && {
            ports: some((port) => ({ containerPort: 80 + port, ...(next(2) === 0 && { name: "p" }) })),
          }),
          ...(next(2) === 0 && { resources: { limits: { cpu: `${next(3)}` } } }),
        })),
      },
    },
    { ...(next(2) === 0 && { labels: labels() }), ...(next(2) === 0 && { finalizers: some((index) => `a/${index}`) }) },
  );
}

describe("random sets of field paths", () => {
  test("are the same after printing and parsing, byte for byte", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const set = anySet(numbers(seed));
      const text = JSON.stringify(printFieldsV1(set));
      const parsed = parseFieldsV1(JSON.parse(text) as JsonValue);
      expect(equal(parsed, set), text).toBe(true);
      expect(JSON.stringify(printFieldsV1(parsed))).toBe(text);
    }
  });

  test("are the union of what they share and what each has alone", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const next = numbers(seed);
      const [a, b] = [anySet(next), anySet(next)];
      const shared = intersection(a, b);
      const whole = union(union(difference(a, b), difference(b, a)), shared);
      expect(equal(whole, union(a, b)), JSON.stringify([a, b])).toBe(true);
      expect(isEmpty(intersection(difference(a, b), b))).toBe(true);
    }
  });
});

describe("server-side apply of random objects", () => {
  const manager = fieldManagerOf(POD);

  test("changes nothing the second time", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const next = numbers(seed);
      const applied = anyPod(next);
      const other = anyPod(next);
      let live = storedView(POD, manager.apply(undefined, other, "other", false));
      live = storedView(POD, manager.apply(live, applied, "one", true));
      const again = storedView(POD, manager.apply(live, applied, "one", false));
      expect(again).toEqual(live);
    }
  });

  test("of another object and back yields the first one", () => {
    for (let seed = 0; seed < ROUNDS; seed++) {
      const next = numbers(seed);
      const [first, second] = [anyPod(next), anyPod(next)];
      const start = manager.apply(undefined, first, "one", false);
      const live = storedView(POD, start);
      const between = storedView(POD, manager.apply(live, second, "one", false));
      const back = storedView(POD, manager.apply(between, first, "one", false));
      expect(toFieldSet(withoutMeta(back), typeOfKind(POD))).toEqual(toFieldSet(withoutMeta(live), typeOfKind(POD)));
    }
  });
});

/** Zero structs and managers aside. */
function withoutMeta(object: JsonObject): JsonObject {
  const { managedFields: _, ...metadata } = object["metadata"] as JsonObject;
  return encodedView({ ...object, metadata }, structOfKind(POD));
}
