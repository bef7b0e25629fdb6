import type { FunctionDeclaration } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { BOOL, INT, listType, mapType, optionalType, typeParameter } from "../types/type.js";
import type { ListValue } from "../values/list.js";
import { isMapKey, type MapValue } from "../values/map.js";
import { NO_SUCH_OVERLOAD, type Value } from "../values/value.js";

const A = typeParameter("A");
const B = typeParameter("B");

/** Only declared: the planner evaluates them itself. */
const planned = (): Value => NO_SUCH_OVERLOAD;

export const LOGIC: readonly FunctionDeclaration[] = [
  {
    name: OPERATOR.conditional,
    overloads: [{ id: "conditional", args: [BOOL, A, A], result: A, call: planned }],
  },
  { name: OPERATOR.and, overloads: [{ id: "logical_and", args: [BOOL, BOOL], result: BOOL, call: planned }] },
  { name: OPERATOR.or, overloads: [{ id: "logical_or", args: [BOOL, BOOL], result: BOOL, call: planned }] },
  { name: OPERATOR.equals, overloads: [{ id: "equals", args: [A, A], result: BOOL, call: planned }] },
  { name: OPERATOR.notEquals, overloads: [{ id: "not_equals", args: [A, A], result: BOOL, call: planned }] },
  {
    name: OPERATOR.index,
    overloads: [
      { id: "index_list", args: [listType(A), INT], result: A, call: planned },
      { id: "index_map", args: [mapType(A, B), A], result: B, call: planned },
    ],
  },
  { name: OPERATOR.not, overloads: [{ id: "logical_not", args: [BOOL], result: BOOL, call: (a: boolean) => !a }] },
  {
    name: OPERATOR.notStrictlyFalse,
    overloads: [
      {
        id: "not_strictly_false",
        args: [BOOL],
        result: BOOL,
        nonStrict: true,
        call: (a: Value) => a !== false,
      },
    ],
  },
  {
    name: OPERATOR.in,
    overloads: [
      { id: "in_list", args: [A, listType(A)], result: BOOL, call: (a: Value, list: ListValue) => list.contains(a) },
      {
        id: "in_map",
        args: [A, mapType(A, B)],
        result: BOOL,
        call: (key: Value, map: MapValue) => isMapKey(key) && map.has(key),
      },
    ],
  },
];

/** The operators that optional types add. */
export const OPTIONAL_INDEXING: readonly FunctionDeclaration[] = [
  {
    name: OPERATOR.index,
    overloads: [
      { id: "optional_list_index_int", args: [optionalType(listType(A)), INT], result: optionalType(A), call: planned },
      {
        id: "optional_map_index_value",
        args: [optionalType(mapType(A, B)), A],
        result: optionalType(B),
        call: planned,
      },
    ],
  },
  {
    name: OPERATOR.optionalIndex,
    overloads: [
      { id: "list_optindex_optional_int", args: [listType(A), INT], result: optionalType(A), call: planned },
      {
        id: "optional_list_optindex_optional_int",
        args: [optionalType(listType(A)), INT],
        result: optionalType(A),
        call: planned,
      },
      { id: "map_optindex_optional_value", args: [mapType(A, B), A], result: optionalType(B), call: planned },
      {
        id: "optional_map_optindex_optional_value",
        args: [optionalType(mapType(A, B)), A],
        result: optionalType(B),
        call: planned,
      },
    ],
  },
];
