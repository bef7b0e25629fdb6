import type { Expr } from "../ast.js";
import type { FunctionDeclaration, Library } from "../functions/declaration.js";
import { OPERATOR } from "../operators.js";
import { ACCUMULATOR, type MacroBuilder } from "../parser/expr-factory.js";
import {
  expandAll,
  expandExists,
  expandExistsOne,
  type Macro,
  MacroError,
  type Quantifier,
  variableName,
} from "../parser/macros.js";
import { mapType, typeParameter } from "../types/type.js";
import { EntryMap, GrowingMap, type MapValue } from "../values/map.js";
import { ErrorValue, type Value } from "../values/value.js";

/** Adds an entry to the map that a comprehension gathers; the function's name can be written in no expression. */
const MAP_INSERT = "cel.@mapInsert";

const MAP = mapType(typeParameter("K"), typeParameter("V"));

function insert(map: MapValue, entries: Iterable<readonly [Value, Value]>): Value {
  const grown = map instanceof GrowingMap ? map : copyOf(map);
  for (const [key, value] of entries) {
    if (grown.has(key)) return new ErrorValue(`insert failed: key ${String(key)} already exists`);
    const error = grown.insert(key, value);
    if (error !== undefined) return error;
  }
  return grown;
}

function* entriesOf(map: MapValue): Iterable<readonly [Value, Value]> {
  for (const key of map.keys()) yield [key, map.get(key) as Value];
}

function copyOf(map: MapValue): EntryMap {
  return EntryMap.of(entriesOf(map));
}

const FUNCTIONS: readonly FunctionDeclaration[] = [
  {
    name: MAP_INSERT,
    overloads: [
      {
        id: "@mapInsert_map_key_value",
        args: [MAP, typeParameter("K"), typeParameter("V")],
        result: MAP,
        call: (map: MapValue, key: Value, value: Value) => insert(map, [[key, value]]),
      },
      {
        id: "@mapInsert_map_map",
        args: [MAP, MAP],
        result: MAP,
        call: (map: MapValue, added: MapValue) => insert(map, entriesOf(added)),
      },
    ],
  },
];

function twoVariables(args: readonly Expr[]): readonly [string, string] {
  const message = "argument must be a simple name";
  const [first, second] = [variableName(args[0], message), variableName(args[1], message)];
  if (first === second) throw new MacroError(`duplicate variable name: ${first}`, args[1]);
  return [first, second];
}

function quantifier(name: string, expand: (build: MacroBuilder, parts: Quantifier) => Expr): Macro {
  return {
    name,
    argCount: 3,
    member: true,
    expand(build, range, args) {
      const [variable, variable2] = twoVariables(args);
      return expand(build, { range, variable, variable2, predicate: args[2] as Expr });
    },
  };
}

/** Of each element or entry that a filter accepts, if there is one, `grow` adds something to what is gathered. */
function transform(
  name: string,
  init: (build: MacroBuilder) => Expr,
  grow: (build: MacroBuilder, key: string, transformed: Expr) => Expr,
): Macro[] {
  return [3, 4].map((argCount) => ({
    name,
    argCount,
    member: true,
    expand(build, range, args) {
      const [variable, variable2] = twoVariables(args);
      const filter = argCount === 4 ? args[2] : undefined;
      const grown = grow(build, variable, args[argCount - 1] as Expr);
      return build.comprehension({
        range,
        variable,
        variable2,
        accumulator: ACCUMULATOR,
        init: init(build),
        condition: build.literal(true),
        step: filter === undefined ? grown : build.call(OPERATOR.conditional, filter, grown, build.accumulator()),
        result: build.accumulator(),
      });
    },
  }));
}

/** Comprehensions with two variables, of index and element or of key and value: `map.all(k, v, ...)`, `transformMap`. */
export const TWO_VARIABLE_COMPREHENSIONS: Library = {
  functions: FUNCTIONS,
  macros: [
    quantifier("all", expandAll),
    quantifier("exists", expandExists),
    quantifier("existsOne", expandExistsOne),
    quantifier("exists_one", expandExistsOne),
    ...transform(
      "transformList",
      (build) => build.list(),
      (build, _key, value) => build.call(OPERATOR.add, build.accumulator(), build.list(value)),
    ),
    ...transform(
      "transformMap",
      (build) => build.map(),
      (build, key, value) => build.call(MAP_INSERT, build.accumulator(), build.ident(key), value),
    ),
    ...transform(
      "transformMapEntry",
      (build) => build.map(),
      (build, _key, entry) => build.call(MAP_INSERT, build.accumulator(), entry),
    ),
  ],
};
