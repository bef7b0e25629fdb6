import {
  ConstantError,
  type Implementation,
  type Library,
  memberOverload,
  type Overload,
} from "../functions/declaration.js";
import { Pattern, PatternError } from "../standard/pattern.js";
import { INT, listType, STRING, type Type } from "../types/type.js";
import { ArrayList } from "../values/list.js";
import { ErrorValue, NO_SUCH_OVERLOAD, type Value } from "../values/value.js";

type Int = number | bigint;

function find(pattern: Pattern, text: string): Value {
  return pattern.findAll(text, 1)[0] ?? "";
}

/** Fewer than 0 is all. */
function findAll(pattern: Pattern, text: string, limit: Int = -1): Value {
  return new ArrayList(pattern.findAll(text, limit < 0 ? Number.POSITIVE_INFINITY : Number(limit)));
}

/** An overload of a text and a pattern. A pattern that is written in the expression is compiled with it, and refused with it. */
function ofPattern(
  id: string,
  more: readonly Type[],
  result: Type,
  apply: (pattern: Pattern, text: string, limit?: Int) => Value,
): Overload {
  const call = (text: string, source: string, limit?: Int): Value => {
    try {
      return apply(new Pattern(source), text, limit);
    } catch (error) {
      if (error instanceof PatternError) return new ErrorValue(`Illegal regex: ${error.message}`);
      throw error;
    }
  };
  return { ...memberOverload(id, [STRING, STRING, ...more], result, call), specialize: compiled(apply) };
}

function compiled(apply: (pattern: Pattern, text: string, limit?: Int) => Value) {
  return ([, source]: readonly (Value | undefined)[]): Implementation | undefined => {
    if (typeof source !== "string") return undefined;
    try {
      const pattern = new Pattern(source);
      return (text: Value, _source: string, limit?: Int): Value =>
        typeof text === "string" ? apply(pattern, text, limit) : NO_SUCH_OVERLOAD;
    } catch (error) {
      throw error instanceof PatternError ? new ConstantError(error.message) : error;
    }
  };
}

const STRINGS = listType(STRING);

/** Kubernetes' functions of patterns: `text.find(pattern)` and `text.findAll(pattern, limit)`. Source: apiserver's cel/library. */
export const REGEX: Library = {
  functions: [
    { name: "find", overloads: [ofPattern("string_find_string", [], STRING, find)] },
    {
      name: "findAll",
      overloads: [
        ofPattern("string_find_all_string", [], STRINGS, findAll),
        ofPattern("string_find_all_string_int", [INT], STRINGS, findAll),
      ],
    },
  ],
};
