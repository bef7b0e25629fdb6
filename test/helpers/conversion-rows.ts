import { expect, test } from "vitest";
import { allScheme } from "../../src/api/scheme/all.js";
import { parseGroupVersion } from "../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";

/** Objects of one kind without kind and apiVersion, which come from the row; `from` and `to` are apiVersions. */
export type ConversionRow = readonly [
  name: string,
  kind: string,
  from: string,
  to: string,
  input: object,
  expected: object,
];

/** A conversion that throws; `message` is a part of what it says. */
export type FailingRow = readonly [
  name: string,
  kind: string,
  from: string,
  to: string,
  input: object,
  message: string,
];

export type DefaultsRow = readonly [name: string, kind: string, version: string, input: object, expected: object];

/** A test for each row: the input is frozen, and nothing but what is expected comes out. */
export function testConversions(rows: readonly ConversionRow[]): void {
  for (const [name, kind, from, to, input, expected] of rows) {
    test(`${kind} ${from} -> ${to}: ${name}`, () => {
      const source = deepFreeze(structuredClone({ apiVersion: from, kind, ...input }));
      expect(converted(source, to)).toStrictEqual({ apiVersion: to, kind, ...expected });
    });
  }
}

export function testFailingConversions(rows: readonly FailingRow[]): void {
  for (const [name, kind, from, to, input, message] of rows) {
    test(`${kind} ${from} -> ${to} fails: ${name}`, () => {
      expect(() => converted({ apiVersion: from, kind, ...input }, to)).toThrow(message);
    });
  }
}

/** A test for each row: the defaults of the version, and applying them again changes nothing. */
export function testDefaults(rows: readonly DefaultsRow[]): void {
  for (const [name, kind, version, input, expected] of rows) {
    test(`${kind} ${version}: ${name}`, () => {
      const draft: KubeObject = structuredClone({ apiVersion: version, kind, ...input });
      const wanted = { apiVersion: version, kind, ...expected };
      expect(allScheme().applyDefaults(draft, Date.now())).toEqual(wanted);
      expect(allScheme().applyDefaults(structuredClone(draft), Date.now())).toEqual(wanted);
    });
  }
}

/** The object in another version, by the scheme of all kinds. */
export function converted(object: KubeObject, apiVersion: string): KubeObject {
  return allScheme().convert(object, parseGroupVersion(apiVersion));
}

/** The same object, which throws when it is changed. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const held of Object.values(value)) deepFreeze(held);
  }
  return value;
}
