import type { ApiObject, OwnerReference } from "../../machinery/meta/object.js";
import { type NamespacedName, objectKey } from "../informers/indexer.js";
import type { AnyKindIn, AnyObjectOf } from "../dynamic/api-kinds.js";
import type { Stored } from "../dynamic/stored.js";
import type { InformerSelection } from "../informers/informer-factory.js";
import type { Controller, Reconciler } from "./controller.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { SharedInformer } from "../informers/shared-informer.js";

/** Selects the objects of a kind that a controller watches. */
export interface Watched<T extends ApiObject> extends InformerSelection {
  /**
   * Looks at a change only if this is true (controller-runtime's predicates). `before` is there for an update. Deletions are
   * always looked at.
   */
  readonly when?: (object: T, before?: T) => boolean;
}

/** A kind whose changes trigger reconciliations. */
export interface Source {
  readonly apiVersion: string;
  readonly kind: string;
  readonly watched: Watched<ApiObject>;
  /** The objects to reconcile for a changed object; "primary": itself; "owner": the one that controls it. */
  readonly requests: "primary" | "owner" | ((object: ApiObject) => Iterable<NamespacedName>);
}

/** The description of a controller that a builder has collected. */
export interface ControllerDescription<T extends ApiObject> {
  readonly name: string;
  readonly sources: readonly Source[];
  readonly workers: number;
  readonly reconcile: Reconciler<T>;
}

/** Describes a controller, as controller-runtime's builder does; {@link reconcile} comes last and adds it to the manager. */
export class ControllerBuilder<T extends ApiObject> {
  readonly #sources: Source[];
  #name: string;
  #workers = 1;

  constructor(
    private readonly add: (description: ControllerDescription<T>) => Controller<T>,
    primary: Pick<Source, "apiVersion" | "kind"> & { readonly watched: Watched<T> },
  ) {
    this.#sources = [{ ...primary, watched: primary.watched as Watched<ApiObject>, requests: "primary" }];
    this.#name = primary.kind.toLowerCase();
  }

  /** The controller's name in reports. Default: the kind in lower case. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /** How many objects are reconciled at a time. Default 1. */
  workers(count: number): this {
    this.#workers = count;
    return this;
  }

  /** Also reconciles the owner (the one of `controller: true`) of an object of this kind when that changes. */
  owns<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
    watched: Watched<Stored<AnyObjectOf<V, K>>> = {},
  ): this {
    this.#sources.push({ apiVersion, kind, watched: watched as Watched<ApiObject>, requests: "owner" });
    return this;
  }

  /** Also reconciles what `requests` answers when an object of this kind changes. */
  watches<V extends string, K extends AnyKindIn<V>>(
    apiVersion: V,
    kind: K,
    requests: (object: Stored<AnyObjectOf<V, K>>) => Iterable<NamespacedName>,
    watched: Watched<Stored<AnyObjectOf<V, K>>> = {},
  ): this {
    const map = requests as (object: ApiObject) => Iterable<NamespacedName>;
    this.#sources.push({ apiVersion, kind, watched: watched as Watched<ApiObject>, requests: map });
    return this;
  }

  /** The reconciler reads the cache of this kind: it must be full before the first reconciliation. */
  reads<V extends string, K extends AnyKindIn<V>>(apiVersion: V, kind: K): this {
    this.#sources.push({ apiVersion, kind, watched: {}, requests: () => [] });
    return this;
  }

  /** Completes the controller. It runs when its manager does. */
  reconcile(reconcile: Reconciler<T>): Controller<T> {
    return this.add({ name: this.#name, sources: this.#sources, workers: this.#workers, reconcile });
  }
}

/** The kind that a controller reconciles. */
export interface Primary {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** What a manager asks of the informer of a source. */
export type FollowedInformer = Pick<SharedInformer<ApiObject>, "addHandler" | "cache" | "synced">;

/** Calls `enqueue` with the keys of the objects to reconcile whenever an object of the source changes. */
export function followSource(
  informer: FollowedInformer,
  { watched, requests }: Source,
  primary: Primary,
  enqueue: (key: string) => void,
): void {
  const keysOf = keysFor(requests, primary);
  const { when } = watched;
  const enqueueAll = (object: ApiObject): void => {
    for (const key of keysOf(object)) enqueue(key);
  };
  informer.addHandler({
    added: (object) => {
      if (when === undefined || when(object)) enqueueAll(object);
    },
    updated: (before, after) => {
      if (when !== undefined && !when(after, before)) return;
      // An object may belong to another one than before: both have changed then.
      if (requests !== "primary") enqueueAll(before);
      enqueueAll(after);
    },
    deleted: enqueueAll,
  });
}

function keysFor(requests: Source["requests"], primary: Primary): (object: ApiObject) => Iterable<string> {
  if (requests === "primary") return (object) => [objectKey(object)];
  if (requests === "owner") return (object) => ownerKeys(object, primary);
  return function* (object) {
    for (const { namespace, name } of requests(object)) yield namespace === "" ? name : `${namespace}/${name}`;
  };
}

/** The key of the object that controls this one, if it is of the primary kind; its version does not matter. */
function ownerKeys({ metadata }: ApiObject, { apiVersion, kind, namespaced }: Primary): string[] {
  const owner = metadata?.ownerReferences?.find(({ controller }) => controller === true);
  if (owner === undefined || owner.kind !== kind) return [];
  if (parseGroupVersion(owner.apiVersion).group !== parseGroupVersion(apiVersion).group) return [];
  return [namespaced ? `${metadata?.namespace ?? ""}/${owner.name}` : owner.name];
}

/**
 * The reference by which an object belongs to the one that controls it: `owns` of the builder finds the owner by it, and the garbage
 * collector deletes the object with the owner. Throws a TypeError for an owner that was not read from a server.
 */
export function controllerReference({ apiVersion, kind, metadata }: ApiObject): OwnerReference {
  const { name, uid } = metadata ?? {};
  if (apiVersion === undefined || kind === undefined || name === undefined || uid === undefined) {
    throw new TypeError("an owner has apiVersion, kind, metadata.name and metadata.uid: read it from the server first");
  }
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true };
}
