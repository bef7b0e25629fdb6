import { expect, test } from "vitest";
import { ProtobufError } from "../../../../src/machinery/wire/protobuf/wire-reader.js";
import {
  bigInteger,
  bytes,
  flag,
  integer,
  message,
  nested,
  nesteds,
  text,
  texts,
} from "../../../../src/server/storage/etcd/protobuf.js";

const inner = message({ n: integer(1), name: text(2) });
const outer = message({
  n: integer(1),
  big: bigInteger(2),
  yes: flag(3),
  raw: bytes(4),
  one: nested(5, inner),
  many: nesteds(6, inner),
  words: texts(300),
});

test("protobuf messages for etcd decode to what was encoded", () => {
  const whole = {
    n: 2 ** 53 - 1,
    big: -(2n ** 63n),
    yes: true,
    raw: Uint8Array.of(0, 255),
    one: { n: 0, name: "" },
    many: [
      { n: 1, name: "é" },
      { n: 300, name: "b" },
    ],
    words: ["", "x"],
  };
  expect(outer.decode(outer.encode(whole))).toEqual(whole);
});

test("missing fields of etcd's messages are empty, and unknown ones are skipped", () => {
  const empty = { n: 0, big: 0n, yes: false, raw: new Uint8Array(), one: undefined, many: [], words: [] };
  expect(outer.decode(new Uint8Array())).toEqual(empty);
  // Fields 7 to 10: a varint, eight bytes, two bytes with their length, four bytes.
  const unknown = [0x38, 0x96, 0x01, 0x41, 0, 0, 0, 0, 0, 0, 0, 0, 0x4a, 2, 1, 2, 0x55, 0, 0, 0, 0];
  expect(outer.decode(Uint8Array.from([...unknown, 0x18, 1]))).toEqual({ ...empty, yes: true });
});

test("an int64 of -1 takes ten bytes in etcd's messages, as the id of no watch", () => {
  const minusOne = [0x08, ...Array.from({ length: 9 }, () => 0xff), 0x01];
  expect(inner.decode(Uint8Array.from(minusOne)).n).toBe(-1);
});

test("a truncated message of etcd is an error", () => {
  const whole = outer.encode({ one: { n: 300, name: "abc" } });
  for (let length = 1; length < whole.length; length++) {
    expect(() => outer.decode(whole.subarray(0, length))).toThrow(ProtobufError);
  }
});
