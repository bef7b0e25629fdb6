import type { KubeObject } from "../../machinery/meta/object.js";
import type { DraftObject, ReceivedObject } from "../../machinery/meta/received.js";
import type { Authorization } from "../authz/authorizer.js";
import type { ClusterNetwork } from "../kubelet/cluster-network.js";
import type { Random } from "../../base/numbers/random.js";
import type { ObjectSource, SourceOptions } from "../registry/plain-objects/object-source.js";
import type { Connecter } from "../registry/resource.js";
import type { Strategy, SubresourceStrategy } from "../registry/strategy.js";
import type { Handler } from "../request/api-request.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import type { TokenUnion } from "../request/user.js";
import type { ServedResource } from "./served-resource.js";

/**
 * The behaviour of a resource beyond its API facts: one record for all its versions. Verbs and subresources that the record does
 * not name follow from the facts and from what the storage implements (operations.ts).
 */
export interface ResourceRecord<Seen = KubeObject, Draft = KubeObject> {
  /** "" is the core group. */
  readonly group: string;
  /** The plural: "deployments". */
  readonly resource: string;
  /** Hooks, table columns and other behaviour of the objects. Left out: generic behaviour. */
  readonly strategy?: Strategy<Seen, Draft>;
  /** Left out: the generic Store, under /registry/[<group>/]<resource>/. */
  readonly storage?: StorageRecord;
  /** Subresources other than status and scale, by name. Those two come with the facts and the strategy. */
  readonly subresources?: Readonly<Record<string, SubresourceRecord<Seen, Draft>>>;
  /** Handlers of the resource's own verbs that are no generic operation, by verb: a review's "create". */
  readonly handlers?: Readonly<Record<string, MakeHandler>>;
}

/** The record of a built-in kind, which reads its objects by their generated type. */
export type RecordOf<Kind> = ResourceRecord<ReceivedObject<Kind>, DraftObject<Kind>>;

/** The parts of a resource's storage that differ from the generic Store. */
export interface StorageRecord extends SourceOptions {
  /**
   * "<group>/<resource>" of the resource whose storage and strategy this one shares: the events of both groups are
   * "/events". Both serve the same objects; versions of another schema need a conversion to the storage version of that resource, which has
   * to be installed before.
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
   * Code that keeps or computes the objects in place of the server's storage, or a function that makes it, which is called once when the
   * resource is installed. Other servers and strategies read its objects by requests only.
   */
  readonly objects?: ObjectSource | (() => ObjectSource);
}

/** The storage of a resource that keeps no objects: handlers answer for it. */
export const NOT_STORED: StorageRecord = { objects: {} };

/** A subresource: a part of the object, handlers by verb, or a connection. */
export type SubresourceRecord<Seen = KubeObject, Draft = KubeObject> =
  | {
      /** The subresource has the object's shape and writes a part of it by these rules. */
      readonly part: SubresourceStrategy<Seen, Draft>;
    }
  | { readonly handlers: Readonly<Record<string, MakeHandler>> }
  | { readonly connecter: (resource: ServedResource, server: HandlerContext) => Connecter };

/**
 * Makes the handler of one verb of a served resource. Called once, when the version is first used. Returns undefined where
 * the server lacks what the handler needs; the verb is then refused.
 */
export type MakeHandler = (resource: ServedResource, server: HandlerContext) => Handler | undefined;

/** The parts of the server that the handlers of records may use. */
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

/** Returns the rules of the subresources that write a part of the object, by name. */
export function partsOf(record: ResourceRecord | undefined): Readonly<Record<string, SubresourceStrategy>> {
  const parts = Object.entries(record?.subresources ?? {}).flatMap(([name, subresource]) =>
    "part" in subresource ? [[name, subresource.part] as const] : [],
  );
  return Object.fromEntries(parts);
}
