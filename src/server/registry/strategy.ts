import type { Release } from "../../api/facts/index.js";
import type { ServerGates, ServerTraits } from "../../api/gates/feature-gates.js";
import type { Random } from "../../base/numbers/random.js";
import type { FieldFilter } from "../../machinery/apply/field-filter.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { DraftObject, ReceivedObject } from "../../machinery/meta/received.js";
import type { Authorization } from "../authz/authorizer.js";
import type { User } from "../request/user.js";
import type { ValidDeleteOptions } from "./resource.js";
import type { InternalKind, InternalObject } from "./internal-object.js";
import type { TableColumns } from "./table-columns.js";

export type { TableCell, TableColumnDefinition, TableColumns } from "./table-columns.js";

/**
 * What a resource does beyond its schema. Objects have the types `Seen`, and `Draft` where a hook may change them: those of a kind in
 * {@link StrategyOf}. The registry's Store calls the hooks in the order below; a hook that is left out
 * gets the generic behaviour of default-strategy.ts. A hook may change `draft`, which belongs to the request, and must not
 * change `old`, which is shared. The hooks of an update run again after each conflict. Objects are in the hub's shape, with
 * the static defaults applied.
 */
export interface Strategy<Seen = KubeObject, Draft = KubeObject> {
  /**
   * Called before each request of an apiVersion that creates or changes objects: makes ready what the first one would hold the event loop
   * for. Undefined when it is ready. It does not fail.
   */
  beforeWrite?(apiVersion: string): Promise<void> | undefined;

  /**
   * Sets defaults that depend on other fields. Runs after the static defaults, on decoded bodies, applied patches and
   * objects read from storage. Must be idempotent. `now` is milliseconds since the epoch.
   */
  applyDefaults?(draft: Draft, now: number): void;

  /**
   * Refuses a write by which the caller would give away rights, with Forbidden. Runs after mutating admission and before the hooks
   * below, for every write of the object itself; `old` is undefined for a create. `requestName` is the name in the request's path, "" for
   * a POST.
   */
  authorize?(draft: Draft, old: Seen | undefined, context: StrategyContext, requestName: string): Promise<void>;

  /**
   * Clears the fields that a client may not set and sets those that the server decides. Before it, the registry has set uid,
   * creationTimestamp and name, removed deletionTimestamp, set generation 1 (see `hasGeneration`) and, where the resource
   * has a status subresource, removed status (see `keepsStatusOnCreate`).
   */
  prepareForCreate?(draft: Draft, context: StrategyContext): void;
  /**
   * As {@link prepareForCreate}, for PUT and PATCH of the object itself. Before it, the registry has restored the system
   * fields of metadata and, where there is a status subresource, status from `old`. After it, the registry increments
   * `generation`.
   */
  prepareForUpdate?(draft: Draft, old: Seen, context: StrategyContext): void;
  /**
   * As {@link prepareForUpdate}, for the status subresource. The registry has restored everything but metadata and status
   * from `old`.
   */
  prepareForStatusUpdate?(draft: Draft, old: Seen, context: StrategyContext): void;
  /**
   * Reads other objects and reserves what two objects cannot share, such as a cluster IP. Runs after prepare and before
   * validate; `old` is undefined for a create. A dry run reserves nothing. A hook that throws must first release what it
   * reserved.
   */
  allocate?(draft: Draft, old: Seen | undefined, context: StrategyContext): Promise<Allocation | undefined | void>;

  /**
   * Whether the answer to a create names the problems of metadata together with those of the hooks, before them. False: a create whose hooks find
   * problems is answered with these alone, and metadata is validated when there are none, as by k8s.io/apiserver. Default true, as the
   * strategies of Kubernetes' own kinds validate metadata themselves.
   */
  readonly validatesMetadata?: boolean;
  /** Returns all problems of a new object. */
  validate?(object: Seen, context: StrategyContext): readonly FieldError[];
  /** Returns all problems of a change: those of {@link validate} that apply, and changes to immutable fields. */
  validateUpdate?(object: Seen, old: Seen, context: StrategyContext): readonly FieldError[];
  /** Returns all problems of a change to status. */
  validateStatusUpdate?(object: Seen, old: Seen, context: StrategyContext): readonly FieldError[];
  /** Returns the problems of a name of this kind, in apimachinery's words. Default: a DNS-1123 subdomain. */
  validateName?(name: string, gates: ServerGates): readonly string[];
  /**
   * Does what of validating a draft has to wait or takes long: {@link validate}, {@link validateUpdate} or
   * {@link validateStatusUpdate} follows for the same draft. `old` is undefined for a create, `subresource` for the object itself.
   * Returns the problems that other objects or the authorizers show; the answer has them before those of the hook that follows. A
   * hook that throws refuses the write.
   */
  beforeValidation?(
    draft: Draft,
    old: Seen | undefined,
    context: StrategyContext,
    /** "status"; undefined for the object itself. */
    subresource?: string,
  ): Promise<readonly FieldError[] | void>;
  /**
   * Returns a problem for each reference of an object without other problems by which the server would read, in its own name, what the
   * caller may not read. Runs for writes of the object itself; `old` is undefined for a create.
   */
  authorizeReads?(object: Seen, old: Seen | undefined, context: StrategyContext): Promise<readonly FieldError[]>;
  /** Rewrites a valid object into its canonical form. */
  canonicalize?(draft: Draft, context: StrategyContext): void;

  /** Texts for `Warning:` headers. The server sends them only when the request succeeds. */
  warningsOnCreate?(object: Seen, context: StrategyContext): readonly string[];
  warningsOnUpdate?(object: Seen, old: Seen, context: StrategyContext): readonly string[];
  warningsOnStatusUpdate?(object: Seen): readonly string[];

  /**
   * By subresource, "" for the object itself: filters the fields that a request can own in managedFields, leaving out those
   * that its endpoint does not write. Left out: everything but `status` for an object with a status subresource, everything
   * but `spec` for its status, and every field elsewhere.
   */
  readonly resetFields?: Readonly<Record<string, FieldFilter>>;

  /** Runs after the write of a new object and before the answer. A failure does not change the answer. */
  afterCreate?(object: Seen): Promise<void>;
  /**
   * Runs after an object was removed from storage and before the answer, to release what {@link allocate} reserved. It does
   * not run for an object that is only marked for deletion, nor in a dry run. A failure does not change the answer.
   */
  afterDelete?(object: Seen, context: StrategyContext): Promise<void>;

  /** A PUT to a name that does not exist creates the object. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** A PUT may leave out resourceVersion. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /**
   * The registry sets metadata.generation to 1 and increments it when anything but metadata and status changes; with the name of a feature gate, where
   * that is on. Default false.
   */
  readonly hasGeneration?: boolean | string;
  /** A create keeps the client's status, as for nodes. Default false. Kinds without a status subresource always keep it. */
  readonly keepsStatusOnCreate?: boolean;
  /** Objects expire this many seconds after their last write, as events do. Default: never. */
  readonly ttlSeconds?: number;

  /**
   * The grace period of a deletion in seconds; 0 deletes at once. `requested` is the client's own. Left out: the kind has no
   * graceful deletion.
   */
  gracePeriod?(object: Seen, requested: number | undefined): number;
  /**
   * The propagation policy of a deletion that names none: "Background", the default, deletes the dependents, "Orphan" keeps
   * them. An "Unsupported" kind has no dependents, and the registry ignores the policy of the request.
   */
  readonly garbageCollection?: "Background" | "Orphan" | "Unsupported";
  /** Texts for `Warning:` headers of a deletion with these options. */
  warningsOnDelete?(options: ValidDeleteOptions): readonly string[];
  /** True while something other than metadata.finalizers keeps a deleted object, such as a namespace's spec.finalizers. */
  holdsDeletion?(object: Seen): boolean;
  /** Changes the draft that gets its deletionTimestamp, once. A namespace's phase becomes Terminating. */
  markDeleting?(draft: Draft): void;
  /** DELETE returns the deleted object instead of a Status. Default false. */
  readonly returnsDeletedObject?: boolean;

  /** The values of the kind's own field labels, without metadata.name and metadata.namespace. An unset field is "". */
  fields?(object: Seen): Readonly<Record<string, string>>;
  /**
   * The labels that a field selector may name besides metadata.name and metadata.namespace: those of {@link fields}, or, by
   * apiVersion and release, a map from label to field where the two differ. Left out: none. The server answers 400 for any other label.
   */
  readonly fieldLabels?:
    | readonly string[]
    | ((apiVersion: string, release: Release) => Readonly<Record<string, string>>);
  /** The error text for an unknown label, where it differs from the usual one. */
  fieldLabelRefusal?(label: string, apiVersion: string): string;

  /** How the autoscaling/v1 Scale is read and written. Default: spec.replicas, status.replicas and spec.selector. */
  readonly scale?: ScaleMapping<Seen, Draft>;
  /** The columns of server-side tables. Default: Name and Created At. */
  readonly columns?: TableColumns<Seen>;
  /** {@link columns} by apiVersion, or by the version of Kubernetes that the server is, where they differ. */
  columnsAt?(apiVersion: string, release: Release): TableColumns<Seen> | undefined;
}

/** The strategy of a built-in kind, which reads its objects by their generated type. */
export type StrategyOf<Kind> = Strategy<ReceivedObject<Kind>, DraftObject<Kind>>;

/** The rules of a subresource other than status that writes a part of the object. */
export interface SubresourceStrategy<Seen = KubeObject, Draft = KubeObject> {
  /** Restores from `old` everything that this subresource does not write. */
  prepare(draft: Draft, old: Seen, context: StrategyContext): void;
  /** Returns all problems of the change. The registry has validated the metadata already. */
  validate(object: Seen, old: Seen, context: StrategyContext): readonly FieldError[];
}

export interface ScaleMapping<Seen = KubeObject, Draft = KubeObject> {
  /** Of a custom resource: where its replicas are (".spec.replicas"). Validation of the object judges them then. */
  readonly replicasPath?: string;
  /** Undefined for a custom resource that has none. */
  replicas(object: Seen): number | undefined;
  statusReplicas(object: Seen): number;
  /** Returns the selector as a string; "" without one. */
  selector(object: Seen): string;
  setReplicas(draft: Draft, replicas: number): void;
}

/**
 * What {@link Strategy.allocate} reserved for a write. The Store calls one of the two methods once. It calls neither when it
 * does not know whether the object was written: a repair controller then releases what no object uses. Neither method
 * throws.
 */
export interface Allocation {
  /** The object is stored: releases what it no longer uses. */
  commit(): Promise<void>;
  /** The object was not stored, or the update is retried: releases what was reserved for it. */
  revert(): Promise<void>;
}

/** The parts of the server and of the request that hooks may use. */
export interface StrategyContext extends ServerTraits {
  /** Milliseconds since the epoch, from the server's clock. */
  readonly now: number;
  readonly random: Random;
  /** The caller. */
  readonly user: User;
  /** The verb of the request: "update", "patch"; "" for a request that the server itself makes. */
  readonly verb: string;
  /** The apiVersion of the request, by which rules may differ; "" for a request that the server itself makes. */
  readonly apiVersion: string;
  /** True when nothing of this request will be stored. */
  readonly dryRun: boolean;
  readonly objects: ObjectAccess;
  /** Asks the server's authorizers. */
  readonly authorization: Authorization;
  /** Returns the resource that has a kind in one version, as it is served now; undefined for a kind that is not served. */
  resourceOf(kind: GroupVersionKind): GroupResource | undefined;
  /** Adds a text to the `Warning:` headers, for findings that preparation would hide. */
  warn(message: string): void;
  /** Returns the shared object of an internal kind: the same instance for the same kind. */
  internal(kind: InternalKind): InternalObject;
}

/** Reads other objects in their hub's shape. The objects are shared and must not be changed. */
export interface ObjectReader {
  /** Lists a resource in all namespaces or in one. */
  list(group: string, resource: string, namespace?: string): Promise<readonly KubeObject[]>;
  /** Returns undefined when the object does not exist. */
  get(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined>;
}

/** An object of the watch cache at one revision. */
export interface CachedObject {
  readonly revision: number;
  /** Returns the object, which must not be changed and should not be kept. */
  object(): KubeObject;
}

export interface ObjectAccess extends ObjectReader {
  /**
   * Reads from this server's watch cache. It costs no round trip to the storage and may lag behind the writes of other
   * servers.
   */
  readonly cached: ObjectReader & {
    /** Returns whether {@link ObjectReader.get} would find the object, without parsing it. */
    has(group: string, resource: string, namespace: string, name: string): Promise<boolean>;
    /**
     * All objects of a resource as the cache holds them now, in key order and not parsed yet; undefined where there is no cache.
     * None of a built-in resource that runtimeConfig turned off; throws for any other that is not installed. It is the same list
     * until one of the objects changes.
     */
    now(group: string, resource: string): readonly CachedObject[] | undefined;
  };
  /** Creates an object as the server itself: the kind's strategy runs, admission does not. Throws AlreadyExists. */
  create(group: string, resource: string, object: KubeObject): Promise<void>;
  /** Deletes an object as {@link create} creates one. The uid of `object` is a precondition. Throws NotFound or Conflict. */
  delete(group: string, resource: string, object: KubeObject): Promise<void>;
}
