import { dictionary } from "../../base/collections/dictionary.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import { returnsDeletedObject, type ResourceFacts, type SubresourceFacts, type ServedApi } from "../facts/resources.js";
import type { TypeSource } from "../facts/definitions.js";
import type { Release } from "../facts/release.js";
import {
  type BodyFacts,
  mediaTypes,
  META,
  type Method,
  type OperationFacts,
  camel,
  namesOf,
  tagOf,
  versionName,
} from "./operation.js";
import {
  type Action,
  namespaceParameter,
  nameParameter,
  type ParameterFacts,
  pretty,
  queryParameters,
  watchParameters,
  connectDescriptions,
  proxyPath,
} from "./parameters.js";
import type { Field, Schema } from "../../machinery/schema/schema.js";
import { allDefinitionsOf } from "../facts/unpublished.js";

/** What the server does with the resources of one group version ("apps/v1"), in their order. */
export function resourceOperations(api: ServedApi, groupVersion: string): readonly OperationFacts[] {
  return api.resources
    .filter((resource) => resource.groupVersion === groupVersion)
    .flatMap((resource) => {
      const isCustom = api.types.structOf(resource.definition)?.isUnstructured === true;
      const served: Served = { resource, release: api.release, types: api.types, isCustom };
      return [
        ...collectionOperations(served),
        ...itemOperations(served),
        ...resource.subresources.flatMap((subresource) => subresourceOperations(served, subresource)),
        ...(isCustom ? [] : watchOperations(resource)),
      ];
    });
}

interface Served {
  readonly resource: ResourceFacts;
  readonly release: Release;
  readonly types: TypeSource;
  /** Custom objects have no protobuf form and take no strategic merge patches. */
  readonly isCustom: boolean;
}

interface Given {
  readonly path: string;
  readonly pathParameters: readonly ParameterFacts[];
  readonly operationId: string;
  readonly description: string;
  readonly body?: BodyFacts;
  readonly answer: string;
  readonly kind?: GroupVersionKind;
}

const METHOD_OF: Readonly<Record<string, Method>> = dictionary({
  get: "get",
  list: "get",
  post: "post",
  put: "put",
  patch: "patch",
  delete: "delete",
  deletecollection: "delete",
});

const CODES: Readonly<Record<string, readonly string[]>> = dictionary({
  post: ["200", "201", "202"],
  put: ["200", "201"],
  patch: ["200", "201"],
  delete: ["200", "202"],
});

function operation({ resource, isCustom }: Served, action: Action, given: Given): OperationFacts {
  const { group, version, kind } = resource;
  const { path, pathParameters, operationId, description, body, answer } = given;
  const written = isCustom ? mediaTypes.customObjects : action === "list" ? mediaTypes.watched : mediaTypes.objects;
  const patches = isCustom ? mediaTypes.customPatches : mediaTypes.patches;
  return {
    path,
    method: METHOD_OF[action] ?? "get",
    operationId,
    tag: tagOf(group, version),
    description,
    parameters: [...pathParameters, ...queryParameters[action], pretty],
    ...(body && { body }),
    consumes: action === "patch" ? patches : isCustom ? mediaTypes.customObjects : mediaTypes.any,
    produces: written,
    codes: CODES[action] ?? ["200"],
    answer,
    resource: { action, kind: given.kind ?? { group, version, kind } },
  };
}

const listKindOf = ({ group, version, kind, listKind = `${kind}List` }: ResourceFacts): GroupVersionKind => ({
  group,
  version,
  kind: listKind,
});

function collectionOperations(served: Served): readonly OperationFacts[] {
  const { resource, types } = served;
  const place = collectionPlace(resource);
  const { definition, verbs, kind, name } = resource;
  const names = namesOf(resource);
  const where = resource.namespaced ? " of a namespace" : "";
  const list = types.definitionOf(listKindOf(resource)) ?? "";
  const found: OperationFacts[] = [];
  if (verbs.includes("list")) {
    const description = `Lists the ${name}${where}, or follows their changes where watch is true.`;
    found.push(operation(served, "list", { ...place, operationId: names("list"), description, answer: list }));
  }
  if (verbs.includes("create")) {
    const body = { definition, required: true };
    const description = `Creates a new ${kind} from the body.`;
    found.push(
      operation(served, "post", { ...place, operationId: names("create"), description, body, answer: definition }),
    );
  }
  if (verbs.includes("deletecollection")) {
    const operationId = names("delete", "Collection");
    const body = { definition: `${META}.DeleteOptions`, required: false };
    const description = `Deletes the ${name}${where} that the selectors match, all without selectors.`;
    found.push(
      operation(served, "deletecollection", { ...place, operationId, description, body, answer: `${META}.Status` }),
    );
  }
  if (resource.namespaced && verbs.includes("list")) {
    const path = `${root(resource)}/${name}`;
    const operationId = `list${versionName(resource)}${kind}ForAllNamespaces`;
    const description = `Lists the ${name} of all namespaces, or follows their changes where watch is true.`;
    found.push(operation(served, "list", { path, pathParameters: [], operationId, description, answer: list }));
  }
  return found;
}

function itemOperations(served: Served): readonly OperationFacts[] {
  const { resource } = served;
  const place = itemPlace(resource);
  const { definition, verbs, kind } = resource;
  const names = namesOf(resource);
  const found: OperationFacts[] = [];
  const add = (action: Action, verb: string, description: string, rest: Pick<Given, "body" | "answer">): void => {
    found.push(operation(served, action, { ...place, operationId: names(verb), description, ...rest }));
  };
  if (verbs.includes("get")) add("get", "read", `Reads one ${kind} by its name.`, { answer: definition });
  if (verbs.includes("update")) {
    const body = { definition, required: true };
    add("put", "replace", `Replaces the ${kind} of this name with the body.`, { body, answer: definition });
  }
  if (verbs.includes("delete")) {
    const body = { definition: `${META}.DeleteOptions`, required: false };
    const answer = returnsDeletedObject(resource.group, resource.name) ? definition : `${META}.Status`;
    add("delete", "delete", `Deletes the ${kind} of this name, at once or after its grace period.`, { body, answer });
  }
  if (verbs.includes("patch")) {
    const body = { definition: `${META}.Patch`, required: true };
    add("patch", "patch", `Changes the parts of the ${kind} that the patch in the body names.`, {
      body,
      answer: definition,
    });
  }
  return found;
}

const VERBS: Readonly<Record<string, readonly [action: Action, word: string, description: string]>> = dictionary({
  get: ["get", "read", "Reads"],
  create: ["post", "create", "Sends a request to"],
  update: ["put", "replace", "Replaces"],
  patch: ["patch", "patch", "Patches"],
});

function subresourceOperations(served: Served, subresource: SubresourceFacts): readonly OperationFacts[] {
  const { resource, types } = served;
  const place = itemPlace(resource);
  const path = `${place.path}/${subresource.name}`;
  if (subresource.kind.kind.endsWith("Options")) return connectOperations(served, subresource, { ...place, path });
  const definition = types.definitionOf(subresource.kind) ?? "";
  const names = namesOf(resource);
  const found = subresource.verbs.flatMap((verb) => {
    const known = VERBS[verb];
    if (known === undefined) return [];
    const [action, word, act] = known;
    const body = action === "patch" ? `${META}.Patch` : action === "get" ? undefined : definition;
    return operation(served, action, {
      path,
      pathParameters: place.pathParameters,
      operationId: `${names(word)}${camel(subresource.name)}`,
      description: `${act} the ${subresource.name} of a ${resource.kind}.`,
      ...(body !== undefined && { body: { definition: body, required: true } }),
      answer: definition,
      kind: subresource.kind,
    });
  });
  return subresource.name === "log" ? found.map(logOperation) : found;
}

/** The answer is text, and the parameters say which part of the log. */
const logOperation = (operation: OperationFacts): OperationFacts => ({
  ...operation,
  parameters: [...operation.parameters, ...queryParameters.log],
  produces: mediaTypes.log,
  answer: "",
});

interface Place {
  readonly path: string;
  readonly pathParameters: readonly ParameterFacts[];
}

function collectionPlace(resource: ResourceFacts): Place {
  const base = root(resource);
  return resource.namespaced
    ? { path: `${base}/namespaces/{namespace}/${resource.name}`, pathParameters: [namespaceParameter] }
    : { path: `${base}/${resource.name}`, pathParameters: [] };
}

function itemPlace(resource: ResourceFacts): Place {
  const place = collectionPlace(resource);
  return { path: `${place.path}/{name}`, pathParameters: [nameParameter, ...place.pathParameters] };
}

const root = ({ group, version }: ResourceFacts): string =>
  group === "" ? `/api/${version}` : `/apis/${group}/${version}`;

/** The old paths of watches, /api/v1/watch/...: of a collection, of one object, and of all namespaces. */
function watchOperations(resource: ResourceFacts): readonly OperationFacts[] {
  const { group, version, kind, name, verbs, namespaced } = resource;
  if (!verbs.includes("watch")) return [];
  const base = `${group === "" ? `/api/${version}` : `/apis/${group}/${version}`}/watch`;
  const within = namespaced ? `${base}/namespaces/{namespace}/${name}` : `${base}/${name}`;
  const scope = namespaced ? "Namespaced" : "";
  const id = `watch${versionName(resource)}`;
  const place = namespaced ? [namespaceParameter] : [];
  const watch = (
    path: string,
    operationId: string,
    pathParameters: readonly ParameterFacts[],
    description: string,
    action: "watch" | "watchlist",
  ): OperationFacts => ({
    path,
    method: "get",
    operationId,
    tag: tagOf(group, version),
    description,
    parameters: [...pathParameters, ...watchParameters, pretty],
    consumes: mediaTypes.any,
    produces: mediaTypes.watched,
    codes: ["200"],
    answer: `${META}.WatchEvent`,
    resource: { action, kind: { group, version, kind } },
  });
  const instead = "Deprecated: a list with the parameter watch does the same";
  const some = `Follows the changes of ${name}. ${instead}.`;
  const one = `Follows the changes of one ${kind}. ${instead}, with a field selector for the name.`;
  return [
    watch(within, `${id}${scope}${kind}List`, place, some, "watchlist"),
    ...(verbs.includes("get")
      ? [watch(`${within}/{name}`, `${id}${scope}${kind}`, [nameParameter, ...place], one, "watch")]
      : []),
    ...(namespaced ? [watch(`${base}/${name}`, `${id}${kind}ListForAllNamespaces`, [], some, "watchlist")] : []),
  ];
}

/** A proxy passes every method on; other connections begin with GET or POST. */
const PROXY_METHODS: readonly Method[] = ["delete", "get", "head", "options", "patch", "post", "put"];
const STREAM_METHODS: readonly Method[] = ["get", "post"];

/** What leads into a pod, a node or behind a service: exec, attach, portforward, proxy and the paths behind a proxy. */
function connectOperations(
  { resource, release }: Served,
  { name, kind }: SubresourceFacts,
  place: { readonly path: string; readonly pathParameters: readonly ParameterFacts[] },
): readonly OperationFacts[] {
  const options = allDefinitionsOf(release)
    .schemaFor(kind)
    ?.fields.filter((field) => field.name !== "kind" && field.name !== "apiVersion");
  const query = (options ?? []).map(optionParameter);
  const scope = resource.namespaced ? "Namespaced" : "";
  const isProxy = name === "proxy";
  const connect = (method: Method, path: string, rest: readonly ParameterFacts[], suffix: string): OperationFacts => ({
    path,
    method,
    operationId: `connect${versionName(resource)}${camel(method)}${scope}${resource.kind}${camel(name)}${suffix}`,
    tag: tagOf(resource.group, resource.version),
    description: isProxy
      ? `Passes a ${method.toUpperCase()} request on to the ${resource.kind}.`
      : `Opens a connection to the ${name} of a ${resource.kind} by ${method.toUpperCase()}.`,
    parameters: [...place.pathParameters, ...query, ...rest],
    consumes: mediaTypes.any,
    produces: mediaTypes.any,
    codes: ["200"],
    answer: "",
    resource: { action: "connect", kind },
  });
  const methods = isProxy ? PROXY_METHODS : STREAM_METHODS;
  return [
    ...methods.map((method) => connect(method, place.path, [], "")),
    ...(isProxy ? methods.map((method) => connect(method, `${place.path}/{path}`, [proxyPath], "WithPath")) : []),
  ];
}

const optionParameter = (field: Field): ParameterFacts => ({
  name: field.name,
  in: "query",
  type: typeOf(field.schema),
  description: connectDescriptions[field.name] ?? "",
});

function typeOf(schema: Schema): ParameterFacts["type"] {
  if (schema.type === "list") return typeOf(schema.items);
  if (schema.type !== "scalar") return "string";
  if (schema.scalar === "bool") return "boolean";
  return schema.scalar === "int32" || schema.scalar === "int64" ? "integer" : "string";
}
