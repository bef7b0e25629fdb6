import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import type { ValidateDocument } from "./document-source.js";
import type { Info } from "./info.js";
import type { Visitor, VisitorFn } from "./visitor.js";
import type { WatchFrame } from "../client/dynamic/watch-events.js";

/** The values of -f, -R and -k. */
export interface FilenameOptions {
  readonly filenames: readonly string[];
  readonly recursive: boolean;
  readonly kustomize?: string;
}

/**
 * Gathers the inputs of a command and assembles the visitor chain. Input errors are collected and thrown together by
 * {@link Builder.do}. Every method returns the builder. A builder is used once.
 */
export interface Builder {
  /** True: no request is made; kinds are taken as they are stated, and only files are read. */
  local(local: boolean): Builder;
  namespaceParam(namespace: string): Builder;
  /** What names no namespace gets the parameter's. */
  defaultNamespace(): Builder;
  /** What names another namespace is refused. */
  requireNamespace(): Builder;
  allNamespaces(all: boolean): Builder;
  filenames(enforceNamespace: boolean, options: FilenameOptions): Builder;
  /** The documents of a text; `name` is what errors call it. */
  text(name: string, text: string): Builder;
  /** How many files may be worked on at a time. Default 1: one after the other. */
  concurrency(limit: number): Builder;
  /** `type`, `type name...`, `type/name...`, comma lists and categories. */
  typeOrNameArgs(allowEmptySelector: boolean, args: readonly string[]): Builder;
  /** Types to list, without names. */
  resourceTypes(types: readonly string[]): Builder;
  /** Names of one type, or type/name. */
  resourceNames(type: string, names: readonly string[]): Builder;
  labelSelector(selector: string): Builder;
  fieldSelector(selector: string): Builder;
  /** Everything of the types given; excludes selectors. */
  selectAll(all: boolean): Builder;
  subresource(name: string): Builder;
  requestChunksOf(size: number): Builder;
  continueOnError(): Builder;
  /** One object per item instead of the list. */
  flatten(): Builder;
  /** What came from files is read again from the server. */
  latest(): Builder;
  /** Default true. False: items named by arguments are not fetched. */
  requireObject(require: boolean): Builder;
  singleResourceType(): Builder;
  /** Called with each document's JSON; throws to refuse it. */
  validate(validate: ValidateDocument | undefined): Builder;
  /** What documents become once they are read; throws for one that cannot be read. Default: they stay as they are. */
  decode(decoder: (object: KubeObject) => KubeObject): Builder;
  /** Called with each object once it is read; throws to refuse it. */
  checkEach(check: VisitorFn): Builder;
  /** Accept header and query for retrieval (tables). */
  transformRequests(request: { readonly accept?: string; readonly query?: Readonly<Record<string, string>> }): Builder;
  /** An error of the command's own inputs, thrown together with those of the builder's. */
  addError(error: Error): Builder;
  do(): Promise<Result>;
}

export interface Result extends Visitor {
  visit(fn: VisitorFn): Promise<void>;
  /** All of them, read once: later calls answer the same. */
  infos(): Promise<readonly Info[]>;
  /** Those that were read, and what failed on the way. */
  gather(): Promise<{ readonly infos: readonly Info[]; readonly error?: unknown }>;
  /** The one object, or a v1 List of all. */
  object(): Promise<KubeObject>;
  /** The one resource type that was asked for; throws when there are several. */
  mapping(): RestMapping;
  /** One result for each collection or object that was asked for, in their order; what was read here is read again there. */
  bySource(): readonly Result[];
  /** Changes of the one source: a collection or a single object. */
  watch(resourceVersion: string, signal?: AbortSignal): Promise<AsyncIterable<WatchFrame>>;
  /** True when the input was exactly one named resource or one document. */
  readonly singleItemImplied: boolean;
  /** True when only `type name` arguments (no selector, no list) were given. */
  readonly targetsSingleItems: boolean;
  /** Drops errors the predicate accepts. */
  ignoreErrors(predicate: (error: unknown) => boolean): Result;
}
