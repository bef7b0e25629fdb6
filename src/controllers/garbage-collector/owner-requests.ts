import type { Clock } from "../../base/clock.js";
import { isConflict, isNotFound, isUnsupportedMediaType, notFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject, ObjectMeta, OwnerReference } from "../../machinery/meta/object.js";
import { type Api, METADATA_ONLY } from "../api.js";
import { collectionPath, type DiscoveredResource, discover } from "../discover.js";
import type { ObjectReference } from "./object-reference.js";

export type Propagation = "Orphan" | "Foreground" | "Background";

/** How long what discovery said is believed when it does not know a kind. */
const REDISCOVER_MS = 30_000;

/** What the garbage collector asks of the API about one object. */
export class OwnerRequests {
  #kinds: Promise<ReadonlyMap<string, DiscoveredResource>> | undefined;
  #discovered = 0;

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
  ) {}

  /** To be called when the server begins or ceases to serve resources. */
  apiChanged(): void {
    this.#kinds = undefined;
  }

  /** The resource of a kind. Throws for a kind that cannot be found now, which says nothing about its objects. */
  async resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<DiscoveredResource> {
    const id = `${apiVersion}/${kind}`;
    let found = (await this.#known()).get(id);
    if (found === undefined && this.clock.now() - this.#discovered > REDISCOVER_MS) {
      this.#kinds = undefined;
      found = (await this.#known()).get(id);
    }
    if (found === undefined) throw unknownKind(apiVersion, kind);
    return found;
  }

  /** The object's metadata. Throws NotFound also for another object of that name. */
  async get(reference: ObjectReference): Promise<ObjectMeta> {
    const { metadata = {} } = await this.#read(reference);
    if (metadata.uid !== reference.uid) throw notFound({ group: "", resource: reference.kind }, reference.name);
    return metadata;
  }

  async #read(reference: ObjectReference): Promise<KubeObject> {
    try {
      return await this.api.get(await this.#path(reference), METADATA_ONLY);
    } catch (error) {
      // A server that does not serve the resource any more names no object: the object may still be there.
      if (!isNotFound(error) || error.status.details?.name === reference.name) throw error;
      throw unknownKind(reference.apiVersion, reference.kind);
    }
  }

  /** Deletes the object unless its owners have changed since it looked like `seen`. */
  async delete(reference: ObjectReference, seen: ObjectMeta, propagationPolicy: Propagation): Promise<void> {
    const path = await this.#path(reference);
    const { uid } = reference;
    const { resourceVersion = "" } = seen;
    try {
      await this.api.delete(path, { propagationPolicy, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const now = await this.get(reference);
      if (!sameOwners(now.ownerReferences, seen.ownerReferences)) throw error;
      await this.api.delete(path, { propagationPolicy, preconditions: { uid } });
    }
  }

  /** Takes owners off an object. */
  async dropOwners(reference: ObjectReference, uids: readonly string[]): Promise<void> {
    const { uid } = reference;
    const dropped = uids.map((owner) => ({ $patch: "delete", uid: owner }));
    await this.#patchOwners(reference, { metadata: { ownerReferences: dropped, uid } }, (owners) =>
      owners.filter((owner) => !uids.includes(owner.uid)),
    );
  }

  /** Lets an object's owners go without it. */
  async unblockOwners(reference: ObjectReference, owners: readonly OwnerReference[]): Promise<void> {
    const { uid } = reference;
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    const unblocked = blocking.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await this.#patchOwners(reference, { metadata: { ownerReferences: unblocked, uid } }, (now) =>
      now.map((owner) => ({ ...owner, ...(owner.blockOwnerDeletion === true && { blockOwnerDeletion: false }) })),
    );
  }

  async removeFinalizer(reference: ObjectReference, finalizer: string): Promise<void> {
    const path = await this.#path(reference);
    for (;;) {
      try {
        const { finalizers = [], resourceVersion = "" } = await this.get(reference);
        if (!finalizers.includes(finalizer)) return;
        const rest = finalizers.filter((one) => one !== finalizer);
        await this.api.patch(path, "merge-patch", { metadata: { resourceVersion, finalizers: rest } });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** A strategic merge, or, where the kind knows none, the whole list. */
  async #patchOwners(
    reference: ObjectReference,
    strategic: JsonObject,
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const path = await this.#path(reference);
    try {
      await this.api.patch(path, "strategic-merge-patch", strategic);
    } catch (error) {
      if (!isUnsupportedMediaType(error)) throw error;
      const { ownerReferences = [], resourceVersion = "" } = await this.get(reference);
      const owners = change(ownerReferences).map((owner) => ({ ...owner }));
      await this.api.patch(path, "merge-patch", { metadata: { resourceVersion, ownerReferences: owners } });
    }
  }

  async #path(reference: ObjectReference): Promise<string> {
    const resource = await this.resourceOf(reference);
    const collection = collectionPath(resource, resource.namespaced ? reference.namespace : "");
    return `${collection}/${encodeURIComponent(reference.name)}`;
  }

  #known(): Promise<ReadonlyMap<string, DiscoveredResource>> {
    this.#kinds ??= this.#discover();
    return this.#kinds;
  }

  async #discover(): Promise<ReadonlyMap<string, DiscoveredResource>> {
    this.#discovered = this.clock.now();
    try {
      const { resources } = await discover(this.api);
      return new Map(resources.map((one) => [`${one.apiVersion}/${one.kind}`, one]));
    } catch (error) {
      this.#kinds = undefined;
      throw error;
    }
  }

  /** Resources whose objects can be garbage, each at the version its group prefers. */
  async deletable(): Promise<readonly DiscoveredResource[]> {
    const kinds = [...(await this.#known()).values()];
    return kinds.filter(
      ({ preferred, verbs, resource }) =>
        preferred && resource !== "events" && ["delete", "list", "watch"].every((verb) => verbs.includes(verb)),
    );
  }
}

const unknownKind = (apiVersion: string, kind: string): Error =>
  new Error(`unable to get REST mapping for ${apiVersion}/${kind}.`);

function sameOwners(one: readonly OwnerReference[] = [], other: readonly OwnerReference[] = []): boolean {
  const text = (owners: readonly OwnerReference[]) =>
    JSON.stringify(
      owners.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => [
        apiVersion,
        kind,
        name,
        uid,
        controller,
        blockOwnerDeletion,
      ]),
    );
  return text(one) === text(other);
}
