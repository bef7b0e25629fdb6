import type {
  Ast,
  CallExpr,
  CheckedAst,
  ComprehensionExpr,
  Expr,
  ListExpr,
  MapExpr,
  Reference,
  SelectExpr,
  StructExpr,
} from "../ast.js";
import type { FunctionDeclaration, VariableDeclaration } from "../functions/declaration.js";
import type { Issues } from "../issues.js";
import { OPERATOR } from "../operators.js";
import { isAssignable, isDyn, isDynOrError, mostGeneral, Substitution } from "../types/assignable.js";
import {
  BOOL,
  DYN,
  ERROR,
  formatSignature,
  INT,
  listType,
  mapType,
  optionalType,
  type Type,
  typeParameter,
} from "../types/type.js";
import { typeOf } from "../values/value.js";
import {
  candidateNames,
  type Declarations,
  findFunction,
  findGlobal,
  qualifiedName,
  resolveOverloads,
} from "./declarations.js";

/** The variables that comprehensions declare, innermost last. */
class Scopes {
  readonly #scopes: Map<string, VariableDeclaration>[] = [];

  enter(): void {
    this.#scopes.push(new Map());
  }

  exit(): void {
    this.#scopes.pop();
  }

  declare(variable: VariableDeclaration): void {
    this.#scopes.at(-1)?.set(variable.name, variable);
  }

  find(name: string): VariableDeclaration | undefined {
    for (const scope of this.#scopes.toReversed()) {
      const found = scope.get(name);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** Finds the types of all nodes, and the meanings of their names; errors go to `issues`. */
export function check(ast: Ast, declarations: Declarations, issues: Issues): CheckedAst {
  return new Checker(ast, declarations, issues).run();
}

class Checker {
  readonly #ast: Ast;
  readonly #declarations: Declarations;
  readonly #issues: Issues;
  readonly #types = new Map<number, Type>();
  readonly #references = new Map<number, Reference>();
  readonly #scopes = new Scopes();
  readonly #known = new Substitution();
  #freeTypes = 0;

  constructor(ast: Ast, declarations: Declarations, issues: Issues) {
    this.#ast = ast;
    this.#declarations = declarations;
    this.#issues = issues;
  }

  run(): CheckedAst {
    const { root } = this.#ast;
    this.#check(root);
    const types = new Map<number, Type>();
    for (const [id, type] of this.#types) types.set(id, this.#known.apply(type, true));
    return { ...this.#ast, types, references: this.#references, type: types.get(root.id) ?? DYN };
  }

  /** Checks a node, and answers its type. */
  #check(node: Expr): Type {
    const type = this.#typeOf(node);
    this.#types.set(node.id, type);
    return type;
  }

  #typeOf(node: Expr): Type {
    switch (node.kind) {
      case "literal":
        return typeOf(node.value);
      case "ident":
        return this.#ident(node.id, node.name);
      case "select":
        return this.#select(node);
      case "call":
        return this.#call(node);
      case "list":
        return this.#list(node);
      case "map":
        return this.#map(node);
      case "struct":
        return this.#struct(node);
      case "comprehension":
        return this.#comprehension(node);
      case "invalid":
        return ERROR;
    }
  }

  #report(node: { readonly id: number }, message: string): void {
    this.#issues.report(this.#ast.positions.get(node.id), message);
  }

  #undeclared(node: Expr, name: string): Type {
    this.#report(node, `undeclared reference to '${name}' (in container '${this.#declarations.container}')`);
    return ERROR;
  }

  #ident(id: number, name: string): Type {
    const local = name.startsWith(".") ? undefined : this.#scopes.find(name);
    if (local !== undefined) {
      this.#references.set(id, { kind: "ident", name });
      return local.type;
    }
    return this.#global(id, name) ?? this.#undeclared({ kind: "ident", id, name }, name);
  }

  /** The type of a variable, type or constant outside of the expression. A comprehension's variable of that name hides it only without the dot. */
  #global(id: number, name: string): Type | undefined {
    const found = findGlobal(this.#declarations, name);
    if (found === undefined) return undefined;
    const hidden = this.#scopes.find(found.name.split(".")[0] ?? "") !== undefined;
    const reference = { kind: "ident", name: hidden ? `.${found.name}` : found.name } as const;
    this.#references.set(id, found.value === undefined ? reference : { ...reference, value: found.value });
    return found.type;
  }

  #select(node: SelectExpr): Type {
    const name = node.testOnly ? undefined : qualifiedName(node);
    if (name !== undefined && this.#scopes.find(name.split(".")[0] ?? "") === undefined) {
      const type = this.#global(node.id, name);
      if (type !== undefined) return type;
    }
    const type = this.#field(node, node.operand, node.field, false);
    return node.testOnly ? BOOL : this.#known.apply(type);
  }

  #optionalSelect(node: CallExpr): Type {
    const [operand, field] = node.args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string") {
      this.#report(node, "unsupported optional field selection: incorrect signature.");
      return ERROR;
    }
    this.#references.set(node.id, { kind: "function", overloads: ["select_optional_field"] });
    return this.#known.apply(this.#field(node, operand, field.value, true));
  }

  #field(node: Expr, operand: Expr, field: string, optional: boolean): Type {
    const operandType = this.#known.apply(this.#check(operand));
    const target = operandType.isOptional ? operandType.parameter(0) : operandType;
    const result = this.#fieldOf(node, target, field);
    return operandType.isOptional || optional ? optionalType(result) : result;
  }

  #fieldOf(node: Expr, target: Type, field: string): Type {
    if (target.kind === "map") return target.parameter(1);
    if (target.kind === "struct") return this.#declaredField(node, target.name, field);
    if (target.kind === "typeParam") this.#unify(DYN, target);
    else if (!isDynOrError(target)) this.#report(node, `type '${target}' does not support field selection`);
    return DYN;
  }

  #declaredField(node: { readonly id: number }, typeName: string, field: string): Type {
    const { types } = this.#declarations;
    const declaration = types.findField(typeName, field);
    if (declaration !== undefined) return declaration.type;
    const missing = types.findType(typeName) === undefined;
    this.#report(node, missing ? `unexpected failed resolution of '${typeName}'` : `undefined field '${field}'`);
    return ERROR;
  }

  #call(node: CallExpr): Type {
    if (node.name === OPERATOR.optionalSelect) return this.#optionalSelect(node);
    const argTypes = node.args.map((arg) => this.#check(arg));
    const { target } = node;
    if (target === undefined) {
      const declared = findFunction(this.#declarations, node.name);
      return declared === undefined
        ? this.#undeclared(node, node.name)
        : this.#resolve(node, declared, argTypes, false);
    }
    const prefix = qualifiedName(target);
    const namespaced = prefix === undefined ? undefined : findFunction(this.#declarations, `${prefix}.${node.name}`);
    if (namespaced !== undefined) return this.#resolve(node, namespaced, argTypes, false);
    const targetType = this.#check(target);
    const declared = findFunction(this.#declarations, node.name);
    if (declared === undefined) return this.#undeclared(node, node.name);
    return this.#resolve(node, declared, [targetType, ...argTypes], true);
  }

  #resolve(node: CallExpr, declared: FunctionDeclaration, types: readonly Type[], member: boolean): Type {
    if (declared.name === OPERATOR.and || declared.name === OPERATOR.or) return this.#logic(node, declared, types);
    const found = resolveOverloads(declared, types, member, this.#known, () => this.#freeType());
    if (found === undefined) {
      const actual = types.map((type) => this.#known.apply(type, true));
      const signature = formatSignature(actual, undefined, member);
      this.#report(node, `found no matching overload for '${declared.name}' applied to '${signature}'`);
      return ERROR;
    }
    this.#references.set(node.id, { kind: "function", overloads: found.ids });
    return found.result;
  }

  #logic(node: CallExpr, declared: FunctionDeclaration, types: readonly Type[]): Type {
    let fits = true;
    for (const [index, type] of types.entries()) {
      if (this.#unify(type, BOOL)) continue;
      this.#mismatch(node.args[index] as Expr, BOOL, type);
      fits = false;
    }
    this.#references.set(node.id, { kind: "function", overloads: declared.overloads.map(({ id }) => id) });
    return fits ? BOOL : ERROR;
  }

  #mismatch(node: { readonly id: number }, expected: Type, actual: Type): void {
    this.#report(node, `expected type '${expected}' but found '${actual}'`);
  }

  #unify(a: Type, b: Type): boolean {
    return this.#known.attempt(() => isAssignable(this.#known, a, b));
  }

  #freeType(): Type {
    return typeParameter(`_var${this.#freeTypes++}`);
  }

  /** The type of what is there only if it has a value: `[?x]`. */
  #unwrapped(node: Expr, type: Type): Type {
    if (type.isOptional) return type.parameter(0);
    if (!isDyn(type)) this.#mismatch(node, optionalType(type), type);
    return type;
  }

  /** The common type of elements: the more general of two that unify, else `dyn`. */
  #join(previous: Type | undefined, current: Type): Type {
    if (previous === undefined) return current;
    return this.#unify(previous, current) ? mostGeneral(previous, current) : DYN;
  }

  #list(node: ListExpr): Type {
    let joined: Type | undefined;
    for (const [index, element] of node.elements.entries()) {
      const type = this.#check(element);
      joined = this.#join(joined, node.optional.has(index) ? this.#unwrapped(element, type) : type);
    }
    return listType(joined ?? this.#freeType());
  }

  #map(node: MapExpr): Type {
    let keys: Type | undefined;
    let values: Type | undefined;
    for (const { key, value, optional } of node.entries) {
      keys = this.#join(keys, this.#check(key));
      const type = this.#check(value);
      values = this.#join(values, optional ? this.#unwrapped(value, type) : type);
    }
    return mapType(keys ?? this.#freeType(), values ?? this.#freeType());
  }

  #struct(node: StructExpr): Type {
    const { types, container } = this.#declarations;
    const name = candidateNames(container, node.typeName).find((candidate) => types.findType(candidate) !== undefined);
    const type = name === undefined ? undefined : types.findType(name);
    if (name === undefined || type === undefined) return this.#undeclared(node, node.typeName);
    this.#references.set(node.id, { kind: "ident", name });
    for (const entry of node.fields) {
      const fieldType = this.#declaredField(entry, name, entry.field);
      const checked = this.#check(entry.value);
      const valueType = entry.optional ? this.#unwrapped(entry.value, checked) : checked;
      if (this.#unify(fieldType, valueType)) continue;
      this.#report(
        entry,
        `expected type of field '${entry.field}' is '${fieldType}' but provided type is '${valueType}'`,
      );
    }
    return type;
  }

  #comprehension(node: ComprehensionExpr): Type {
    this.#check(node.range);
    const accumulated = this.#check(node.init);
    const range = this.#known.apply(this.#types.get(node.range.id) ?? DYN);
    this.#scopes.enter();
    this.#scopes.declare({ name: node.accumulator, type: accumulated });
    this.#scopes.enter();
    const [first, second] = this.#variableTypes(node, range);
    this.#scopes.declare({ name: node.variable, type: first });
    if (node.variable2 !== undefined) this.#scopes.declare({ name: node.variable2, type: second });
    this.#expectType(node.condition, BOOL);
    this.#expectType(node.step, accumulated);
    this.#scopes.exit();
    const result = this.#check(node.result);
    this.#scopes.exit();
    return this.#known.apply(result);
  }

  /** The types of the variables of a loop over a range of this type. */
  #variableTypes(node: ComprehensionExpr, range: Type): readonly [Type, Type] {
    if (range.kind === "list") {
      return node.variable2 === undefined ? [range.parameter(0), DYN] : [INT, range.parameter(0)];
    }
    if (range.kind === "map") return [range.parameter(0), range.parameter(1)];
    if (isDynOrError(range) || range.kind === "typeParam") {
      this.#unify(DYN, range);
      return [DYN, DYN];
    }
    const allowed = "must be list, map, or dynamic";
    this.#report(node.range, `expression of type '${range}' cannot be range of a comprehension (${allowed})`);
    return [ERROR, ERROR];
  }

  #expectType(node: Expr, expected: Type): void {
    const actual = this.#check(node);
    if (!this.#unify(expected, actual)) this.#mismatch(node, expected, actual);
  }
}
