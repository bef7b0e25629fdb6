import type { Release } from "../../api/facts/index.js";
import type { ServerGates } from "../../api/gates/feature-gates.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Authorization } from "../authz/authorizer.js";
import type { ObjectStore } from "../storage/store.js";
import type { ResolvedStrategy } from "./default-strategy.js";
import type { DeletionRules } from "./deletion.js";
import type { InternalKind, InternalObject } from "./internal-object.js";
import type { RequestScope } from "./scope.js";
import type { ObjectAccess, StrategyContext, SubresourceStrategy } from "./strategy.js";

export interface StoreConfig {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly strategy: ResolvedStrategy;
  /** The rules of the subresources other than status that write a part of the object, by name. */
  readonly parts: Readonly<Record<string, SubresourceStrategy>>;
  readonly objects: ObjectStore;
  /**
   * Encodes an object as the store does. Two objects with equal bytes are stored alike, whatever fields they leave out in
   * memory.
   */
  readonly encode: (object: KubeObject) => Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** Reads and writes other resources, for strategies. */
  readonly access: ObjectAccess;
  /** How the server deletes objects. Default: as kube-apiserver without flags. */
  readonly deletion?: DeletionRules | undefined;
  readonly authorization: Authorization;
  /** The version of Kubernetes that the server is. */
  readonly release: Release;
  readonly gates: ServerGates;
  readonly resourceOf: StrategyContext["resourceOf"];
  readonly internal: (kind: InternalKind) => InternalObject;
}

/** Returns the namespace of the request; "" for a cluster-scoped resource. */
export const namespaceOf = ({ namespaced }: StoreConfig, scope: RequestScope): string =>
  namespaced ? scope.namespace : "";

/** Makes the context that a strategy's hooks may use for the request. */
export function strategyContext(config: Omit<StoreConfig, "objects">, scope: RequestScope): StrategyContext {
  const { clock, random, access: objects, authorization, release, gates, resourceOf, internal } = config;
  const { user, verb, apiVersion, dryRun, warnings } = scope;
  const warn = (message: string) => warnings.add(message);
  const request = { now: clock.now(), user, verb, apiVersion, dryRun, warn };
  return { ...request, random, objects, authorization, release, gates, resourceOf, internal };
}
