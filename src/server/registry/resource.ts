import type { KubeObject } from "../../machinery/meta/object.js";
import type {
  ListObjectsOptions,
  ListOfObjects,
  ReadOptions,
  StoredEvent,
  StoredObject,
  WatchObjectsOptions,
  Preconditions,
} from "../storage/store.js";
import type { Handler } from "../request/api-request.js";
import type { RequestScope } from "./scope.js";

/**
 * The capabilities of a resource's storage. The server offers the verbs whose interfaces the storage implements. Objects are in
 * the hub's shape; the endpoints convert them to the version of the request.
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

/** Computes the new object from the current one, which is undefined when it does not exist. It may run several times. */
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
  /** "status", or a subresource that writes a part of the object. Undefined for the object itself. */
  readonly subresource?: string | undefined;
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
   * Deletes an object that cannot be read, in spite of finalizers, where the server permits it and the caller may do it. Resolves to false where
   * the server does not permit it.
   */
  deleteUnreadable?(scope: RequestScope, name: string, options: ValidDeleteOptions): Promise<boolean>;
  /**
   * `gone` is true when the object was removed at once. Otherwise a finalizer or a grace period keeps it, with its
   * deletionTimestamp set.
   */
  delete(
    scope: RequestScope,
    name: string,
    options: ValidDeleteOptions,
    admit: AdmitDelete,
  ): Promise<{ object: StoredObject; gone: boolean }>;
}

export interface CollectionDeleter {
  /** Deletes the objects of a list with these options and returns that list. */
  deleteCollection(
    scope: RequestScope,
    list: ListObjectsOptions,
    options: ValidDeleteOptions,
    admit: AdmitDelete,
  ): Promise<ListOfObjects>;
}

/** Serves requests that are no operation on an object, such as exec, port forwarding and proxies. */
export interface Connecter {
  /** The HTTP methods that connect, in capitals. */
  readonly connectMethods: readonly string[];
  /** True when the path may go on behind the subresource, as a proxy's does. */
  readonly hasSubpath: boolean;
  /** Resolves what the request is about and returns what answers it. Throws a StatusError, NotFound for an unknown name. */
  connect(scope: RequestScope, name: string, options: ConnectOptions): Promise<Handler>;
}

export interface ConnectOptions {
  /** The percent-encoded path behind the subresource: "/metrics", or "" without one. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The verb of the request: "get" for GET and HEAD, "create" for POST. */
  readonly verb: string;
}

/** The storage of a resource: an object that implements some of the capabilities. */
export type ResourceStorage = Partial<
  Getter & Lister & Watcher & Creater & Updater & GracefulDeleter & CollectionDeleter
>;

export const isGetter = (storage: ResourceStorage): storage is ResourceStorage & Getter => storage.get !== undefined;
export const isLister = (storage: ResourceStorage): storage is ResourceStorage & Lister => storage.list !== undefined;
export const isWatcher = (storage: ResourceStorage): storage is ResourceStorage & Watcher =>
  storage.watch !== undefined;
export const isCreater = (storage: ResourceStorage): storage is ResourceStorage & Creater =>
  storage.create !== undefined;
export const isUpdater = (storage: ResourceStorage): storage is ResourceStorage & Updater =>
  storage.update !== undefined;
export const isGracefulDeleter = (storage: ResourceStorage): storage is ResourceStorage & GracefulDeleter =>
  storage.delete !== undefined;
export const isCollectionDeleter = (storage: ResourceStorage): storage is ResourceStorage & CollectionDeleter =>
  storage.deleteCollection !== undefined;

/**
 * Admission of a new object. `mutate` runs before the strategy and may change the draft; `validate` runs after the strategy's
 * validation and changes nothing. A phase without plugins is left out. A phase refuses with whatever it throws.
 */
export interface AdmitCreate {
  readonly mutate?: ((draft: KubeObject) => Promise<void>) | undefined;
  readonly validate?: ((object: KubeObject) => Promise<void>) | undefined;
  /** Called once it is known whether the object is stored; not called where that stays unknown. */
  readonly settled?: (() => void) | undefined;
  /**
   * Returns true once a plugin has written something that only the stored object justifies, such as a quota's charge: a cancelled request
   * then still stores the object.
   */
  readonly isCharged?: (() => boolean) | undefined;
}

/** As {@link AdmitCreate}, for an update of `old`. Both phases run again after a conflict. */
export interface AdmitChange {
  readonly mutate?: ((draft: KubeObject, old: KubeObject) => Promise<void>) | undefined;
  readonly validate?: ((object: KubeObject, old: KubeObject) => Promise<void>) | undefined;
}

/** Admission of a PUT or PATCH, which may turn out to create the object. */
export interface AdmitUpdate {
  readonly create: AdmitCreate;
  readonly update: AdmitChange;
  /** As in {@link AdmitCreate}, for the create or the update that the request turns out to be. */
  readonly settled?: (() => void) | undefined;
  readonly isCharged?: (() => boolean) | undefined;
}

/** Both admission phases for a deletion; undefined without plugins. They run again after a conflict. */
export type AdmitDelete = ((object: KubeObject) => Promise<void>) | undefined;

/** Admission that allows everything, for the server's own writes and for requests that were admitted before. */
export const ADMITTED: AdmitUpdate = { create: {}, update: {} };

/** meta.k8s.io/v1 DeleteOptions after validation. */
export interface ValidDeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly preconditions?: Preconditions | undefined;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground" | undefined;
  /** The deprecated form of `propagationPolicy`: true is Orphan, false is Background. The two exclude each other. */
  readonly orphanDependents?: boolean | undefined;
  /** ignoreStoreReadErrorWithClusterBreakingPotential: deletes an object that cannot be read. */
  readonly ignoresReadErrors?: boolean | undefined;
}
