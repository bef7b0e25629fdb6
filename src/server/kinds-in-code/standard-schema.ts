import { inOrder } from "../../base/async/turns.js";
import type { KindDeclaration } from "./declaration.js";

/** What a schema offers to libraries that validate by any of them (https://standardschema.dev, version 1). */
export interface StandardSchema<Output> {
  readonly version: 1;
  readonly vendor: "kubets";
  /** Judges a value and completes it. */
  validate(value: unknown): Promise<StandardResult<Output>>;
  readonly types?: { readonly input: unknown; readonly output: Output };
}

/** The completed value, or what is wrong with the one that was given. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  /** As the API server words it, without the path. */
  readonly message: string;
  /** The names of the fields and the indices of the items, outermost first. */
  readonly path: readonly (string | number)[];
}

/** Judges objects of any version of a kind as a server would judge their creation. What it needs is loaded by the first call. */
export function standardSchemaOf<Output>(declaration: KindDeclaration): StandardSchema<Output> {
  return {
    version: 1,
    vendor: "kubets",
    async validate(value) {
      const { judgeValue } = await inOrder(import("./judge-value.js"));
      return judgeValue(declaration, value) as Promise<StandardResult<Output>>;
    },
  };
}
