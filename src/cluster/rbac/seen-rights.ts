import { compareKeys } from "../../base/collections/key-order.js";
import type { AuthorizerAttributes } from "../../server/authz/authorizer.js";

/** A right that requests of a user asked for: a verb on a resource or a subresource in one namespace, or on a path that is no resource. */
export interface SeenRight {
  readonly verb: string;
  readonly apiGroup: string;
  /** "" for a path that is no resource. */
  readonly resource: string;
  readonly subresource: string;
  /** "" for a resource of the cluster, and for a request over all namespaces. */
  readonly namespace: string;
  /** That of a request for no resource; else "". */
  readonly path: string;
  /** The names of the objects that the requests named, sorted; "" among them for a request that named none. */
  readonly names: readonly string[];
  /** How many requests asked for it. */
  readonly requests: number;
  /** How many of them the authorizers refused. */
  readonly refused: number;
}

/** The attributes of a request that say which right it asks for. */
export type Asked = Pick<
  AuthorizerAttributes,
  "verb" | "isResourceRequest" | "apiGroup" | "resource" | "subresource" | "namespace" | "name" | "path"
>;

/** A right while it is counted. */
export type CountedRight = Omit<SeenRight, "names" | "requests" | "refused"> & {
  readonly names: Set<string>;
  requests: number;
  refused: number;
};

/** Counts the rights that requests ask for. */
export class SeenRights {
  readonly #rights = new Map<string, CountedRight>();

  add(asked: Asked): CountedRight {
    const right = rightOf(asked);
    const { verb, apiGroup, resource, subresource, namespace, path } = right;
    const key = JSON.stringify([namespace, apiGroup, resource, subresource, path, verb]);
    const counted = this.#rights.get(key) ?? right;
    this.#rights.set(key, counted);
    counted.names.add(asked.name);
    counted.requests += 1;
    return counted;
  }

  clear(): void {
    this.#rights.clear();
  }

  /** In the order of namespaces, groups, resources and verbs. */
  sorted(): readonly SeenRight[] {
    const entries = [...this.#rights].sort(([a], [b]) => compareKeys(a, b));
    return entries.map(([, right]) => ({ ...right, names: [...right.names].sort(compareKeys) }));
  }
}

function rightOf(asked: Asked): CountedRight {
  const { verb, isResourceRequest, apiGroup, resource, subresource, namespace, path } = asked;
  const counts = { names: new Set<string>(), requests: 0, refused: 0 };
  if (!isResourceRequest) return { verb, apiGroup: "", resource: "", subresource: "", namespace: "", path, ...counts };
  // A request for a namespace carries its name as the namespace, and is one for a resource of the cluster.
  const isNamespace = apiGroup === "" && resource === "namespaces";
  return { verb, apiGroup, resource, subresource, namespace: isNamespace ? "" : namespace, path: "", ...counts };
}

/** "create deployments.apps/scale", "get /metrics" */
export function rightText({ verb, apiGroup, resource, subresource, path }: SeenRight): string {
  if (resource === "") return `${verb} ${path}`;
  const group = apiGroup === "" ? "" : `.${apiGroup}`;
  return `${verb} ${resource}${group}${subresource === "" ? "" : `/${subresource}`}`;
}
