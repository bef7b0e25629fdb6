import type { Field, StructSchema } from "../../schema/schema.js";

/** Finds a type by its OpenAPI name, for the few free-form types that hold another. */
export type StructLookup = (definition: string) => StructSchema | undefined;

/** The fields of a message by number; an inlined struct is a message of its own. */
export interface Numbers {
  readonly fields: ReadonlyMap<number, Field>;
  readonly inlined: ReadonlyMap<number, Numbers>;
}

const numbersOf = new WeakMap<StructSchema, Numbers>();

/** The fields of a message type by their numbers. */
export function numbered(schema: StructSchema): Numbers {
  let numbers = numbersOf.get(schema);
  if (numbers === undefined) {
    // TypeMeta is not part of the message: the envelope says what it is.
    numbers = collect(
      schema.fields.filter(({ inlinedIn }) => inlinedIn !== "TypeMeta"),
      0,
    );
    numbersOf.set(schema, numbers);
  }
  return numbers;
}

function collect(all: readonly Field[], depth: number): Numbers {
  const fields = new Map<number, Field>();
  const groups = new Map<number, Field[]>();
  for (const field of all) {
    const outer = field.protobufInline?.[depth];
    if (outer !== undefined) groups.set(outer, [...(groups.get(outer) ?? []), field]);
    else if (field.protobuf !== undefined) fields.set(field.protobuf, field);
  }
  return { fields, inlined: new Map([...groups].map(([number, group]) => [number, collect(group, depth + 1)])) };
}
