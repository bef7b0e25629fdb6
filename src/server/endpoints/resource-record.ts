import type { Authorization } from "../authz/authorizer.js";
import type { ClusterNetwork } from "../kubelet/cluster-network.js";
import type { Random } from "../../base/numbers/random.js";
import type { Connecter, ResourceStorage } from "../registry/resource.js";
import type { Strategy, SubresourceStrategy } from "../registry/strategy.js";
import type { Handler } from "../request/api-request.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import type { TokenUnion } from "../request/user.js";
import type { ServedResource } from "./served-resource.js";

/**
 * What a resource is beyond its API facts: one record for all its versions. Verbs and subresources that the record does not
 * name follow from the facts and from what the storage implements (operations.ts).
 */
export interface ResourceRecord {
  /** "" is the core group. */
  readonly group: string;
  /** The plural: "deployments". */
  readonly resource: string;
  /** Hooks, table columns and other behaviour of the objects. Left out: generic behaviour. */
  readonly strategy?: Strategy;
  /** Left out: the generic Store, under /registry/[<group>/]<resource>/. */
  readonly storage?: StorageRecord;
  /** Subresources other than status and scale, by name. Those two come with the facts and the strategy. */
  readonly subresources?: Readonly<Record<string, SubresourceRecord>>;
  /** Handlers of the resource's own verbs that are no generic operation, by verb: a review's "create". */
  readonly handlers?: Readonly<Record<string, MakeHandler>>;
}

/** What of a resource's storage is not as usual. */
export interface StorageRecord {
  /**
   * "<group>/<resource>" of the resource whose storage and strategy this one shares: the events of both groups are
   * "/events".
   */
  readonly sharedWith?: string;
  /** Where the generic Store keeps the objects, under /registry/: "services/specs". */
  readonly prefix?: string;
  /**
   * Whether stored objects may be of any of the versions, and of an earlier schema: the first read of the generic Store brings them to the
   * present one, so that a change of the storage version or of a schema loses no field. Default: true for installed resources. With
   * false, bytes are taken as they are, and fields that the storage version does not have are not seen.
   */
  readonly upgradesOnRead?: boolean;
  /**
   * Makes a storage that is not the generic Store: of computed objects, of files, a proxy. Called once, when the resource is
   * first used. The objects are in the hub's shape; strategies of other resources cannot read them.
   */
  readonly open?: () => ResourceStorage;
}

/** The storage of a resource that keeps no objects: handlers answer for it. */
export const NOT_STORED: StorageRecord = { open: () => ({}) };

/** A subresource is one of three: a part of the object, handlers by verb, or a connection. */
export type SubresourceRecord =
  | {
      /** The subresource has the object's shape and writes a part of it by these rules. */
      readonly part: SubresourceStrategy;
    }
  | { readonly handlers: Readonly<Record<string, MakeHandler>> }
  | { readonly connecter: (resource: ServedResource, server: HandlerContext) => Connecter };

/**
 * Makes the handler of one verb of a served resource. Called once, when the version is first used. Returns undefined where
 * the server lacks what the handler needs; the verb is then refused.
 */
export type MakeHandler = (resource: ServedResource, server: HandlerContext) => Handler | undefined;

/** What the handlers of records may use of the server. */
export interface HandlerContext {
  /** Finds another served resource by "policy/v1" and "poddisruptionbudgets". */
  readonly resource: (groupVersion: string, resource: string) => ServedResource | undefined;
  /** Decides what users may do. */
  readonly authorization: Authorization;
  /** Verifies bearer tokens. */
  readonly tokens: TokenUnion;
  /** Reaches the agents of nodes and the addresses of pods. */
  readonly network: ClusterNetwork;
  /** Issues service account tokens. Absent: the server issues none. */
  readonly serviceAccounts?: { readonly issuer: TokenIssuer; readonly random: Random } | undefined;
}

/** "<group>/<resource>"; "/pods" for the core group. */
export const recordId = ({ group, resource }: Pick<ResourceRecord, "group" | "resource">): string =>
  `${group}/${resource}`;

/** The rules of the subresources that write a part of the object, by name. */
export function partsOf(record: ResourceRecord | undefined): Readonly<Record<string, SubresourceStrategy>> {
  const parts = Object.entries(record?.subresources ?? {}).flatMap(([name, subresource]) =>
    "part" in subresource ? [[name, subresource.part] as const] : [],
  );
  return Object.fromEntries(parts);
}
