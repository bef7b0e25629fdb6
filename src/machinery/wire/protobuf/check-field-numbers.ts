import type { Field, Schema, StructSchema } from "../../schema/schema.js";

const MOST = 536_870_911;
/** The numbers that protobuf keeps for itself. */
const RESERVED_FROM = 19_000;
const RESERVED_TO = 19_999;

/**
 * Returns why a kind's fields, apart from apiVersion, kind and metadata, have no protobuf form with their numbers: the field's
 * path and its fault. Undefined where no field has a number, and where all numbers are valid.
 */
export function fieldNumberProblem(content: StructSchema): string | undefined {
  if (!hasNumber(content, new Set())) return undefined;
  return problemIn(content, "", new Map([[1, "metadata"]]), new Set());
}

/** A type of Kubernetes' own, which has its numbers. */
const isKubernetes = ({ definition }: StructSchema): boolean => definition.startsWith("io.k8s.");

function hasNumber(schema: Schema, seen: Set<Schema>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  switch (schema.type) {
    case "struct":
      return (
        !isKubernetes(schema) &&
        schema.fields.some((field) => field.protobuf !== undefined || hasNumber(field.schema, seen))
      );
    case "list":
      return hasNumber(schema.items, seen);
    case "map":
      return hasNumber(schema.values, seen);
    case "scalar":
      return false;
  }
}

function problemIn(
  struct: StructSchema,
  path: string,
  taken: Map<number, string>,
  seen: Set<StructSchema>,
): string | undefined {
  if (seen.has(struct) || isKubernetes(struct)) return undefined;
  seen.add(struct);
  if (struct.preservesUnknownFields === true) {
    return `${path === "" ? "it" : path} keeps unknown fields, which protobuf cannot; declare the field as anyJson`;
  }
  for (const field of struct.fields) {
    const at = path === "" ? field.name : `${path}.${field.name}`;
    const problem = problemOf(field, at, taken) ?? nestedProblem(field.schema, at, seen);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function problemOf({ protobuf: number, name }: Field, at: string, taken: Map<number, string>): string | undefined {
  if (number === undefined) return `the field ${at} has no protobuf number, and others have`;
  if (!Number.isInteger(number) || number < 1 || number > MOST) {
    return `the field ${at} has the protobuf number ${number}, which is not from 1 to ${MOST}`;
  }
  if (number >= RESERVED_FROM && number <= RESERVED_TO) {
    return `the field ${at} has the protobuf number ${number}; protobuf reserves ${RESERVED_FROM} to ${RESERVED_TO}`;
  }
  const other = taken.get(number);
  if (other !== undefined) return `the field ${at} has the protobuf number ${number}, which is that of ${other}`;
  taken.set(number, name);
  return undefined;
}

/** Lists and maps hold scalars and structs; protobuf has no lists of lists. */
function nestedProblem(schema: Schema, at: string, seen: Set<StructSchema>): string | undefined {
  if (schema.type === "struct") return problemIn(schema, at, new Map(), seen);
  if (schema.type === "scalar") return undefined;
  const [inner, place] = schema.type === "list" ? [schema.items, `${at}[]`] : [schema.values, `${at}{}`];
  if (inner.type === "list" || inner.type === "map") {
    return `the field ${at} is a ${schema.type} of ${inner.type}s, which protobuf cannot say; put a struct between them`;
  }
  return inner.type === "struct" ? problemIn(inner, place, new Map(), seen) : undefined;
}
