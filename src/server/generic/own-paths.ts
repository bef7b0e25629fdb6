import type { Handler } from "../request/api-request.js";

/** The paths of a server outside of the API: "/metrics", "/debug/". An exact path wins over a prefix, and a longer prefix over a shorter one. */
export class OwnPaths {
  readonly #exact = new Map<string, Handler>();
  readonly #unlisted = new Set<string>();
  /** Longest first. */
  #prefixes: readonly (readonly [prefix: string, handler: Handler])[] = [];

  /** Serves one path. Throws for a path that is served already. */
  handle(path: string, handler: Handler): void {
    this.#check(path);
    if (this.#exact.has(path)) throw new Error(`the path ${path} is served already`);
    this.#exact.set(path, handler);
  }

  /** As {@link handle}; the index of the server does not show the path. */
  handleUnlisted(path: string, handler: Handler): void {
    this.handle(path, handler);
    this.#unlisted.add(path);
  }

  /** Serves all paths that begin with the prefix, which ends in "/". Throws for a prefix that is served already. */
  handlePrefix(prefix: string, handler: Handler): void {
    this.#check(prefix);
    if (!prefix.endsWith("/"))
      throw new Error(`the prefix ${prefix} must end in "/", or it would take longer names too`);
    if (this.#prefixes.some(([known]) => known === prefix)) throw new Error(`the prefix ${prefix} is served already`);
    this.#prefixes = [...this.#prefixes, [prefix, handler] as const].sort(([a], [b]) => b.length - a.length);
  }

  /** Stops serving a path or a prefix. Returns whether it was served. */
  remove(path: string): boolean {
    const before = this.#prefixes.length;
    this.#prefixes = this.#prefixes.filter(([prefix]) => prefix !== path);
    this.#unlisted.delete(path);
    return this.#exact.delete(path) || this.#prefixes.length < before;
  }

  find(path: string): Handler | undefined {
    return this.#exact.get(path) ?? this.#prefixes.find(([prefix]) => path.startsWith(prefix))?.[1];
  }

  /** The paths and prefixes, for the index of the server at "/". */
  get listed(): readonly string[] {
    const exact = [...this.#exact.keys()].filter((path) => !this.#unlisted.has(path));
    return [...exact, ...this.#prefixes.map(([prefix]) => prefix)];
  }

  #check(path: string): void {
    if (!path.startsWith("/")) throw new Error(`the path ${JSON.stringify(path)} must begin with "/"`);
    if (/^\/apis?(\/|$)/.test(path)) throw new Error(`the path ${path} belongs to the API: install a resource there`);
  }
}
