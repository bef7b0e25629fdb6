import type { PatchStrategy } from "../schema/schema.js";

/**
 * What a strategic merge patch must know of a type, and no more. Made from our facts on the server, from an OpenAPI
 * document in the CLI. A value without one (free-form JSON) merges as plain JSON merge patch does.
 */
export interface PatchSchema {
  /**
   * undefined for a field the type does not have: a patch that must look inside such a field is refused. For a map
   * every name answers alike.
   */
  field(name: string): PatchField | undefined;
  /** Go's type name, where it is known; it makes the refusal's text the server's instead of the client's. */
  readonly structName?: string | undefined;
  /** The OpenAPI definition's name, where it is known. */
  readonly definition?: string | undefined;
}

export interface PatchField {
  /** Of the value; for a list, of its items. Absent for scalars and free-form values. */
  readonly schema?: PatchSchema | undefined;
  readonly strategies: readonly PatchStrategy[];
  readonly mergeKey?: string | undefined;
}
