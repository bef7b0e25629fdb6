import { newestRelease } from "../../../../src/api/facts/index.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { AuthorizationContext } from "../../../../src/server/authz/authorizer.js";

/** Objects that an authorizer reads, as the watch cache holds them or as the storage lists them. */
export class StoredObjects {
  readonly #lists = new Map<string, { revision: number; object(): KubeObject; readonly held: KubeObject }[]>();
  /** How often an object was parsed. */
  parsed = 0;

  constructor(private readonly cached = true) {}

  get context(): AuthorizationContext {
    const listOf = (group: string, resource: string) => this.#lists.get(`${group}/${resource}`) ?? EMPTY;
    return {
      release: newestRelease,
      clock: { now: () => 0 },
      objects: {
        list: (group, resource) => Promise.resolve(listOf(group, resource).map(({ held }) => held)),
        get: () => Promise.resolve(undefined),
        cached: { now: (group, resource) => (this.cached ? listOf(group, resource) : undefined) },
      },
    };
  }

  /** Creates or replaces an object. */
  put(resource: string, object: KubeObject): void {
    this.#change(resource, object, true);
  }

  delete(resource: string, namespace: string, name: string): void {
    this.#change(resource, { metadata: { namespace, name } } as KubeObject, false);
  }

  #change(resource: string, object: KubeObject, present: boolean): void {
    const key = keyOf(object);
    const before = this.#lists.get(resource) ?? [];
    const others = before.filter(({ held }) => keyOf(held) !== key);
    const parse = () => {
      this.parsed += 1;
      return object;
    };
    const added = present ? [{ revision: 1, object: parse, held: object }] : [];
    this.#lists.set(
      resource,
      [...others, ...added].sort((a, b) => (keyOf(a.held) < keyOf(b.held) ? -1 : 1)),
    );
  }
}

const EMPTY: [] = [];

const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** A pod on a node. */
export const pod = (name: string, node: string, spec: object = {}, more: object = {}): KubeObject =>
  ({ metadata: { name, namespace: "shop" }, spec: { nodeName: node, ...spec }, ...more }) as KubeObject;
