import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectReference } from "../../api/types/core/v1.js";
import { deferred } from "../../base/async/deferred.js";
import { pause } from "../../base/time/pause.js";
import type { EventRecorder } from "../../client/events/index.js";
import { Reflector } from "../../client/reflector/reflector.js";
import {
  ItemExponentialFailureRateLimiter,
  type Outcome,
  RateLimitingQueue,
  runWorkers,
} from "../../client/workqueue/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject, ObjectMeta, OwnerReference } from "../../machinery/meta/object.js";
import type { ControllerContext, OwnWork } from "../context.js";
import type { ServedResource } from "../served-resources.js";
import { isUsualFault } from "../../client/reflector/list-watch.js";
import { AbsentOwners, DependencyGraph, FOREGROUND, ORPHAN, type GraphNode } from "./dependency-graph.js";
import { invalidNamespaceText, type ObjectIdentity, ownerOf } from "./object-reference.js";
import { OwnerRequests, type Propagation } from "./owner-requests.js";

/** Follows one resource from its first object on. */
interface Monitor {
  /** Resolves when its reflector has stopped. */
  stop(): Promise<void>;
}

const WORKERS = 20;
/** How long deletions wait for the first lists. */
const FIRST_LISTS_MS = 30_000;
const RETRY_MS = 1000;

/** Deletes objects whose owners are gone. Its reflectors keep no objects: the graph has their names, uids and owners. */
export function garbageCollector(context: ControllerContext): OwnWork {
  const collector = new GarbageCollector(context);
  context.onApiChange(() => collector.apiChanged());
  return { run: () => collector.run() };
}

/**
 * Deletes objects whose owners are all gone, finishes deletions in the foreground when nothing blocks them any more, and
 * makes dependents forget an owner that is deleted as "Orphan". It follows the metadata of everything that can be deleted,
 * without a watch for a resource that has no objects yet.
 */
class GarbageCollector {
  readonly #requests: OwnerRequests;
  readonly #absentOwners = new AbsentOwners();
  readonly #graph: DependencyGraph;
  readonly #deletions: RateLimitingQueue<GraphNode>;
  readonly #orphanings: RateLimitingQueue<GraphNode>;
  readonly #events: EventRecorder;
  readonly #working: Promise<void>[] = [];
  /** By "apps/v1/deployments". */
  readonly #monitors = new Map<string, Monitor>();
  /** The next change of what the server serves. */
  #change = deferred<void>();

  constructor(private readonly context: ControllerContext) {
    const { client, served, timers, recorder } = context;
    this.#requests = new OwnerRequests(client, served);
    this.#events = recorder({ component: "garbage-collector-controller" });
    // Without the limit for all items together: many objects may wait for their watches at once.
    const rateLimiter = () =>
      new ItemExponentialFailureRateLimiter<GraphNode>({ baseMilliseconds: 5, maxMilliseconds: 1_000_000 });
    this.#deletions = new RateLimitingQueue({ timers, rateLimiter: rateLimiter() });
    this.#orphanings = new RateLimitingQueue({ timers, rateLimiter: rateLimiter() });
    this.#graph = new DependencyGraph(
      {
        attemptToDelete: (node) => this.#deletions.add(node),
        attemptToDeleteLater: (node) => this.#deletions.addRateLimited(node),
        attemptToOrphan: (node) => this.#orphanings.add(node),
        removed: (node) => {
          this.#deletions.forget(node);
          this.#orphanings.forget(node);
        },
        invalidNamespace: (node, owner) => this.#warnOfNamespace(node, owner),
      },
      this.#absentOwners,
    );
  }

  /** Ends when the signal aborts and nothing is under way any more. */
  async run(): Promise<void> {
    const { signal } = this.context;
    signal.addEventListener("abort", () => this.#stop(), { once: true });
    await this.#followResources(true);
    while (!signal.aborted) {
      await this.#change.promise;
      this.#change = deferred();
      await this.#followResources(false);
    }
    await Promise.all([...this.#monitors.values()].map(({ stop }) => stop()));
    await Promise.all(this.#working);
  }

  /** To be called when the server begins or ceases to serve resources. */
  apiChanged(): void {
    this.#change.resolve();
  }

  #stop(): void {
    for (const { stop } of this.#monitors.values()) void stop();
    for (const queue of [this.#deletions, this.#orphanings]) queue.shutDown();
    this.#change.resolve();
  }

  /**
   * Follows every resource whose objects can be garbage, and no other. Deletions begin when all of the first ones were listed, or, as in
   * kube-controller-manager, after half a minute: a resource that cannot be listed holds up no other.
   */
  async #followResources(first: boolean): Promise<void> {
    const resources = new Map((await this.#resources()).map((one) => [`${one.apiVersion}/${one.resource}`, one]));
    if (this.context.signal.aborted) return;
    for (const [id, { stop }] of this.#monitors) {
      if (resources.has(id)) continue;
      this.#monitors.delete(id);
      await stop();
    }
    let missing = resources.size;
    let waiting = first;
    let cancel = (): void => {};
    const begin = (): void => {
      if (!waiting || this.context.signal.aborted) return;
      waiting = false;
      cancel();
      this.#work(this.#deletions, (node) => this.#attemptToDelete(node));
      this.#work(this.#orphanings, (node) => this.#attemptToOrphan(node));
    };
    const synced = () => {
      // What the collector has not listed yet is not therefore absent: it asks for each owner that it does not know.
      if (--missing === 0) begin();
    };
    for (const [id, resource] of resources) {
      if (!this.#monitors.has(id)) this.#monitors.set(id, this.#monitor(resource, first, synced));
    }
    if (missing === 0 || !first) return;
    cancel = this.context.timers.start(FIRST_LISTS_MS, begin);
    this.context.signal.addEventListener("abort", cancel, { once: true });
  }

  #work(queue: RateLimitingQueue<GraphNode>, work: (node: GraphNode) => Promise<Outcome>): void {
    const { cluster, signal, report } = this.context;
    const workers = cluster.workers?.["garbage-collector-controller"] ?? WORKERS;
    this.#working.push(runWorkers(queue, { workers, signal, work, report: ({ error }) => report(error) }));
  }

  /** Asks discovery until it answers; none once the signal aborts. */
  async #resources(): Promise<readonly ServedResource[]> {
    const { signal, report, timers } = this.context;
    while (!signal.aborted) {
      try {
        return await this.#requests.deletable();
      } catch (error) {
        if (!signal.aborted) report(error);
        await pause(timers, RETRY_MS, signal);
      }
    }
    return [];
  }

  /** Calls `synced` once the graph has the objects that there are now. `isFresh` says that it has none of the resource yet. */
  #monitor(resource: ServedResource, isFresh: boolean, synced: () => void): Monitor {
    const stopping = new AbortController();
    let following: Promise<void> | undefined;
    let listed: (() => void) | undefined = synced;
    const forgetWaiting = this.context.whenOccupied(resource, () => {
      following = this.#reflector(resource, isFresh, listed).run(stopping.signal);
    });
    if (following === undefined) {
      listed = undefined;
      synced();
    }
    return {
      async stop() {
        forgetWaiting();
        stopping.abort();
        await following;
      },
    };
  }

  #reflector(resource: ServedResource, isFresh: boolean, listed: (() => void) | undefined): Reflector<ApiObject> {
    const { apiVersion, kind } = resource;
    const { client, clock, timers, random, report } = this.context;
    const identity = ({ namespace = "", name = "", uid = "" }: ObjectMeta): ObjectIdentity => ({
      apiVersion,
      kind,
      namespace,
      name,
      uid,
    });
    let isFirst = true;
    const store = {
      add: ({ metadata = {} }: ApiObject) => this.#graph.changed(identity(metadata), metadata),
      update: ({ metadata = {} }: ApiObject) => this.#graph.changed(identity(metadata), metadata),
      delete: ({ metadata = {} }: ApiObject) => this.#graph.deleted(identity(metadata), false),
      replace: (objects: readonly ApiObject[]) => {
        for (const object of objects) store.add(object);
        if (isFirst) listed?.();
        if (!isFirst || !isFresh) {
          this.#forgetMissing(resource, new Set(objects.map(({ metadata }) => metadata?.uid ?? "")));
        }
        isFirst = false;
      },
    };
    return new Reflector(client.resource(resource).metadata(), store, {
      clock,
      timers,
      random,
      onFault: ({ error }) => {
        // The next change of the API ends the monitor of a resource that is not served any more.
        if (!isUsualFault(error) && !isNotFound(error)) report(error);
      },
    });
  }

  #forgetMissing({ apiVersion, kind }: ServedResource, uids: ReadonlySet<string>): void {
    for (const { identity, virtual } of this.#graph.nodes()) {
      if (virtual || identity.apiVersion !== apiVersion || identity.kind !== kind || uids.has(identity.uid)) continue;
      this.#graph.deleted(identity, false);
    }
  }

  async #attemptToDelete(node: GraphNode): Promise<Outcome> {
    const { identity } = node;
    if (this.#graph.get(identity.uid) !== node) return "done";
    // Who is on the way out gets there by itself.
    if (node.beingDeleted && !node.deletingDependents) return "done";
    let latest: ObjectMeta;
    try {
      latest = await this.#requests.get(identity);
      if (node.deletingDependents) await this.#finishForeground(node);
      else await this.#deleteIfGarbage(node, latest);
    } catch (error) {
      if (error instanceof ClusterScopedDependentError) return "done";
      if (!isNotFound(error)) throw error;
      this.#graph.deleted(identity, true);
      return "done";
    }
    // Until its own watch has told of it, it may come and go unseen.
    return node.virtual ? "again" : "done";
  }

  async #finishForeground(node: GraphNode): Promise<void> {
    const blocking = node.blockingDependents();
    if (blocking.length === 0) return this.#requests.removeFinalizer(node.identity, FOREGROUND);
    for (const dependent of blocking) if (!dependent.deletingDependents) this.#deletions.add(dependent);
  }

  async #deleteIfGarbage(node: GraphNode, latest: ObjectMeta): Promise<void> {
    const { ownerReferences: owners = [], finalizers = [] } = latest;
    if (owners.length === 0) return;
    const { solid, dangling, waiting } = await this.#classify(node, owners);
    if (solid.length > 0) {
      const useless = [...dangling, ...waiting].map(({ uid }) => uid);
      if (useless.length > 0) await this.#requests.dropOwners(node.identity, useless);
      return;
    }
    let policy: Propagation = "Background";
    if (waiting.length > 0 && node.dependents.size > 0) {
      // A circle of owners that wait for each other would never end.
      const circle = [...node.dependents].some(({ deletingDependents }) => deletingDependents);
      if (circle) {
        await this.#requests.unblockOwners(node.identity, owners);
        latest = await this.#requests.get(node.identity);
      }
      policy = "Foreground";
    } else if (finalizers.includes(ORPHAN)) policy = "Orphan";
    else if (finalizers.includes(FOREGROUND)) policy = "Foreground";
    await this.#requests.delete(node.identity, latest, policy);
  }

  /** Owners that are there, that are not, and that are there until their dependents are gone. */
  async #classify(node: GraphNode, owners: readonly OwnerReference[]) {
    const solid: OwnerReference[] = [];
    const dangling: OwnerReference[] = [];
    const waiting: OwnerReference[] = [];
    for (const reference of owners) {
      const owner = await this.#ownerOf(node, reference);
      if (owner === undefined) dangling.push(reference);
      else if (owner.deletionTimestamp !== undefined && owner.finalizers?.includes(FOREGROUND) === true) {
        waiting.push(reference);
      } else solid.push(reference);
    }
    return { solid, dangling, waiting };
  }

  /** Undefined when the owner does not exist, or not where the reference says. */
  async #ownerOf(node: GraphNode, reference: OwnerReference): Promise<ObjectMeta | undefined> {
    const { namespace } = node.identity;
    if ([ownerOf(reference, ""), ownerOf(reference, namespace)].some((owner) => this.#absentOwners.has(owner))) {
      return undefined;
    }
    const { namespaced } = await this.#requests.resourceOf(reference);
    if (namespaced && namespace === "") throw new ClusterScopedDependentError();
    const owner = ownerOf(reference, namespaced ? namespace : "");
    try {
      return await this.#requests.get(owner);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#absentOwners.add(owner);
      return undefined;
    }
  }

  async #attemptToOrphan(node: GraphNode): Promise<Outcome> {
    const { uid } = node.identity;
    if (this.#graph.get(uid) !== node) return "done";
    await Promise.all(
      [...node.dependents].map(async ({ identity }) => {
        try {
          await this.#requests.dropOwners(identity, [uid]);
        } catch (error) {
          if (!isNotFound(error)) throw error;
        }
      }),
    );
    await this.#requests.removeFinalizer(node.identity, ORPHAN);
    return "done";
  }

  #warnOfNamespace(node: GraphNode, owner: ObjectIdentity): void {
    const { apiVersion, kind, name, namespace, uid } = node.identity;
    const object = { apiVersion, kind, namespace, name, uid } satisfies FieldsOf<ObjectReference>;
    this.#events.event(object, "Warning", "OwnerRefInvalidNamespace", invalidNamespaceText(owner));
  }
}

/** Objects outside namespaces cannot have owners in one: nothing that comes later makes it right. */
class ClusterScopedDependentError extends Error {
  override readonly name = "ClusterScopedDependentError";

  constructor() {
    super("cluster-scoped objects cannot refer to namespaced owners");
  }
}
