/** Edges between keys. An edge that several objects make is there until all of them are gone. */
export class CountedEdges {
  readonly #from = new Map<string, Map<string, number>>();

  add(from: string, to: string): void {
    let edges = this.#from.get(from);
    if (edges === undefined) this.#from.set(from, (edges = new Map()));
    edges.set(to, (edges.get(to) ?? 0) + 1);
  }

  remove(from: string, to: string): void {
    const edges = this.#from.get(from);
    const count = edges?.get(to) ?? 0;
    if (count > 1) edges?.set(to, count - 1);
    else edges?.delete(to);
    if (edges?.size === 0) this.#from.delete(from);
  }

  has(from: string, to: string): boolean {
    return this.#from.get(from)?.has(to) === true;
  }

  of(from: string): Iterable<string> {
    return this.#from.get(from)?.keys() ?? [];
  }
}
