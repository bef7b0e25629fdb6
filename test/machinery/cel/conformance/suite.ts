import { tests } from "@bufbuild/cel-spec/testdata/conformance.js";

/** A value as the suite writes it: protobuf's JSON of `cel.expr.Value`. */
export type WrittenValue = Readonly<Record<string, unknown>>;

/** A type as the suite writes it: protobuf's JSON of `cel.expr.Type`. */
export type WrittenType = Readonly<Record<string, unknown>>;

/** A declaration as the suite writes it: protobuf's JSON of `cel.expr.Decl`. */
export interface WrittenDeclaration {
  readonly name: string;
  readonly ident?: { readonly type: WrittenType };
  readonly function?: { readonly overloads: readonly WrittenOverload[] };
}

export interface WrittenOverload {
  readonly overloadId: string;
  readonly params?: readonly WrittenType[];
  readonly typeParams?: readonly string[];
  readonly resultType: WrittenType;
  readonly isInstanceFunction?: boolean;
}

/** One test of the suite: protobuf's JSON of `cel.expr.conformance.test.SimpleTest`. */
export interface WrittenTest {
  readonly name: string;
  readonly expr: string;
  readonly disableMacros?: boolean;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly container?: string;
  readonly typeEnv?: readonly WrittenDeclaration[];
  readonly bindings?: Readonly<Record<string, { readonly value: WrittenValue }>>;
  readonly value?: WrittenValue;
  readonly typedResult?: { readonly result?: WrittenValue; readonly deducedType?: WrittenType };
  readonly evalError?: unknown;
}

export interface ConformanceTest {
  /** `section/name`, within its file. */
  readonly name: string;
  readonly test: WrittenTest;
}

/** The tests of CEL's conformance suite by their files. */
export function conformanceFiles(): readonly { readonly file: string; readonly tests: readonly ConformanceTest[] }[] {
  return (tests.suites ?? []).map((file) => ({
    file: file.name,
    tests: (file.suites ?? []).flatMap((section) =>
      (section.tests ?? []).map(({ original }) => {
        const test = original as unknown as WrittenTest;
        return { name: `${section.name}/${test.name}`, test };
      }),
    ),
  }));
}
