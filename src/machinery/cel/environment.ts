import type { Ast, CheckedAst, Expr } from "./ast.js";
import { check } from "./checker/checker.js";
import type { Declarations } from "./checker/declarations.js";
import { HOMOGENEOUS_LITERALS, type Validator } from "./checker/validators.js";
import type { FunctionDeclaration, Library, VariableDeclaration } from "./functions/declaration.js";
import { Issues, SourceText } from "./issues.js";
import { parse, type Syntax } from "./parser/parser.js";
import type { Macro } from "./parser/macros.js";
import { Program, type ProgramOptions } from "./program.js";
import { STANDARD_LIBRARY } from "./standard/library.js";
import { combineProviders, type TypeProvider } from "./types/provider.js";
import { WELL_KNOWN_TYPES } from "./types/well-known.js";

/** The parts from which an environment is made or extended. */
export interface EnvironmentOptions {
  /** The namespace of expressions; names within it need not be written in full. */
  readonly container?: string;
  readonly variables?: readonly VariableDeclaration[];
  /** Added in order; overloads of a function that is known already are added to it. */
  readonly libraries?: readonly Library[];
  /** Asked before the providers that the environment has already. */
  readonly types?: TypeProvider;
  /** Whether a list's elements, and a map's keys and values, must be of one type each, but in the arguments of `format`. */
  readonly homogeneousLiterals?: boolean;
  /** Whether names of fields may be written in backquotes: x.`a-b`. */
  readonly quotedFields?: boolean;
  /** Run on expressions that are typed right; added to those that the environment has. */
  readonly validators?: readonly Validator[];
}

/** A compiled expression, or its issues. */
export type Compiled<T> =
  | { readonly ast: T; readonly issues: undefined }
  | { readonly ast: undefined; readonly issues: Issues };

/** The names that expressions may use: variables, functions, macros and types. It is immutable. */
export class Environment implements Declarations, Syntax {
  readonly container: string;
  readonly variables: ReadonlyMap<string, VariableDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly types: TypeProvider;
  readonly quotedFields: boolean;
  readonly #macros: ReadonlyMap<string, Macro>;
  readonly #validators: readonly Validator[];

  private constructor(base: Environment | undefined, options: EnvironmentOptions) {
    const libraries = options.libraries ?? [];
    this.container = options.container ?? base?.container ?? "";
    this.#validators = [
      ...(base === undefined ? [] : base.#validators),
      ...(options.validators ?? []),
      ...(options.homogeneousLiterals === true ? [HOMOGENEOUS_LITERALS] : []),
    ];
    this.quotedFields = options.quotedFields ?? base?.quotedFields ?? false;
    this.types =
      options.types === undefined
        ? (base?.types ?? WELL_KNOWN_TYPES)
        : combineProviders([options.types, ...(base === undefined ? [] : [base.types])]);
    this.variables = new Map([
      ...(base?.variables ?? []),
      ...[...libraries.flatMap(({ variables = [] }) => variables), ...(options.variables ?? [])].map(
        (variable) => [variable.name, variable] as const,
      ),
    ]);
    this.functions = mergeFunctions(
      base?.functions,
      libraries.flatMap(({ functions = [] }) => functions),
    );
    this.#macros = new Map([
      ...(base === undefined ? [] : base.#macros),
      ...libraries.flatMap(({ macros = [] }) => macros).map((macro) => [macroKey(macro), macro] as const),
    ]);
  }

  /** The language itself, and what `options` add. */
  static create(options: EnvironmentOptions = {}): Environment {
    const standard = new Environment(undefined, { libraries: [STANDARD_LIBRARY] });
    return standard.extend(options);
  }

  /** An environment with more in it. This one stays as it is. */
  extend(options: EnvironmentOptions): Environment {
    return new Environment(this, options);
  }

  /** Reads an expression without looking at types. */
  parse(text: string): Compiled<Ast> {
    const issues = new Issues(new SourceText(text));
    const ast = parse(issues, this);
    return issues.count === 0 ? { ast, issues: undefined } : { ast: undefined, issues };
  }

  /** Finds the types of an expression that was parsed. */
  check(ast: Ast): Compiled<CheckedAst> {
    const issues = new Issues(new SourceText(ast.source));
    const checked = check(ast, this, issues);
    if (issues.count === 0) {
      const report = (node: Expr, message: string): void => issues.report(ast.positions.get(node.id), message);
      for (const validate of this.#validators) validate(checked, report);
    }
    return issues.count === 0 ? { ast: checked, issues: undefined } : { ast: undefined, issues };
  }

  /** Parses and checks. */
  compile(text: string): Compiled<CheckedAst> {
    const parsed = this.parse(text);
    return parsed.ast === undefined ? parsed : this.check(parsed.ast);
  }

  /** What evaluates an expression. Throws a `ConstantError` where a constant argument can never be right (a pattern). */
  program(ast: Ast | CheckedAst, options: ProgramOptions = {}): Program {
    return new Program(ast, this, options);
  }

  findMacro(name: string, argCount: number, member: boolean): Macro | undefined {
    return this.#macros.get(`${name}:${argCount}:${member}`) ?? this.#macros.get(`${name}:*:${member}`);
  }
}

function macroKey({ name, argCount, member }: Macro): string {
  return `${name}:${argCount ?? "*"}:${member}`;
}

function mergeFunctions(
  base: ReadonlyMap<string, FunctionDeclaration> | undefined,
  added: readonly FunctionDeclaration[],
): ReadonlyMap<string, FunctionDeclaration> {
  if (base !== undefined && added.length === 0) return base;
  const merged = new Map(base);
  for (const declared of added) {
    const known = merged.get(declared.name)?.overloads ?? [];
    const ids = new Set(declared.overloads.map(({ id }) => id));
    const overloads = [...known.filter(({ id }) => !ids.has(id)), ...declared.overloads];
    merged.set(declared.name, { name: declared.name, overloads });
  }
  return merged;
}
