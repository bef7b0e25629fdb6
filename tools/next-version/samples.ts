import type { Schema, StructSchema } from "../../src/machinery/schema/schema.js";

/** So deep are samples: a struct may contain itself. */
const DEEPEST = 3;

/** A value of a type; values of different `n` differ where the type has more than one. */
export function sampleOf(schema: Schema, n = 0, depth = 0): unknown {
  switch (schema.type) {
    case "list":
      return [sampleOf(schema.items, n, depth)];
    case "map":
      return { [`k${n}`]: sampleOf(schema.values, n, depth) };
    case "struct":
      return sampleOfStruct(schema, n, depth + 1);
    case "scalar":
      return schema.enum === undefined ? sampleOfScalar(schema.scalar, n) : schema.enum[n % schema.enum.length];
  }
}

/** One field is set, a plain one where there is any. Of fields that can only be set or not, as in a union, `n` chooses one. */
function sampleOfStruct({ fields }: StructSchema, n: number, depth: number): unknown {
  const plain = fields.filter(({ schema }) => schema.type === "scalar");
  const first = plain.find(({ required }) => required) ?? plain[0] ?? fields[0];
  if (first === undefined || depth > DEEPEST) return {};
  const of = (index: number): unknown => sampleOf(first.schema, index, depth);
  if (JSON.stringify(of(n)) !== JSON.stringify(of(n + 1))) return { [first.name]: of(n) };
  const chosen = fields[n % fields.length] ?? first;
  return { [chosen.name]: sampleOf(chosen.schema, n, depth) };
}

function sampleOfScalar(scalar: string, n: number): unknown {
  switch (scalar) {
    case "bool":
      return n % 2 === 0;
    case "int32":
    case "int64":
    case "float64":
    case "intOrString":
      return n + 1;
    case "quantity":
      return String(n + 1);
    case "time":
    case "microTime":
      return `2026-01-01T00:00:0${n}Z`;
    case "duration":
      return `${n + 1}s`;
    case "bytes":
      return Buffer.from(`a${n}`).toString("base64");
    case "any":
      return { a: n };
    default:
      return `a${n}`;
  }
}
