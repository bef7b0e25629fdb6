import { expect, test } from "vitest";
import { forkRandom, isReproducible, systemRandom } from "../../../src/base/numbers/random.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("a seeded random source returns the same bytes for the same seed, and others for another seed", () => {
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

test("changing bytes that a seeded random source returned does not change its later bytes", () => {
  const random = seededRandom("a");
  random.bytes(16).fill(0);
  const other = seededRandom("a");
  other.bytes(16);
  expect(hex(random.bytes(16))).toBe(hex(other.bytes(16)));
});

test("a seeded part of a random source is repeatable, and does not change the bytes of the whole", () => {
  const [one, two] = [seededRandom("a"), seededRandom("a")];
  const part = forkRandom(one, "nodes");
  const bytes = hex(part.bytes(100));
  expect(hex(one.bytes(16))).toBe(hex(two.bytes(16)));
  expect(hex(forkRandom(two, "nodes").bytes(100))).toBe(bytes);
  expect(hex(forkRandom(two, "requests").bytes(100))).not.toBe(bytes);
});

test("the system's randomness never repeats, nor does a part of a source that cannot be split", () => {
  expect([isReproducible(systemRandom), isReproducible(seededRandom("a"))]).toEqual([false, true]);
  expect(forkRandom(systemRandom, "nodes")).toBe(systemRandom);
  expect(forkRandom({ bytes: () => new Uint8Array() }, "nodes")).toBe(systemRandom);
});
