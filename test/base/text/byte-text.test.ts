import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLength, byteSlice, bytesOf, joined, textOf } from "../../../src/base/text/byte-text.js";

describe("a JavaScript string that holds bytes which may not be UTF-8", () => {
  it("holds any bytes and gives them back", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(Array.from(bytesOf(textOf(bytes)))).toEqual(Array.from(bytes));
      }),
    );
  });

  it("holds valid UTF-8 as ordinary text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(textOf(bytesOf(text))).toBe(text);
        expect(byteLength(text)).toBe(Buffer.byteLength(text));
      }),
    );
  });

  it.each([
    ["truncated", [0xe6, 0x97], "\udce6\udc97"],
    ["no first byte", [0x61, 0x80, 0x62], "a\udc80b"],
    ["a surrogate in UTF-8", [0xed, 0xa0, 0x80], "\udced\udca0\udc80"],
    ["longer than it must be", [0xc0, 0xaf], "\udcc0\udcaf"],
    ["a character between bytes", [0xff, 0xc3, 0xa9, 0xfe], "\udcffé\udcfe"],
  ])("keeps bytes that are not UTF-8 as lone surrogates: %s", (_name, bytes, text) => {
    expect(textOf(Uint8Array.from(bytes))).toBe(text);
  });

  it("can be cut between bytes and joined again", () => {
    expect(byteSlice("é", 0, 1)).toBe("\udcc3");
    expect(joined(byteSlice("aé", 0, 2) + byteSlice("aé", 2, 3))).toBe("aé");
  });
});
