import type { ResourceFacts } from "../../api/facts/index.js";
import type { Random } from "../../base/random.js";
import type { AdmissionChain } from "../admission/chain.js";
import type { ResolvedStrategy } from "../registry/default-strategy.js";
import type {
  CollectionDeleter,
  Creater,
  Getter,
  GracefulDeleter,
  Lister,
  Updater,
  Watcher,
} from "../registry/resource.js";
import type { VersionCodec } from "./representation/version-codec.js";

/** What a resource's storage can do; the verbs served are those it has. */
export type Storage = Partial<Getter & Lister & Watcher & Creater & Updater & GracefulDeleter & CollectionDeleter>;

/** One resource at one version, as the verb handlers see it. */
export interface ServedResource {
  readonly facts: ResourceFacts;
  readonly codec: VersionCodec;
  readonly storage: Storage;
  readonly strategy: ResolvedStrategy;
  readonly admission: AdmissionChain;
  /** Milliseconds since the epoch, for ages in tables. */
  readonly now: () => number;
  /** Spreads the ends of watches; no name, uid or secret comes of it. */
  readonly random: Random;
}
