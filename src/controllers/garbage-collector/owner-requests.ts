import type { FieldsOf } from "../../machinery/meta/received.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isConflict, isNotFound, isUnsupportedMediaType, notFound } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ApiObject, ObjectMeta, OwnerReference } from "../../machinery/meta/object.js";
import type { ServedResource, ServedResources } from "../served-resources.js";
import type { ObjectIdentity } from "./object-reference.js";

export type Propagation = "Orphan" | "Foreground" | "Background";

/** The garbage collector's requests about one object. */
export class OwnerRequests {
  constructor(
    private readonly client: KubernetesClient,
    private readonly served: ServedResources,
  ) {}

  /** The resource of a kind. Throws for a kind that cannot be found now, which says nothing about its objects. */
  async resourceOf({ apiVersion, kind }: { apiVersion: string; kind: string }): Promise<ServedResource> {
    const found = await this.served.ofKind(apiVersion, kind);
    if (found === undefined) throw unknownKind(apiVersion, kind);
    return found;
  }

  /** The object's metadata. Throws NotFound also for another object of that name. */
  async get(reference: ObjectIdentity): Promise<ObjectMeta> {
    const { metadata = {} } = await this.#read(reference);
    if (metadata.uid !== reference.uid) throw notFound({ group: "", resource: reference.kind }, reference.name);
    return metadata;
  }

  async #read(reference: ObjectIdentity): Promise<ApiObject> {
    const objects = await this.#objects(reference);
    // A reference may name what no object can be named.
    if (!isPathSegment(reference.name)) throw notFound({ group: "", resource: reference.kind }, reference.name);
    try {
      return await objects.metadata().get(reference.name);
    } catch (error) {
      // A server that does not serve the resource any more names no object: the object may still be there.
      if (!isNotFound(error) || error.status.details?.name === reference.name) throw error;
      throw unknownKind(reference.apiVersion, reference.kind);
    }
  }

  /** Deletes the object unless its owners have changed since it looked like `seen`. */
  async delete(reference: ObjectIdentity, seen: ObjectMeta, propagationPolicy: Propagation): Promise<void> {
    const objects = await this.#objects(reference);
    const { name, uid } = reference;
    const { resourceVersion = "" } = seen;
    try {
      await objects.delete(name, { propagationPolicy, preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isConflict(error)) throw error;
      const now = await this.get(reference);
      if (!sameOwners(now.ownerReferences, seen.ownerReferences)) throw error;
      await objects.delete(name, { propagationPolicy, preconditions: { uid } });
    }
  }

  /** Takes owners off an object. */
  async dropOwners(reference: ObjectIdentity, uids: readonly string[]): Promise<void> {
    const { uid } = reference;
    const gone = new Set(uids);
    const dropped = uids.map((owner) => ({ $patch: "delete", uid: owner }));
    await this.#patchOwners(
      reference,
      { metadata: { ownerReferences: dropped, uid } satisfies FieldsOf<ObjectMeta> } satisfies FieldsOf<ApiObject>,
      (owners) => owners.filter((owner) => !gone.has(owner.uid)),
    );
  }

  /** Lets an object's owners go without it. */
  async unblockOwners(reference: ObjectIdentity, owners: readonly OwnerReference[]): Promise<void> {
    const { uid } = reference;
    const blocking = owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
    const unblocked = blocking.map((owner) => ({ ...owner, blockOwnerDeletion: false }));
    await this.#patchOwners(
      reference,
      { metadata: { ownerReferences: unblocked, uid } satisfies FieldsOf<ObjectMeta> } satisfies FieldsOf<ApiObject>,
      (now) =>
        now.map((owner) => ({ ...owner, ...(owner.blockOwnerDeletion === true && { blockOwnerDeletion: false }) })),
    );
  }

  async removeFinalizer(reference: ObjectIdentity, finalizer: string): Promise<void> {
    const objects = await this.#objects(reference);
    for (;;) {
      try {
        const { finalizers = [], resourceVersion = "" } = await this.get(reference);
        if (!finalizers.includes(finalizer)) return;
        const rest = finalizers.filter((one) => one !== finalizer);
        const patch = {
          metadata: { resourceVersion, finalizers: rest } satisfies FieldsOf<ObjectMeta>,
        } satisfies FieldsOf<ApiObject>;
        await objects.patch(reference.name, patch, { type: "merge" });
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error)) throw error;
      }
    }
  }

  /** A strategic merge, or, where the kind knows none, the whole list. */
  async #patchOwners(
    reference: ObjectIdentity,
    strategic: JsonObject,
    change: (owners: readonly OwnerReference[]) => readonly OwnerReference[],
  ): Promise<void> {
    const objects = await this.#objects(reference);
    try {
      await objects.patch(reference.name, strategic, { type: "strategic" });
    } catch (error) {
      if (!isUnsupportedMediaType(error)) throw error;
      const { ownerReferences = [], resourceVersion = "" } = await this.get(reference);
      const owners = change(ownerReferences).map((owner) => ({ ...owner }));
      const patch = {
        metadata: { resourceVersion, ownerReferences: owners } satisfies FieldsOf<ObjectMeta>,
      } satisfies FieldsOf<ApiObject>;
      await objects.patch(reference.name, patch, { type: "merge" });
    }
  }

  async #objects(reference: ObjectIdentity): Promise<ResourceClient> {
    const resource = await this.resourceOf(reference);
    return this.client.resource(resource).namespace(resource.namespaced ? reference.namespace : "");
  }

  /** Resources whose objects can be garbage, each at the version its group prefers. */
  async deletable(): Promise<readonly ServedResource[]> {
    const { resources } = await this.served.all();
    return resources.filter(
      ({ preferred, verbs, resource }) =>
        preferred && resource !== "events" && ["delete", "list", "watch"].every((verb) => verbs.includes(verb)),
    );
  }
}

const unknownKind = (apiVersion: string, kind: string): Error =>
  new Error(`unable to get REST mapping for ${apiVersion}/${kind}.`);

const isPathSegment = (name: string): boolean => name !== "." && name !== ".." && !/[/%]/.test(name);

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
