import type { ObjectMeta, OwnerReference } from "../../machinery/meta/object.js";
import {
  compareReferences,
  type ObjectIdentity,
  ownerOf,
  sameCoordinates,
  sameReference,
  referenceText,
} from "./object-reference.js";

const SIZE = 500;

/** An LRU set of owners that are known not to exist, so that each is looked up once. */
export class AbsentOwners {
  readonly #known = new Set<string>();

  add(owner: ObjectIdentity): void {
    const key = referenceText(owner);
    this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > SIZE && oldest !== undefined) this.#known.delete(oldest);
  }

  has(owner: ObjectIdentity): boolean {
    const key = referenceText(owner);
    if (!this.#known.delete(key)) return false;
    this.#known.add(key);
    return true;
  }
}

const NO_OWNERS: readonly OwnerReference[] = [];
/** From so many on they are found by a map. */
const MANY_OWNERS = 16;
const NO_DEPENDENTS: ReadonlySet<GraphNode> = new Set();

/** An object in the graph of owners and dependents. */
export class GraphNode {
  #owners = NO_OWNERS;
  /** The owners of an object that has many. */
  #ownersByUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;
  /** Most objects have no dependents. */
  #dependents: Set<GraphNode> | undefined;
  /** Known only from an owner reference: no event has reported the object itself yet. */
  virtual = false;
  beingDeleted = false;
  /** Being deleted in the foreground: it goes when its blocking dependents are gone. */
  deletingDependents = false;
  /** What the last change of the object said, so that a new state is noticed once. */
  waitsForOrphaning = false;
  waitsForDependents = false;

  constructor(public identity: ObjectIdentity) {}

  get owners(): readonly OwnerReference[] {
    return this.#owners;
  }

  set owners(owners: readonly OwnerReference[]) {
    this.#owners = owners;
    this.#ownersByUid = undefined;
  }

  /** The references to the owner of this uid: none, one, or several that differ in the rest. */
  ownersOf(uid: string): readonly OwnerReference[] {
    if (this.#owners.length < MANY_OWNERS) return this.#owners.filter((owner) => owner.uid === uid);
    this.#ownersByUid ??= byUid(this.#owners);
    return this.#ownersByUid.get(uid) ?? NO_OWNERS;
  }

  /** Objects that name this one as their owner, whether rightly or not. */
  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NO_DEPENDENTS;
  }

  addDependent(node: GraphNode): void {
    this.#dependents ??= new Set();
    this.#dependents.add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }

  /** Dependents that do not let the object go before they are gone themselves. */
  blockingDependents(): readonly GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter((dependent) =>
      dependent.ownersOf(uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
    );
  }
}

function byUid(owners: readonly OwnerReference[]): ReadonlyMap<string, readonly OwnerReference[]> {
  const found = new Map<string, OwnerReference[]>();
  for (const owner of owners) {
    const same = found.get(owner.uid);
    if (same === undefined) found.set(owner.uid, [owner]);
    else same.push(owner);
  }
  return found;
}

export const ORPHAN = "orphan";
export const FOREGROUND = "foregroundDeletion";

/** The callbacks of the graph. */
export interface GraphListener {
  /** The object may have become garbage, or may go now. */
  attemptToDelete(node: GraphNode): void;
  attemptToDeleteLater(node: GraphNode): void;
  /** The object's dependents are to forget it. */
  attemptToOrphan(node: GraphNode): void;
  /** The node is in the graph no more. */
  removed(node: GraphNode): void;
  /** `node` names an owner in a namespace that is not its own. */
  invalidNamespace(node: GraphNode, owner: ObjectIdentity): void;
}

/** The graph of owners and dependents, by uid. Its caller feeds it the observed changes; it calls the listener for what follows from them. */
export class DependencyGraph {
  readonly #nodes = new Map<string, GraphNode>();

  constructor(
    private readonly listener: GraphListener,
    private readonly absentOwners: AbsentOwners,
  ) {}

  get(uid: string): GraphNode | undefined {
    return this.#nodes.get(uid);
  }

  nodes(): IterableIterator<GraphNode> {
    return this.#nodes.values();
  }

  /** An object was created or changed. */
  changed(identity: ObjectIdentity, metadata: ObjectMeta): void {
    let node = this.#nodes.get(identity.uid);
    const owners = metadata.ownerReferences ?? [];
    if (node === undefined) {
      node = new GraphNode(identity);
      node.owners = owners;
      this.#nodes.set(identity.uid, node);
      this.#addDependent(node, owners);
    } else {
      this.#observe(node, identity);
      this.#setOwners(node, owners);
    }
    this.#processTransitions(node, metadata);
  }

  /** An object is gone; `virtual` says that no event reported it, and that a request for it answered 404. */
  deleted(identity: ObjectIdentity, virtual: boolean): void {
    const node = this.#nodes.get(identity.uid);
    if (node === undefined) return;
    if (!virtual) this.#observe(node, identity);
    else if (node.virtual ? this.#isDisputed(node, identity) : !sameReference(node.identity, identity)) {
      if (!node.virtual) this.#deleteDependentsOf(identity, partition(node, identity).matching);
      return;
    }
    this.#remove(node, identity);
  }

  #remove(node: GraphNode, identity: ObjectIdentity): void {
    this.#nodes.delete(identity.uid);
    this.#removeDependent(node, node.owners);
    this.listener.removed(node);
    if (node.dependents.size > 0) this.absentOwners.add(identity);
    for (const dependent of node.dependents) this.listener.attemptToDelete(dependent);
    for (const { uid } of node.owners) {
      const owner = this.#nodes.get(uid);
      // The last of its dependents may have been what it waited for.
      if (owner?.deletingDependents === true) this.listener.attemptToDelete(owner);
    }
  }

  /** Whether some dependents know the owner, which no event has reported, by another name than the one that does not exist. */
  #isDisputed(node: GraphNode, absent: ObjectIdentity): boolean {
    const { matching, other } = partition(node, absent);
    if (other.length === 0) return false;
    this.#deleteDependentsOf(absent, matching);
    if (!sameReference(node.identity, absent)) return true;
    const next = alternateIdentity(other, absent);
    if (next !== undefined) {
      node.identity = next;
      this.listener.attemptToDeleteLater(node);
    }
    return true;
  }

  #deleteDependentsOf(absent: ObjectIdentity, dependents: readonly GraphNode[]): void {
    if (dependents.length > 0) this.absentOwners.add(absent);
    for (const dependent of dependents) this.listener.attemptToDelete(dependent);
  }

  /** The object itself was seen: what was guessed about it from references gives way. */
  #observe(node: GraphNode, identity: ObjectIdentity): void {
    if (node.virtual && !sameReference(node.identity, identity)) {
      for (const dependent of partition(node, identity).other) {
        if (identity.namespace !== "" && dependent.identity.namespace !== identity.namespace) {
          this.#reportInvalidNamespace(dependent, identity.uid);
        }
        this.listener.attemptToDelete(dependent);
      }
    }
    node.identity = identity;
    node.virtual = false;
  }

  #setOwners(node: GraphNode, owners: readonly OwnerReference[]): void {
    const before = node.owners;
    const added = owners.filter(({ uid }) => node.ownersOf(uid).length === 0);
    node.owners = owners;
    const removed = before.filter(({ uid }) => node.ownersOf(uid).length === 0);
    for (const reference of before) {
      if (reference.blockOwnerDeletion !== true) continue;
      const [now] = node.ownersOf(reference.uid);
      if (now?.blockOwnerDeletion === true) continue;
      const owner = this.#nodes.get(reference.uid);
      if (owner !== undefined) this.listener.attemptToDelete(owner);
    }
    this.#addDependent(node, added);
    this.#removeDependent(node, removed);
  }

  #addDependent(node: GraphNode, owners: readonly OwnerReference[]): void {
    let doubtful = false;
    for (const reference of owners) {
      let owner = this.#nodes.get(reference.uid);
      if (owner === undefined) {
        owner = new GraphNode(ownerOf(reference, node.identity.namespace));
        owner.virtual = true;
        this.#nodes.set(reference.uid, owner);
        // The look-up of the absent owner finds out whether it is there.
        this.listener.attemptToDelete(owner);
      } else if (!doubtful) doubtful = this.#isDoubtful(node, reference, owner);
      owner.addDependent(node);
    }
    if (doubtful) this.listener.attemptToDelete(node);
  }

  /** Whether a reference may not lead to the owner of that uid. */
  #isDoubtful(node: GraphNode, reference: OwnerReference, owner: GraphNode): boolean {
    const { namespace } = owner.identity;
    const elsewhere = namespace !== node.identity.namespace;
    if (namespace !== "" && elsewhere) {
      if (!owner.virtual) this.#reportInvalidNamespace(node, reference.uid);
      return true;
    }
    return !sameCoordinates(reference, owner.identity) || (elsewhere && owner.virtual);
  }

  #reportInvalidNamespace(node: GraphNode, uid: string): void {
    const [reference] = node.ownersOf(uid);
    if (reference !== undefined) this.listener.invalidNamespace(node, ownerOf(reference, node.identity.namespace));
  }

  #removeDependent(node: GraphNode, owners: readonly OwnerReference[]): void {
    for (const { uid } of owners) {
      const owner = this.#nodes.get(uid);
      if (owner === undefined) continue;
      owner.removeDependent(node);
      // No event reported it, and no object names it any more: the collector would look for it for ever.
      if (!owner.virtual || owner.dependents.size > 0) continue;
      this.#nodes.delete(uid);
      this.listener.removed(owner);
    }
  }

  #processTransitions(node: GraphNode, { deletionTimestamp, finalizers = [] }: ObjectMeta): void {
    const deleted = deletionTimestamp !== undefined;
    if (deleted) node.beingDeleted = true;
    const { waitsForOrphaning, waitsForDependents } = node;
    node.waitsForOrphaning = deleted && finalizers.includes(ORPHAN);
    node.waitsForDependents = deleted && finalizers.includes(FOREGROUND);
    if (node.waitsForOrphaning && !waitsForOrphaning) {
      this.listener.attemptToOrphan(node);
      return;
    }
    if (!node.waitsForDependents || waitsForDependents) return;
    node.deletingDependents = true;
    for (const dependent of node.dependents) this.listener.attemptToDelete(dependent);
    this.listener.attemptToDelete(node);
  }
}

/** Dependents that name the owner as `identity` says, and those that have another idea of it; one may do both. */
function partition(owner: GraphNode, identity: ObjectIdentity) {
  const matching: GraphNode[] = [];
  const other: GraphNode[] = [];
  for (const dependent of owner.dependents) {
    if (identity.namespace !== "" && identity.namespace !== dependent.identity.namespace) {
      other.push(dependent);
      continue;
    }
    const named = dependent.ownersOf(identity.uid);
    if (named.some((reference) => sameCoordinates(reference, identity))) matching.push(dependent);
    if (named.some((reference) => !sameCoordinates(reference, identity))) other.push(dependent);
  }
  return { matching, other };
}

/** What else an absent owner may be, if some dependents name it differently: the one after it in order, or the first. */
function alternateIdentity(dependents: readonly GraphNode[], absent: ObjectIdentity): ObjectIdentity | undefined {
  const candidates = dependents.flatMap((dependent) =>
    dependent
      .ownersOf(absent.uid)
      .map((reference) => ownerOf(reference, dependent.identity.namespace))
      .map((one) =>
        absent.namespace === "" && one.apiVersion === absent.apiVersion && one.kind === absent.kind
          ? { ...one, namespace: "" }
          : one,
      )
      .filter((one) => !sameReference(one, absent)),
  );
  const ordered = candidates.toSorted(compareReferences);
  return ordered.find((one) => compareReferences(absent, one) < 0) ?? ordered[0];
}
