import type { Random } from "../../base/random.js";
import type { FieldFilter } from "../../machinery/apply/field-filter.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { User } from "../request/user.js";
import type { DeleteOptions } from "./delete-options.js";
import type { InternalKind, InternalObject } from "./internal-object.js";
import type { TableColumns } from "./table-columns.js";

export type { TableCell, TableColumnDefinition, TableColumns } from "./table-columns.js";

/**
 * What a resource does beyond what its schema says. The registry's Store calls the hooks in the order they stand here;
 * a hook that is left out gets generic behaviour (see default-strategy.ts). `draft` is owned by the request and is changed
 * in place; `old` is shared and must not be changed. Hooks of an update may run several times (guaranteed update).
 * Objects are in the hub's shape: the version the resource is stored in, after its static defaults.
 */
export interface Strategy {
  /**
   * Defaults that depend on other fields. Runs after the static defaults of the schema whenever a body was decoded or a
   * patch applied, and on objects read from storage. Must be idempotent.
   */
  applyDefaults?(draft: KubeObject): void;

  /**
   * Resets what a client may not set and sets what the server decides. Before it, the registry has already set uid,
   * creationTimestamp and name, dropped deletionTimestamp, set generation 1 (see `hasGeneration`) and, where the resource
   * has a status subresource, removed status (see `keepsStatusOnCreate`).
   */
  prepareForCreate?(draft: KubeObject, context: StrategyContext): void;
  /**
   * As {@link prepareForCreate} for PUT and PATCH of the object itself. Before it, the registry has restored system fields
   * of metadata and, where there is a status subresource, status from `old`. `generation` is bumped after it.
   */
  prepareForUpdate?(draft: KubeObject, old: KubeObject, context: StrategyContext): void;
  /** For the status subresource; everything but metadata and status was already restored from `old`. */
  prepareForStatusUpdate?(draft: KubeObject, old: KubeObject, context: StrategyContext): void;
  /**
   * Asynchronous preparation that may look at other objects, and take what no two objects may have: a cluster IP, for
   * instance. Runs after prepare, before validate; `old` is undefined for a create. In a dry run it takes nothing. What
   * it throws must leave nothing taken.
   */
  allocate?(
    draft: KubeObject,
    old: KubeObject | undefined,
    context: StrategyContext,
  ): Promise<Allocation | undefined | void>;

  /** Problems of a new object, all of them. Metadata is validated by the registry before. */
  validate?(object: KubeObject, context: StrategyContext): readonly FieldError[];
  /** Problems of a change, all of them: what {@link validate} says as far as it applies, and immutability. */
  validateUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): readonly FieldError[];
  /** Problems of a change of status. */
  validateStatusUpdate?(object: KubeObject, old: KubeObject, context: StrategyContext): readonly FieldError[];
  /** Subresources other than status that write a part of the object, by name. */
  readonly subresources?: Readonly<Partial<Record<WritableSubresource, SubresourceStrategy>>>;
  /** What is wrong with a name of this kind, in apimachinery's words. Default: DNS-1123 subdomain. */
  validateName?(name: string): readonly string[];
  /** Brings a valid object into its one normal form. */
  canonicalize?(draft: KubeObject): void;

  /** Texts for `Warning:` headers; sent only when the request succeeded. */
  warningsOnCreate?(object: KubeObject): readonly string[];
  warningsOnUpdate?(object: KubeObject, old: KubeObject): readonly string[];
  warningsOnStatusUpdate?(object: KubeObject): readonly string[];

  /**
   * What a request may own of the fields it says: the rest is what its endpoint does not write. `subresource` is "" for the
   * object itself. Left out, or undefined: all but `status` for an object that has a status subresource, all but `spec` for
   * its status, and everything elsewhere.
   */
  resetFields?(subresource: string): FieldFilter | undefined;

  /** Runs after a new object was written and before the answer is sent. Its failure changes nothing. */
  afterCreate?(object: KubeObject): Promise<void>;
  /**
   * Runs after an object was removed from storage, not only marked, and before the answer is sent: gives back what
   * {@link allocate} took. Not in a dry run. Its failure changes nothing.
   */
  afterDelete?(object: KubeObject, context: StrategyContext): Promise<void>;

  /** PUT to a name that does not exist creates it. Default false. */
  readonly allowCreateOnUpdate?: boolean;
  /** PUT without resourceVersion is allowed. Default true. */
  readonly allowUnconditionalUpdate?: boolean;
  /** metadata.generation is kept. Default: for the kinds that Kubernetes keeps it for (kinds-with-generation.ts). */
  readonly hasGeneration?: boolean;
  /** A create may carry status (nodes). Default false. Kinds without a status subresource always keep it. */
  readonly keepsStatusOnCreate?: boolean;
  /** Seconds a write of this resource lives (events). Default: for ever. */
  readonly ttlSeconds?: number;

  /**
   * How long a deletion of `object` is to take, in seconds; 0 deletes at once. `requested` is what the client asked for.
   * Left out: the resource has no graceful deletion.
   */
  gracePeriod?(object: KubeObject, requested: number | undefined): number;
  /** Throws a StatusError to refuse a deletion. */
  beforeDelete?(object: KubeObject): void;
  /**
   * What becomes of dependents when a deletion does not say: "Background", the default, deletes them, "Orphan" leaves them
   * alone. Objects of an "Unsupported" kind have none, and deletion options about them are ignored.
   */
  readonly garbageCollection?: "Background" | "Orphan" | "Unsupported";
  /** Texts for `Warning:` headers of a deletion with these options. */
  warningsOnDelete?(options: DeleteOptions): readonly string[];
  /** True while something beyond metadata.finalizers keeps a deleted object (a namespace's spec.finalizers). */
  holdsDeletion?(object: KubeObject): boolean;
  /** Called once on the draft that gets its deletionTimestamp (a namespace's phase becomes Terminating). */
  markDeleting?(draft: KubeObject): void;
  /** DELETE answers the deleted object instead of a Status. Default: for the resources that Kubernetes does it for. */
  readonly returnsDeletedObject?: boolean;

  /** Field selectors beyond metadata.name and metadata.namespace: label -> value; every one the kind knows, "" when unset. */
  fields?(object: KubeObject): Readonly<Record<string, string>>;
  /**
   * What a field selector may name beside metadata.name and metadata.namespace: the labels {@link fields} answers, or, by
   * apiVersion, label -> field of those whose names differ. Left out: nothing else. What is not listed is refused with 400.
   */
  readonly fieldLabels?: readonly string[] | ((apiVersion: string) => Readonly<Record<string, string>>);
  /** The text for a label that is refused, where it is not the usual one. */
  fieldLabelRefusal?(label: string, apiVersion: string): string;

  /** autoscaling/v1 Scale of this object. Default: spec.replicas, status.replicas and spec.selector. */
  readonly scale?: ScaleMapping;
  /** Columns of server-side tables. Default: Name and Created At. */
  readonly columns?: TableColumns;
}

export type WritableSubresource = "approval" | "ephemeralcontainers" | "resize";

/** A part of an object that is written by itself, by rules of its own. */
export interface SubresourceStrategy {
  /** Takes back everything in `draft` that is not written here. */
  prepare(draft: KubeObject, old: KubeObject, context: StrategyContext): void;
  /** Problems of the change, all of them; metadata is validated by the registry before. */
  validate(object: KubeObject, old: KubeObject, context: StrategyContext): readonly FieldError[];
}

export interface ScaleMapping {
  replicas(object: KubeObject): number;
  statusReplicas(object: KubeObject): number;
  /** As a selector string, "" when there is none. */
  selector(object: KubeObject): string;
  setReplicas(draft: KubeObject, replicas: number): void;
}

/**
 * What {@link Strategy.allocate} took, until the write is decided. One of the two is called, once; neither when nobody
 * knows whether the object was written: then what was taken stays taken until a controller finds out. Neither throws.
 */
export interface Allocation {
  /** The object is stored: give back what it no longer has. */
  commit(): Promise<void>;
  /** The object was not stored, or the update is going to be tried again: give back what was taken for it. */
  revert(): Promise<void>;
}

/** What hooks may use of the server. */
export interface StrategyContext {
  /** Milliseconds since the epoch, from the server's clock. */
  readonly now: number;
  readonly random: Random;
  /** Who asks. */
  readonly user: User;
  /** The apiVersion the request came in, which may ask for more than others do; "" for what the server does by itself. */
  readonly apiVersion: string;
  /** Nothing of this request is going to be stored. */
  readonly dryRun: boolean;
  readonly objects: ObjectAccess;
  /** A text for a `Warning:` header of the answer; for what can only be seen before the object is prepared. */
  warn(message: string): void;
  /** An object that the servers of a cluster keep for themselves; the same for the same kind. */
  internal(kind: InternalKind): InternalObject;
}

/** Other objects, in their hub's shape. What is read is shared: do not change it. */
export interface ObjectReader {
  /** All of a resource, or those of one namespace. */
  list(group: string, resource: string, namespace?: string): Promise<readonly KubeObject[]>;
  /** Undefined when there is none. */
  get(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined>;
}

export interface ObjectAccess extends ObjectReader {
  /** What this server's cache holds: costs no trip to the storage, and may not show yet what another server wrote. */
  readonly cached: ObjectReader & {
    /** {@link ObjectReader.get} without parsing the object. */
    has(group: string, resource: string, namespace: string, name: string): Promise<boolean>;
  };
  /** As the server itself, by the resource's own rules but without admission. Throws AlreadyExists. */
  create(group: string, resource: string, object: KubeObject): Promise<void>;
  /** As {@link create}. `object` is what was read: another one of that name is left alone. Throws NotFound or Conflict. */
  delete(group: string, resource: string, object: KubeObject): Promise<void>;
}

/** Answers for a resource's strategy; undefined where the generic behaviour is all there is. */
export type StrategyLookup = (group: string, resource: string) => Strategy | undefined;
