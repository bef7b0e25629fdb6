import { newestRelease } from "../../../../src/api/facts/index.js";
import { systemClock } from "../../../../src/base/time/clock.js";
import type { KubeObject } from "../../../../src/machinery/meta/object.js";
import type { AuthorizationContext, AuthorizerAttributes } from "../../../../src/server/authz/authorizer.js";

type Resource = "clusterroles" | "roles" | "clusterrolebindings" | "rolebindings";

const RESOURCES: Readonly<Record<string, Resource>> = {
  ClusterRole: "clusterroles",
  Role: "roles",
  ClusterRoleBinding: "clusterrolebindings",
  RoleBinding: "rolebindings",
};

/** The roles and bindings of a server, which a test changes as the watch cache would. */
export class PolicyWorld {
  #objects: Record<Resource, readonly { readonly revision: number; object(): KubeObject }[]> = {
    clusterroles: [],
    roles: [],
    clusterrolebindings: [],
    rolebindings: [],
  };
  #revision = 0;

  constructor(
    objects: readonly KubeObject[] = [],
    readonly hasCache = true,
  ) {
    for (const object of objects) this.put(object);
  }

  readonly context: AuthorizationContext = {
    release: newestRelease,
    clock: systemClock,
    objects: {
      list: async (_, resource, namespace = "") => {
        const all = this.#objects[resource as Resource].map((cached) => cached.object());
        return namespace === "" ? all : all.filter(({ metadata }) => metadata?.namespace === namespace);
      },
      get: () => Promise.reject(new Error("the authorizer asked for one object")),
      cached: { now: (_, resource) => (this.hasCache ? this.#objects[resource as Resource] : undefined) },
    },
  };

  /** Creates or replaces an object. */
  put(object: KubeObject): void {
    const resource = this.remove(object);
    const revision = ++this.#revision;
    const cached = { revision, object: () => object };
    const sorted = [...this.#objects[resource], cached].sort((a, b) =>
      keyOf(a.object()) < keyOf(b.object()) ? -1 : 1,
    );
    this.#objects[resource] = sorted;
  }

  remove(object: KubeObject): Resource {
    const resource = RESOURCES[object.kind ?? ""];
    if (resource === undefined) throw new Error(`no policy: ${object.kind}`);
    this.#objects[resource] = this.#objects[resource].filter((cached) => keyOf(cached.object()) !== keyOf(object));
    return resource;
  }
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata?.namespace ?? ""}/${metadata?.name ?? ""}`;

/** A request for a resource: "get pods/log web in dev", "list deployments.apps"; or of a path: "get /healthz". */
export function attributes(request: string, user: AuthorizerAttributes["user"]): AuthorizerAttributes {
  const [verb = "", what = "", ...rest] = request.split(" ");
  const none = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "", path: "" };
  if (what.startsWith("/")) return { user, verb, isResourceRequest: false, ...none, path: what };
  const [whole = "", subresource = ""] = what.split("/");
  const [resource = "", ...group] = whole.split(".");
  const inAt = rest.indexOf("in");
  return {
    user,
    verb,
    isResourceRequest: true,
    ...none,
    apiGroup: group.join("."),
    apiVersion: "v1",
    resource,
    subresource,
    name: inAt === 0 ? "" : (rest[0] ?? ""),
    namespace: inAt === -1 ? "" : (rest[inAt + 1] ?? ""),
  };
}
