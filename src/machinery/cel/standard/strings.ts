import { codePoints } from "../evaluator/cost.js";
import {
  ConstantError,
  type FunctionDeclaration,
  type Implementation,
  type Overload,
} from "../functions/declaration.js";
import { BOOL, BYTES, INT, listType, mapType, STRING, type Type, typeParameter } from "../types/type.js";
import { spendSteps } from "../values/meter.js";
import { Pattern, PatternError } from "./pattern.js";
import { CelValue, ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";

function matches(text: string, pattern: string): Value {
  try {
    return new Pattern(pattern).test(text);
  } catch (error) {
    if (error instanceof PatternError) return new ErrorValue(error.message);
    throw error;
  }
}

/** A pattern that is written in the expression is compiled with it, and refused with it. */
function constantPattern([, source]: readonly (Value | undefined)[]): Implementation | undefined {
  if (typeof source !== "string") return undefined;
  try {
    const pattern = new Pattern(source);
    return (text: Value): Value => (typeof text === "string" ? pattern.test(text) : NO_SUCH_OVERLOAD);
  } catch (error) {
    throw error instanceof PatternError ? new ConstantError(error.message) : error;
  }
}

function stringTest(name: string, id: string, test: (text: string, part: string) => boolean): FunctionDeclaration {
  const call = (text: string, part: string): Value => {
    spendSteps(text.length / 64);
    return test(text, part);
  };
  return { name, overloads: [{ id, args: [STRING, STRING], result: BOOL, member: true, call }] };
}

/** Evaluates `size` of any value that has a size. */
export function size(value: Value): Value {
  if (typeof value === "string") {
    spendSteps(value.length / 64);
    return codePoints(value);
  }
  if (value instanceof Uint8Array) return value.length;
  return (value instanceof CelValue ? value.size : undefined) ?? NO_SUCH_OVERLOAD;
}

const SIZED: readonly (readonly [string, Type])[] = [
  ["bytes", BYTES],
  ["list", listType(typeParameter("A"))],
  ["map", mapType(typeParameter("A"), typeParameter("B"))],
  ["string", STRING],
];

export const STRINGS: readonly FunctionDeclaration[] = [
  {
    name: "size",
    overloads: SIZED.flatMap(([name, type]): Overload[] => [
      { id: `size_${name}`, args: [type], result: INT, call: size },
      { id: `${name}_size`, args: [type], result: INT, member: true, call: size },
    ]),
  },
  stringTest("contains", "contains_string", (text, part) => text.includes(part)),
  stringTest("endsWith", "ends_with_string", (text, part) => text.endsWith(part)),
  stringTest("startsWith", "starts_with_string", (text, part) => text.startsWith(part)),
  {
    name: "matches",
    overloads: [
      { id: "matches", args: [STRING, STRING], result: BOOL, call: matches, specialize: constantPattern },
      {
        id: "matches_string",
        args: [STRING, STRING],
        result: BOOL,
        member: true,
        call: matches,
        specialize: constantPattern,
      },
    ],
  },
];
