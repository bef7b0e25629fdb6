import type {
  CollectionDeleter,
  Creater,
  Getter,
  GracefulDeleter,
  Lister,
  ResourceStorage,
  Updater,
  Watcher,
} from "../resource.js";
import type { RequestScope } from "../scope.js";
import { Store } from "../store.js";
import { verbsOfSource } from "./object-source.js";
import { deletionOf, SourceObjects } from "./source-objects.js";
import { Source, type SourceConfig, type SourceUse } from "./source.js";

/** The storage of a resource whose objects a user's code keeps or computes. It has the methods that the source implements. */
export class SourceStorage implements ResourceStorage {
  readonly get?: Getter["get"];
  readonly list?: Lister["list"];
  readonly watch?: Watcher["watch"];
  readonly create?: Creater["create"];
  readonly update?: Updater["update"];
  readonly delete?: GracefulDeleter["delete"];
  readonly deleteCollection?: CollectionDeleter["deleteCollection"];
  readonly #source: Source;
  readonly #config: SourceConfig;

  constructor(config: SourceConfig) {
    const { source, options, store } = config;
    const verbs = verbsOfSource(source, options);
    // A finalizer that nobody can remove would keep the object for ever: the garbage collector has to see it, and to write.
    const garbageCollector =
      store.deletion?.garbageCollector !== false && verbs.includes("watch") && verbs.includes("update");
    this.#config = { ...config, store: { ...store, deletion: { ...store.deletion, garbageCollector } } };
    this.#source = new Source(this.#config);
    const has = (verb: string): boolean => verbs.includes(verb);
    if (has("get")) this.get = (scope, ...given) => this.store(scope).get(scope, ...given);
    if (has("list")) this.list = (scope, ...given) => this.store(scope).list(scope, ...given);
    if (has("watch")) this.watch = (scope, ...given) => this.store(scope).watch(scope, ...given);
    if (has("create")) this.create = (scope, ...given) => this.store(scope).create(scope, ...given);
    if (has("update")) {
      this.update = (scope, name, transform, how) =>
        this.store(scope, { subresource: how.subresource }).update(scope, name, transform, how);
    }
    if (has("delete")) {
      this.delete = (scope, name, how, admit) => this.store(scope, deletionOf(how)).delete(scope, name, how, admit);
    }
    if (source.deleteCollection !== undefined) {
      this.deleteCollection = async (scope, list, how, admit) => {
        const found = await this.store(scope).list(scope, list);
        for (const item of found.items) await admit?.(item.object());
        if (!scope.dryRun) await this.#source.deleteCollection(scope, found.items, deletionOf(how));
        return found;
      };
    } else if (has("deletecollection")) {
      this.deleteCollection = (scope, list, how, admit) =>
        this.store(scope, deletionOf(how)).deleteCollection(scope, list, how, admit);
    }
  }

  /** The generic Store over the objects as one request sees them. */
  store(scope: RequestScope, use: SourceUse = {}): Store {
    return new Store({ ...this.#config.store, objects: new SourceObjects(this.#source, scope, use) });
  }

  /** Ends what follows the source. */
  close(): void {
    this.#source.close();
  }
}
