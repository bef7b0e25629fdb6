import type { Expr, ListExpr, MapExpr } from "../ast.js";
import { DYN, type Type } from "../types/type.js";
import { childrenOf } from "../walk.js";
import type { Validator } from "./validators.js";

/** Functions whose literal lists hold what they like: '%d %s'.format([1, 'a']). */
const EXEMPT: ReadonlySet<string> = new Set(["format"]);

/** Refuses lists whose elements, and maps whose keys or values, are of several types. Source: cel-go's ValidateHomogeneousAggregateLiterals. */
export const HOMOGENEOUS_LITERALS: Validator = (ast, report) => {
  const typeOf = (node: Expr, optional: boolean): Type => {
    const type = ast.types.get(node.id) ?? DYN;
    return optional ? type.parameter(0) : type;
  };
  const judge = (node: Expr): void => {
    if (node.kind === "call" && EXEMPT.has(node.name)) return;
    if (node.kind === "list") judgeList(node, typeOf, report);
    if (node.kind === "map") judgeMap(node, typeOf, report);
    for (const inner of childrenOf(node)) judge(inner);
  };
  judge(ast.root);
};

type TypeOf = (node: Expr, optional: boolean) => Type;
type Report = Parameters<Validator>[1];

function judgeList(node: ListExpr, typeOf: TypeOf, report: Report): void {
  let first: Type | undefined;
  for (const [index, element] of node.elements.entries()) {
    const type = typeOf(element, node.optional.has(index));
    first ??= type;
    if (isSame(first, type)) continue;
    report(element, mismatch(first, type));
    return;
  }
}

function judgeMap(node: MapExpr, typeOf: TypeOf, report: Report): void {
  const [first, ...rest] = node.entries;
  if (first === undefined) return;
  const [keys, values] = [typeOf(first.key, false), typeOf(first.value, first.optional)];
  for (const { key, value, optional } of rest) {
    const [keyType, valueType] = [typeOf(key, false), typeOf(value, optional)];
    if (!isSame(keys, keyType)) report(key, mismatch(keys, keyType));
    if (!isSame(values, valueType)) report(value, mismatch(values, valueType));
  }
}

const mismatch = (expected: Type, actual: Type): string => `expected type '${expected}' but found '${actual}'`;

/** Whether two types are the same, whatever their type parameters are called. */
function isSame(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.parameters.length !== b.parameters.length) return false;
  if (a.kind !== "typeParam" && a.name !== b.name) return false;
  return a.parameters.every((parameter, index) => isSame(parameter, b.parameter(index)));
}
