import { expect, test } from "vitest";
import { newestRelease, type Release } from "../../src/api/facts/index.js";
import { allScheme } from "../../src/api/scheme/all.js";
import { publishedScheme } from "../../src/api/scheme/published.js";
import { encodeObjectText } from "../../src/machinery/wire/encode.js";
import { decodeObject } from "../../src/machinery/wire/strict-decode.js";
import { parseGroupVersion } from "../../src/machinery/meta/gvk.js";
import type { KubeObject } from "../../src/machinery/meta/object.js";
import { deepFreeze } from "./conversion-rows.js";

/** One object in two versions. Both are the fields without apiVersion; `kind` is in both, the same. */
export interface ConversionRow {
  readonly name: string;
  readonly kind: string;
  /** apiVersion. */
  readonly from: string;
  readonly to: string;
  readonly input: KubeObject;
  readonly expected: KubeObject;
}

export interface DefaultRow {
  readonly name: string;
  readonly kind: string;
  readonly version: string;
  readonly input: KubeObject;
  readonly expected: KubeObject;
}

/** A row, and the same one read from right to left. */
export function bothWays(row: ConversionRow): ConversionRow[] {
  return [
    row,
    { ...row, name: `${row.name}, back`, from: row.to, to: row.from, input: row.expected, expected: row.input },
  ];
}

/**
 * A test for each row: the conversion is what is expected, as Go writes the target's type, with nothing the type has no
 * field for, and the source is frozen. Kinds that are published give the same in the scheme a server has.
 */
export function testConversions(rows: readonly ConversionRow[], release: Release = newestRelease): void {
  for (const { name, kind, from, to, input, expected } of rows) {
    test(`${kind} ${from} -> ${to}: ${name}`, () => {
      const source = deepFreeze(structuredClone({ ...input, apiVersion: from, kind }));
      const wanted = wire({ ...expected, apiVersion: to, kind }, release);
      const [origin, target] = [parseGroupVersion(from), parseGroupVersion(to)];
      expect(wire(allScheme(release).convert(source, target), release)).toEqual(wanted);
      const scheme = publishedScheme(release);
      if (!scheme.isRegistered({ ...origin, kind }) || !scheme.isRegistered({ ...target, kind })) return;
      expect(wire(scheme.convert(source, target), release)).toEqual(wanted);
    });
  }
}

/** A test for each row: the defaults of its version are what is expected, and defaulting again changes nothing. */
export function testDefaults(rows: readonly DefaultRow[], release: Release = newestRelease): void {
  const scheme = allScheme(release);
  for (const { name, kind, version, input, expected } of rows) {
    test(`${kind} ${version}: ${name}`, () => {
      const defaulted = scheme.applyDefaults(structuredClone({ ...input, apiVersion: version, kind }), Date.now());
      expect(wire(defaulted, release)).toEqual(wire({ ...expected, apiVersion: version, kind }, release));
      expect(scheme.applyDefaults(structuredClone(defaulted), Date.now())).toEqual(defaulted);
    });
  }
}

/** The object's JSON as Go writes its type. Fails when it has a field that the type has not. */
export function wire(object: KubeObject, release: Release = newestRelease): unknown {
  const { schema } = allScheme(release).kindOf(object);
  const plain = JSON.parse(JSON.stringify(object)) as KubeObject;
  const decoded = decodeObject<KubeObject>(plain, schema, { mode: "Strict" });
  expect(decoded.strictErrors).toEqual([]);
  return JSON.parse(encodeObjectText(decoded.object, schema));
}
