import { expect, test } from "vitest";
import { forkRandom, isReproducible, systemRandom } from "../../../src/base/numbers/random.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("the same seed gives the same bytes, another seed gives others", () => {
  const lengths = [16, 5, 4000, 300, 10_000, 1];
  const run = (seed: string): string[] => {
    const random = seededRandom(seed);
    return lengths.map((length) => hex(random.bytes(length)));
  };
  expect(run("a")).toEqual(run("a"));
  expect(run("a")).not.toEqual(run("b"));
  expect(run("a").map((text) => text.length / 2)).toEqual(lengths);
  expect(new Set(run("a")).size).toBe(lengths.length);
});

test("bytes that were given away are not the pool's: changing them changes no later ones", () => {
  const random = seededRandom("a");
  random.bytes(16).fill(0);
  const other = seededRandom("a");
  other.bytes(16);
  expect(hex(random.bytes(16))).toBe(hex(other.bytes(16)));
});

test("a part's source repeats, and takes nothing from the whole's", () => {
  const [one, two] = [seededRandom("a"), seededRandom("a")];
  const part = forkRandom(one, "nodes");
  const bytes = hex(part.bytes(100));
  expect(hex(one.bytes(16))).toBe(hex(two.bytes(16)));
  expect(hex(forkRandom(two, "nodes").bytes(100))).toBe(bytes);
  expect(hex(forkRandom(two, "requests").bytes(100))).not.toBe(bytes);
});

test("the system's randomness and one without parts do not repeat", () => {
  expect([isReproducible(systemRandom), isReproducible(seededRandom("a"))]).toEqual([false, true]);
  expect(forkRandom(systemRandom, "nodes")).toBe(systemRandom);
  expect(forkRandom({ bytes: () => new Uint8Array() }, "nodes")).toBe(systemRandom);
});
