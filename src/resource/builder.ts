import type { Info } from "./info.js";
import type { Visitor, VisitorFn } from "./visitor.js";

/** What -f, -R and -k gave. */
export interface FilenameOptions {
  readonly filenames: readonly string[];
  readonly recursive: boolean;
  readonly kustomize?: string;
}

/**
 * Gathers the inputs of a command and assembles the visitor chain. Input errors are collected and thrown together by
 * {@link Builder.do}. Every method returns the builder.
 */
export interface Builder {
  namespaceParam(namespace: string): Builder;
  defaultNamespace(): Builder;
  requireNamespace(): Builder;
  allNamespaces(all: boolean): Builder;
  filenames(enforceNamespace: boolean, options: FilenameOptions): Builder;
  /** `type`, `type name...`, `type/name...`, comma lists and categories. */
  typeOrNameArgs(allowEmptySelector: boolean, args: readonly string[]): Builder;
  labelSelector(selector: string): Builder;
  fieldSelector(selector: string): Builder;
  subresource(name: string): Builder;
  requestChunksOf(size: number): Builder;
  continueOnError(): Builder;
  /** One object per item instead of the list. */
  flatten(): Builder;
  latest(): Builder;
  singleResourceType(): Builder;
  /** Accept header and query for retrieval (tables). */
  transformRequests(request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> }): Builder;
  do(): Promise<Result>;
}

export interface Result extends Visitor {
  visit(fn: VisitorFn): Promise<void>;
  infos(): Promise<readonly Info[]>;
  /** True when the input was exactly one named resource or one document. */
  readonly singleItemImplied: boolean;
  /** True when only `type name` arguments (no selector, no list) were given. */
  readonly targetsSingleItems: boolean;
  /** Drops errors the predicate accepts. */
  ignoreErrors(predicate: (error: unknown) => boolean): Result;
}
