import type { OwnerReference } from "../../machinery/meta/object.js";
import type { ObjectReference } from "./object-reference.js";

const NO_OWNERS: readonly OwnerReference[] = [];
const NO_DEPENDENTS: ReadonlySet<GraphNode> = new Set();

/** An object in the graph of owners and dependents. */
export class GraphNode {
  owners: readonly OwnerReference[] = NO_OWNERS;
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

  constructor(public identity: ObjectReference) {}

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
      dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }
}
