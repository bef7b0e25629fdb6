import type { ServerTraits } from "../../api/gates/feature-gates.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { InformerFactory } from "../../client/informers/informer-factory.js";
import type { Transport } from "../../client/transport/transport.js";
import { type GroupResource, formatGroupResource } from "../../machinery/errors/status-error.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { Quantity } from "../../machinery/text/quantity/quantity.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Authorizer } from "../authz/authorizer.js";
import type { Measuring } from "../metrics/measures.js";
import type { WebhookClients } from "../webhook/webhook-clients.js";
import type { AdmissionAttributes, Operation } from "./attributes.js";

/**
 * Changes or refuses writes and connections after authentication. `admit` is the mutating phase, `validate` the validating
 * one; a plugin has one or both. A phase refuses with a StatusError. Both run again when an update is tried again after a
 * conflict, so they must not count or keep anything per call.
 *
 * What else a plugin throws, an object that is no longer of its kind, and a promise that does not settle before the request's
 * deadline fail that one request with a 500 or 504. A plugin that blocks the event loop blocks the server: nothing can end it.
 */
export interface AdmissionPlugin {
  readonly name: string;
  /**
   * Whether the plugin looks at an operation on a resource. The answer is kept, so it must not change. Left out: it looks at
   * everything.
   */
  handles?(operation: Operation, target: AdmissionTarget): boolean;
  /**
   * Of the server's own plugins only: true while the plugin has nothing to do for any request to a resource. It is asked at each request that the plugin
   * handles, and a request that comes while it is true costs no more than the answer.
   */
  idle?(context: AdmissionContext, target: AdmissionTarget): boolean;
  /** Runs after decoding and defaulting and before the strategy. May change `attributes.object` in place. */
  admit?(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> | void;
  /** Runs after the strategy's preparation and validation. Must change nothing. */
  validate?(attributes: AdmissionAttributes, context: AdmissionContext): Promise<void> | void;
}

export interface AdmissionTarget extends GroupResource {
  readonly subresource: string;
}

/** A server to which plugins and hooks send requests, and whose objects they watch. */
export interface ApiAccess {
  readonly client: KubernetesClient;
  /** The informers that all users of the server share. Those that are there when the server starts are started by it. */
  readonly informers: InformerFactory;
}

/** The parts of a server that it passes to a user's admission plugin before it starts: the initializers of k8s.io/apiserver. */
export interface AdmissionInitialization {
  /** The main server. Reading it throws where the server has none. */
  readonly coreApi: ApiAccess;
  /** This server, asked as the server itself. */
  readonly loopback: ApiAccess;
  /** Asks the server's authorizers. */
  readonly authorize: Authorizer;
}

/** The parts of the server that plugins may use. */
export interface AdmissionContext extends ServerTraits {
  readonly objects: AdmissionObjects;
  readonly random: Random;
  /** Calls webhooks. */
  readonly webhooks: WebhookClients;
  readonly kinds: ServedKinds;
  /** Asks the server's authorizers. While there are none it allows everything. */
  readonly authorize: Authorizer;
  readonly clock: Clock;
  /** The charges of quotas whose objects may not be stored yet, of all servers on the store. */
  readonly openCharges: OpenChargesOfQuotas;
  /** Requests as the server itself, which admission does not refuse: how a plugin writes other objects. */
  readonly client: () => Transport;
  /** Takes how long plugins and webhooks took. Left out: nothing does. */
  readonly measuring?: Measuring;
  /** The webhooks and policies of files. Left out: there are none. */
  readonly manifests?: AdmissionManifests | undefined;
}

/** The configuration of a plugin whose webhooks or policies may be in manifest files. */
export interface ManifestFolder {
  /**
   * The absolute path of a folder with webhook configurations, or with policies and their bindings, in YAML and JSON (K37-108). They are in force
   * beside those of the API, before them, and while the server runs it follows the files. Default: none.
   */
  readonly staticManifestsDir?: string;
}

/** Webhooks and policies that a server has from files, in place of the API (K37-108). */
export interface AdmissionManifests {
  /**
   * The objects of a resource for a plugin, sorted by name, in their hub's shape. It is the same list until a file changes, and undefined for a
   * plugin without files.
   */
  now(plugin: string, resource: string): readonly KubeObject[] | undefined;
}

export interface OpenChargesOfQuotas {
  /** Resolves once the charges are stored. `amounts` are by the uids of quotas; `expires` in milliseconds. */
  open(
    charges: readonly {
      readonly id: string;
      readonly expires: number;
      readonly amounts: ReadonlyMap<string, ReadonlyMap<string, Quantity>>;
    }[],
  ): Promise<void>;
  close(ids: readonly string[]): Promise<void>;
}

/** Finds the kinds that the server serves at this time. */
export interface ServedKinds {
  find(kind: GroupVersionKind): ServedKind | undefined;
}

/** A kind at one version, and the resource that has its objects. */
export interface ServedKind {
  readonly kind: GroupVersionKind;
  readonly resource: GroupResource;
  readonly namespaced: boolean;
  /** A stored object in the version of the kind, as its JSON reads. It comes later where another process converts it. */
  show(object: KubeObject): JsonObject | Promise<JsonObject>;
}

/** Reads stored objects, in their hub's shape. They must not be changed. */
export interface AdmissionObjectReader {
  /** Lists a resource in all namespaces or in one. */
  list(group: string, resource: string, namespace?: string): Promise<readonly KubeObject[]>;
  /** Returns undefined when the object does not exist. */
  get(group: string, resource: string, namespace: string, name: string): Promise<KubeObject | undefined>;
}

export interface AdmissionObjects extends AdmissionObjectReader {
  /** Reads from this server's watch cache, which may lag behind the writes of other servers. */
  readonly cached: AdmissionObjectReader & {
    /** {@link AdmissionObjectReader.get} without parsing the object. */
    has(group: string, resource: string, namespace: string, name: string): Promise<boolean>;
    /**
     * All objects of a resource as the cache holds them now, in key order and not parsed yet; undefined where there is no cache.
     * None of a built-in resource that runtimeConfig turned off; throws for any other that is not served. It is the same list
     * until one of the objects changes.
     */
    now(group: string, resource: string): readonly CachedObject[] | undefined;
  };
}

/** An object of the watch cache at one revision. */
export interface CachedObject {
  readonly revision: number;
  object(): KubeObject;
}

/** The operations that leave an object behind. */
export const WRITES: readonly Operation[] = ["CREATE", "UPDATE"];

/** Makes the `handles` of a plugin for these operations on these resources, named as by {@link targetName}. */
export function handling(
  operations: readonly Operation[],
  ...resources: readonly string[]
): (operation: Operation, target: AdmissionTarget) => boolean {
  return (operation, target) => operations.includes(operation) && resources.includes(targetName(target));
}

/** Names the target of a request: "pods", "deployments.apps", "pods/resize". */
export function targetName({ subresource, ...resource }: AdmissionTarget): string {
  const name = formatGroupResource(resource);
  return subresource === "" ? name : `${name}/${subresource}`;
}
