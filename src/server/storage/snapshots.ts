import { OrderedMap } from "../../base/collections/ordered-map.js";

/** Undoes one change, to rebuild an earlier state. */
export interface Undo<V> {
  readonly key: string;
  readonly previous: V | undefined;
}

/** The number of states that are kept, so that the pages of one list rebuild a state once. */
const REMEMBERED = 16;

/**
 * Earlier states of an {@link OrderedMap}. Keeping the current state is free, because the map is immutable. An older state
 * is rebuilt by undoing events.
 */
export class Snapshots<V> {
  readonly #roots = new Map<number, OrderedMap<V>>();

  /** Keeps the state at `revision` for the next page of a list. */
  remember(revision: number, root: OrderedMap<V>): void {
    this.#roots.delete(revision);
    this.#roots.set(revision, root);
    for (const oldest of this.#roots.keys()) {
      if (this.#roots.size <= REMEMBERED) return;
      this.#roots.delete(oldest);
    }
  }

  /**
   * Returns the state at `revision`, rebuilt from the nearest later state that is kept. `undo` visits the changes in
   * (revision, from], newest first.
   */
  at(
    revision: number,
    current: { readonly revision: number; readonly root: OrderedMap<V> },
    undo: (revision: number, from: number, visit: (change: Undo<V>) => void) => void,
  ): OrderedMap<V> {
    if (revision >= current.revision) return current.root;
    let start = current;
    for (const [known, root] of this.#roots) {
      if (known >= revision && known < start.revision) start = { revision: known, root };
    }
    let root = start.root;
    if (start.revision > revision) {
      undo(revision, start.revision, ({ key, previous }) => {
        root = previous === undefined ? root.delete(key) : root.set(key, previous);
      });
    }
    this.remember(revision, root);
    return root;
  }

  /** Drops states before `revision`. */
  forget(revision: number): void {
    for (const known of this.#roots.keys()) if (known < revision) this.#roots.delete(known);
  }
}
