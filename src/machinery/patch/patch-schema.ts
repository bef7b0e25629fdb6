import type { PatchStrategy } from "../schema/schema.js";

/**
 * What a strategic merge patch must know of a type, and no more. Made from our facts on the server, from an OpenAPI
 * document in the CLI. A value without one (free-form JSON) merges as plain JSON merge patch does.
 */
export interface PatchSchema {
  /**
   * undefined for a field the type does not have: a patch that must look inside such a field is refused.
   */
  field(name: string): PatchField | undefined;
  /** What is said of a field that the type does not have, where it is not what kubectl says of an OpenAPI document's. */
  refusal?(name: string): string;
  /** The OpenAPI definition's name, where it is known. */
  readonly definition?: string | undefined;
}

export interface PatchField {
  /** What the field holds, where that is known: a list where none belongs is refused, and so is a map in a list's place. */
  readonly holds?: "list" | "pointer" | "value" | undefined;
  /** Of the value; for a list, of its items. Absent for scalars and free-form values. */
  readonly schema?: PatchSchema | undefined;
  readonly strategies: readonly PatchStrategy[];
  readonly mergeKey?: string | undefined;
}
