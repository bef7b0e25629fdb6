import type { KubeObject } from "../../machinery/meta/object.js";
import type {
  ListObjectsOptions,
  ListOfObjects,
  ReadOptions,
  StoredEvent,
  StoredObject,
  WatchObjectsOptions,
} from "../storage/store.js";
import type { DeleteOptions } from "./delete-options.js";
import type { RequestScope } from "./scope.js";
import type { WritableSubresource } from "./strategy.js";

/**
 * The capabilities of a resource. The server offers the verbs whose interfaces the resource implements. Objects are in the
 * hub's shape; the endpoints convert them to the version of the request.
 */
export interface Getter {
  get(scope: RequestScope, name: string, options: ReadOptions): Promise<StoredObject>;
}

export interface Lister {
  list(scope: RequestScope, options: ListObjectsOptions): Promise<ListOfObjects>;
}

export interface Watcher {
  watch(scope: RequestScope, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>>;
}

export interface Creater {
  create(scope: RequestScope, draft: KubeObject, admit: AdmitCreate): Promise<StoredObject>;
}

/** Computes the new object from the current one, which is undefined when there is none. May run several times. */
export type Transform = (current: StoredObject | undefined) => Promise<KubeObject>;

export interface Updater {
  /** Serves PUT and PATCH; they differ in `transform`. */
  update(
    scope: RequestScope,
    name: string,
    transform: Transform,
    options: UpdateOptions,
  ): Promise<{ object: StoredObject; created: boolean }>;
}

export interface UpdateOptions {
  /** Undefined for the object itself. */
  readonly subresource?: "status" | WritableSubresource | undefined;
  /** Skips the strategy's preparation and validation, for subresources that set one field. */
  readonly trusted?: boolean;
  /** Creates a missing object even where the strategy forbids it. Server-side apply sets it. */
  readonly createMissing?: boolean;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly admit: AdmitUpdate;
}

export interface GracefulDeleter {
  /**
   * `gone` is true when the object was removed at once. Otherwise a finalizer or a grace period keeps it, with its
   * deletionTimestamp set.
   */
  delete(
    scope: RequestScope,
    name: string,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<{ object: StoredObject; gone: boolean }>;
}

export interface CollectionDeleter {
  /** Deletes the objects of a list with these options and returns that list. */
  deleteCollection(
    scope: RequestScope,
    list: ListObjectsOptions,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<ListOfObjects>;
}

/**
 * Admission of a new object. `mutate` runs before the strategy and may change the draft; `validate` runs after the strategy's
 * validation and changes nothing. A phase without plugins is left out. A phase refuses with whatever it throws.
 */
export interface AdmitCreate {
  readonly mutate?: ((draft: KubeObject) => Promise<void>) | undefined;
  readonly validate?: ((object: KubeObject) => Promise<void>) | undefined;
}

/** As {@link AdmitCreate}, for a change of `old`. Both phases run again after a conflict. */
export interface AdmitChange {
  readonly mutate?: ((draft: KubeObject, old: KubeObject) => Promise<void>) | undefined;
  readonly validate?: ((object: KubeObject, old: KubeObject) => Promise<void>) | undefined;
}

/** Admission of a PUT or PATCH, which may find that it creates the object. */
export interface AdmitUpdate {
  readonly create: AdmitCreate;
  readonly update: AdmitChange;
}

/** Both phases for an object that is about to be deleted; undefined without plugins. Runs again after a conflict. */
export type AdmitDelete = ((object: KubeObject) => Promise<void>) | undefined;

/** For the server's own writes, and for those whose request was admitted already. */
export const ADMITTED: AdmitUpdate = { create: {}, update: {} };
