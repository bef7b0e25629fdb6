import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { ResourceFacts, SubresourceFacts } from "../facts/resources.js";
import type { ServedApi } from "../facts/served-api.js";
import { pathParameter, pretty, queryParameters, type Action, type ParameterFacts } from "./parameters.js";

export const META = "io.k8s.apimachinery.pkg.apis.meta.v1";

export type Method = "get" | "post" | "put" | "patch" | "delete";

/** One HTTP operation, before it takes the form of OpenAPI 2 or 3. */
export interface OperationFacts {
  readonly path: string;
  readonly method: Method;
  readonly operationId: string;
  readonly tag: string;
  readonly action: Action;
  readonly kind: GroupVersionKind;
  readonly pathParameters: readonly ParameterFacts[];
  readonly queryParameters: readonly ParameterFacts[];
  /** Definition of the body, when there is one. */
  readonly body?: string;
  /** Definition of the answer; undefined for text. */
  readonly answer?: string | undefined;
  /** It is of a custom resource, which takes no strategic merge patches. */
  readonly isCustom?: boolean;
}

/** Everything the server answers to below one group version ("apps/v1"), in the order of the resources. */
export function operationsOf(api: ServedApi, groupVersion: string): readonly OperationFacts[] {
  return api.resources
    .filter((resource) => resource.groupVersion === groupVersion)
    .flatMap((resource) => {
      const found = [
        ...collectionOperations(resource, api.types.definitionOf(listKindOf(resource))),
        ...itemOperations(resource),
        ...resource.subresources.flatMap((subresource) =>
          subresourceOperations(resource, subresource, api.types.definitionOf(subresource.kind)),
        ),
      ];
      const isCustom = api.types.structOf(resource.definition)?.published !== undefined;
      return isCustom ? found.map((one) => ({ ...one, isCustom })) : found;
    });
}

interface Place {
  readonly resource: ResourceFacts;
  readonly path: string;
  readonly pathParameters: readonly ParameterFacts[];
}

function operation(
  place: Place,
  method: Method,
  action: Action,
  operationId: string,
  rest: { readonly body?: string; readonly answer?: string | undefined; readonly kind?: GroupVersionKind },
): OperationFacts {
  const { resource, path, pathParameters } = place;
  const { group, version, kind } = resource;
  const tag = `${camelGroup(group).replace(/^./, (first) => first.toLowerCase())}_${version}`;
  const query = action === "connect" ? [] : [...queryParameters[action], pretty];
  return {
    path,
    method,
    operationId,
    tag,
    action,
    pathParameters,
    queryParameters: query,
    kind: { group, version, kind },
    ...rest,
  };
}

const listKindOf = ({ group, version, kind, listKind = `${kind}List` }: ResourceFacts): GroupVersionKind => ({
  group,
  version,
  kind: listKind,
});

/** `list` is the definition of the kind's list. */
function collectionOperations(resource: ResourceFacts, list: string | undefined): readonly OperationFacts[] {
  const place = collectionPlace(resource);
  const { definition, verbs } = resource;
  const names = namesOf(resource);
  const found: OperationFacts[] = [];
  if (verbs.includes("list")) found.push(operation(place, "get", "list", names("list"), { answer: list }));
  if (verbs.includes("create")) {
    found.push(operation(place, "post", "post", names("create"), { body: definition, answer: definition }));
  }
  if (verbs.includes("deletecollection")) {
    const id = names("delete", "Collection");
    found.push(
      operation(place, "delete", "deletecollection", id, { body: `${META}.DeleteOptions`, answer: `${META}.Status` }),
    );
  }
  if (resource.namespaced && verbs.includes("list")) {
    const everywhere = { resource, path: `${root(resource)}/${resource.name}`, pathParameters: [] };
    const id = `list${prefix(resource)}${resource.kind}ForAllNamespaces`;
    found.push(operation(everywhere, "get", "list", id, { answer: list }));
  }
  return found;
}

function itemOperations(resource: ResourceFacts): readonly OperationFacts[] {
  const place = itemPlace(resource);
  const { definition, verbs } = resource;
  const names = namesOf(resource);
  const found: OperationFacts[] = [];
  if (verbs.includes("get")) found.push(operation(place, "get", "get", names("read"), { answer: definition }));
  if (verbs.includes("update")) {
    found.push(operation(place, "put", "put", names("replace"), { body: definition, answer: definition }));
  }
  if (verbs.includes("delete")) {
    const rest = { body: `${META}.DeleteOptions`, answer: `${META}.Status` };
    found.push(operation(place, "delete", "delete", names("delete"), rest));
  }
  if (verbs.includes("patch")) {
    found.push(operation(place, "patch", "patch", names("patch"), { body: `${META}.Patch`, answer: definition }));
  }
  return found;
}

const METHODS: Readonly<Record<string, readonly [Method, Action, string]>> = {
  get: ["get", "get", "read"],
  create: ["post", "post", "create"],
  update: ["put", "put", "replace"],
  patch: ["patch", "patch", "patch"],
  delete: ["delete", "delete", "delete"],
};

/** `definition` is that of the subresource's kind. */
function subresourceOperations(
  resource: ResourceFacts,
  subresource: SubresourceFacts,
  definition: string | undefined,
): readonly OperationFacts[] {
  const place = itemPlace(resource);
  const path = `${place.path}/${subresource.name}`;
  const isConnect = subresource.kind.kind.endsWith("Options");
  const names = namesOf(resource);
  return subresource.verbs.flatMap((verb) => {
    const known = METHODS[verb];
    if (known === undefined) return [];
    const [method, action, word] = known;
    const suffix = camel(subresource.name);
    if (isConnect) {
      const id = `${names(`connect${camel(method)}`)}${suffix}`;
      return [operation({ ...place, path }, method, "connect", id, { kind: subresource.kind })];
    }
    const body = method === "patch" ? `${META}.Patch` : method === "get" ? undefined : definition;
    return [
      operation({ ...place, path }, method, action, `${names(word)}${suffix}`, {
        kind: subresource.kind,
        ...(body === undefined ? {} : { body }),
        answer: subresource.name === "log" ? undefined : definition,
      }),
    ];
  });
}

function collectionPlace(resource: ResourceFacts): Place {
  const base = root(resource);
  return resource.namespaced
    ? {
        resource,
        path: `${base}/namespaces/{namespace}/${resource.name}`,
        pathParameters: [pathParameter("namespace")],
      }
    : { resource, path: `${base}/${resource.name}`, pathParameters: [] };
}

function itemPlace(resource: ResourceFacts): Place {
  const place = collectionPlace(resource);
  return { ...place, path: `${place.path}/{name}`, pathParameters: [pathParameter("name"), ...place.pathParameters] };
}

const root = ({ group, version }: ResourceFacts): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

const prefix = ({ group, version }: ResourceFacts): string => `${camelGroup(group)}${camel(version)}`;

/** "read" -> "readAppsV1NamespacedDeployment". */
function namesOf(resource: ResourceFacts): (verb: string, middle?: string) => string {
  const scope = resource.namespaced ? "Namespaced" : "";
  return (verb, middle = "") => `${verb}${prefix(resource)}${middle}${scope}${resource.kind}`;
}

/** "rbac.authorization.k8s.io" -> "RbacAuthorization". */
function camelGroup(group: string): string {
  if (group === "") return "Core";
  return group
    .replace(/\.k8s\.io$/, "")
    .split(".")
    .map(camel)
    .join("");
}

const camel = (word: string): string => word.replace(/^./, (first) => first.toUpperCase());
