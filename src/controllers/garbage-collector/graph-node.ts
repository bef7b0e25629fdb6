import type { OwnerReference } from "../../machinery/meta/object.js";
import type { ObjectReference } from "./object-reference.js";

/** An object in the graph of owners and dependents. */
export class GraphNode {
  owners: readonly OwnerReference[] = [];
  /** Objects that name this one as their owner, whether rightly or not. */
  readonly dependents = new Set<GraphNode>();
  /** Known only from an owner reference: nobody has seen the object itself yet. */
  virtual = false;
  beingDeleted = false;
  /** Being deleted in the foreground: it goes when its blocking dependents are gone. */
  deletingDependents = false;
  /** What the last change of the object said, so that a new state is noticed once. */
  waitsForOrphaning = false;
  waitsForDependents = false;

  constructor(public identity: ObjectReference) {}

  /** Dependents that do not let the object go before they are gone themselves. */
  blockingDependents(): readonly GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter((dependent) =>
      dependent.owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
    );
  }
}
