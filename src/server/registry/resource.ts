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
 * What a resource can do. The verbs a server offers for it are those whose interface it implements; objects are in the
 * hub's shape throughout, and conversion to what was asked for is the endpoints' business.
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
  /** `admit` runs after defaults and before the strategy: mutating and validating admission. */
  create(scope: RequestScope, draft: KubeObject, admit: AdmitCreate): Promise<StoredObject>;
}

/** Makes the new object of the current one; may run several times. `current` is undefined when there is none yet. */
export type Transform = (current: StoredObject | undefined) => Promise<KubeObject>;

export interface Updater {
  /** PUT and PATCH alike: the difference is in `transform`. */
  update(
    scope: RequestScope,
    name: string,
    transform: Transform,
    options: UpdateOptions,
  ): Promise<{ object: StoredObject; created: boolean }>;
}

export interface UpdateOptions {
  /** Absent for the object itself. */
  readonly subresource?: "status" | WritableSubresource | undefined;
  /** The transform's result is trusted: the strategy neither prepares nor judges it (subresources that set one field). */
  readonly trusted?: boolean;
  /** Makes the object where there is none yet, whatever the strategy says (apply). */
  readonly createMissing?: boolean;
  readonly preconditions?:
    | { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined }
    | undefined;
  readonly admit: AdmitUpdate;
}

export interface GracefulDeleter {
  /** `gone` says whether the object was removed at once; otherwise something holds it and it only has its deletionTimestamp. */
  delete(
    scope: RequestScope,
    name: string,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<{ object: StoredObject; gone: boolean }>;
}

export interface CollectionDeleter {
  /** Deletes what a list with these options answers, and answers it. */
  deleteCollection(
    scope: RequestScope,
    list: ListObjectsOptions,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<ListOfObjects>;
}

export type AdmitCreate = (draft: KubeObject) => Promise<void>;
export type AdmitUpdate = (draft: KubeObject, old: KubeObject | undefined) => Promise<void>;
export type AdmitDelete = (object: KubeObject) => Promise<void>;
