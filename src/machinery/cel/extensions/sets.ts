import { ONE, product, scaled, sum } from "../estimate/call-estimate.js";
import { sizeOf } from "../evaluator/cost.js";
import type { FunctionDeclaration, Library } from "../functions/declaration.js";
import { BOOL, listType, typeParameter } from "../types/type.js";
import type { ListValue } from "../values/list.js";

const LIST = listType(typeParameter("T"));

function contains(list: ListValue, part: ListValue): boolean {
  for (let index = 0; index < part.size; index++) if (!list.contains(part.at(index))) return false;
  return true;
}

function intersects(a: ListValue, b: ListValue): boolean {
  for (let index = 0; index < a.size; index++) if (b.contains(a.at(index))) return true;
  return false;
}

function setFunction(name: string, factor: number, call: (a: ListValue, b: ListValue) => boolean): FunctionDeclaration {
  return {
    name: `sets.${name}`,
    overloads: [
      {
        id: `list_sets_${name}_list`,
        args: [LIST, LIST],
        result: BOOL,
        call,
        cost: ([a, b]) => 1 + sizeOf(a) * sizeOf(b) * factor,
        estimate: ({ args: [a, b], sizeOf: sizeAtMost }) => ({
          cost: sum(ONE, scaled(product(sizeAtMost(a), sizeAtMost(b)), factor)),
        }),
      },
    ],
  };
}

/** Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`. */
export const SETS: Library = {
  functions: [
    setFunction("contains", 1, contains),
    setFunction("equivalent", 2, (a, b) => contains(a, b) && contains(b, a)),
    setFunction("intersects", 1, intersects),
  ],
};
