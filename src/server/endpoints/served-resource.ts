import type { ResourceFacts } from "../../api/facts/index.js";
import type { ServerTraits } from "../../api/gates/feature-gates.js";
import type { Random } from "../../base/numbers/random.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Timers } from "../../base/time/timers.js";
import type { AdmissionChain } from "../admission/chain.js";
import type { ResolvedStrategy } from "../registry/default-strategy.js";
import type { ResourceStorage } from "../registry/resource.js";
import type { VersionCodec } from "./representation/version-codec.js";
import type { ResourceRecord } from "./resource-record.js";

/** One resource at one version, as the verb handlers see it. */
export interface ServedResource extends ServerTraits {
  readonly facts: ResourceFacts;
  readonly codec: VersionCodec;
  readonly storage: ResourceStorage;
  /** Undefined for a resource with generic behaviour only. */
  readonly record: ResourceRecord | undefined;
  readonly strategy: ResolvedStrategy;
  readonly admission: AdmissionChain;
  /** Aborts when the resource is no longer served at this version. Its watches end then. */
  readonly removed: AbortSignal;
  /** All objects of the resource as the server has them in memory now; undefined where it keeps none there. For tables. */
  readonly all: () => readonly KubeObject[] | undefined;
  /** Milliseconds since the epoch, for ages in tables. */
  readonly now: () => number;
  /** Randomizes the ends of watches. No name, uid or secret is made of it. */
  readonly random: Random;
  /** Ends watches whose time is up. */
  readonly timers: Timers;
  /** How long a watch lasts at least that asks for no time; it ends within twice of it. Default: half an hour. */
  readonly minWatchSeconds?: number | undefined;
}
