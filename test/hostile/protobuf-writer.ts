import type { Field, Schema, StructSchema } from "../../src/machinery/schema/schema.js";
import type { Dice } from "./dice.js";
import { strangeText } from "./values.js";

const MAGIC = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** A number as a varint; a negative one takes ten bytes. */
export function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Uint8Array.from(bytes);
}

/** A field that holds bytes: a text, a message. */
export function bytesField(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([varint(BigInt(number * 8 + 2)), varint(BigInt(content.length)), content]);
}

export const numberField = (number: number, value: bigint): Uint8Array =>
  Buffer.concat([varint(BigInt(number * 8)), varint(value)]);

/** A document of Kubernetes: the magic, what it is, and its message. */
export function envelope(apiVersion: string, kind: string, message: Uint8Array): Uint8Array {
  const type = Buffer.concat([bytesField(1, Buffer.from(apiVersion)), bytesField(2, Buffer.from(kind))]);
  return Buffer.concat([MAGIC, bytesField(1, type), bytesField(2, message)]);
}

const INTEGERS = [0n, 1n, -1n, 80n, 2n ** 31n, -(2n ** 31n) - 1n, 2n ** 62n, -(2n ** 63n), 2n ** 63n - 1n];

/** A message of a kind's schema with chance in its fields. The name, of field 1 of the metadata, is `name`. */
export function messageFor(schema: StructSchema, name: string, dice: Dice): Uint8Array {
  return Buffer.concat([bytesField(1, bytesField(1, Buffer.from(name))), structFor(schema, dice, 0)]);
}

function structFor(schema: StructSchema, dice: Dice, depth: number): Uint8Array {
  if (depth > 8) return new Uint8Array();
  const parts: Uint8Array[] = [];
  for (const field of schema.fields) {
    if (depth === 0 && field.name === "metadata") continue;
    if (field.protobuf !== undefined && dice.chance(Math.max(0.08, 0.5 - depth * 0.1))) {
      parts.push(...fieldFor(field, field.protobuf, dice, depth));
    }
  }
  return Buffer.concat(parts);
}

function fieldFor({ schema }: Field, number: number, dice: Dice, depth: number): Uint8Array[] {
  if (schema.type === "list") {
    return Array.from({ length: dice.below(3) }, () => valueFor(schema.items, number, dice, depth));
  }
  if (schema.type === "map") {
    const entry = Buffer.concat([
      bytesField(1, Buffer.from(strangeText(dice))),
      valueFor(schema.values, 2, dice, depth),
    ]);
    return [bytesField(number, entry)];
  }
  return [valueFor(schema, number, dice, depth)];
}

function valueFor(schema: Schema, number: number, dice: Dice, depth: number): Uint8Array {
  if (schema.type === "struct") return bytesField(number, structFor(schema, dice, depth + 1));
  if (schema.type !== "scalar") return bytesField(number, new Uint8Array());
  switch (schema.scalar) {
    case "bool":
    case "int32":
    case "int64":
      return numberField(number, dice.pick(INTEGERS));
    case "float64":
      return Buffer.concat([varint(BigInt(number * 8 + 1)), dice.bytes(8)]);
    case "time":
    case "microTime":
    case "duration":
      return bytesField(
        number,
        Buffer.concat([numberField(1, dice.pick(INTEGERS)), numberField(2, dice.pick(INTEGERS))]),
      );
    case "quantity":
      return bytesField(number, bytesField(1, Buffer.from(dice.chance(0.5) ? "1" : strangeText(dice))));
    case "intOrString":
      return bytesField(
        number,
        Buffer.concat([
          numberField(1, dice.pick(INTEGERS)),
          numberField(2, dice.pick(INTEGERS)),
          bytesField(3, Buffer.from("50%")),
        ]),
      );
    case "any":
      return bytesField(
        number,
        bytesField(1, Buffer.from(dice.pick(["{}", "[1", "1e999", "", '{"a":1,"a":2}', "\u0000"]))),
      );
    case "string":
    case "bytes":
      return bytesField(number, Buffer.from(dice.chance(0.3) ? strangeText(dice) : "a"));
  }
}
