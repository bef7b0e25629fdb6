import { deprecationWarning } from "../../api/facts/index.js";
import { methodNotSupported, StatusError } from "../../machinery/errors/status-error.js";
import { handleCreate } from "../endpoints/verbs/create.js";
import { handleDelete, handleDeleteCollection } from "../endpoints/verbs/delete.js";
import { handleGet } from "../endpoints/verbs/get.js";
import { handleList } from "../endpoints/verbs/list.js";
import { handlePatch } from "../endpoints/verbs/patch.js";
import { handleScaleGet, handleScalePatch, handleScaleUpdate } from "../endpoints/verbs/scale.js";
import { handleUpdate } from "../endpoints/verbs/update.js";
import { handleWatch } from "../endpoints/verbs/watch.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import type { SpecialHandler } from "./special-handlers.js";
import type { ResourceMap } from "./resource-map.js";

/** Routes a request to the verb handler of its resource, or to the handler of another path. */
export function director(
  resources: ResourceMap,
  special: ReadonlyMap<string, SpecialHandler>,
  nonResource: Handler,
): Handler {
  return async (request) => {
    const { info } = request;
    if (!info.isResourceRequest) return nonResource(request);
    const groupVersion = info.apiGroup === "" ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
    const resource = resources.find(groupVersion, info.resource);
    if (resource === undefined || !scopeFits(request, resource) || info.rest.length > 0) throw unknownPath();
    warnOfDeprecation(request, resource);
    const own = special.get(`${groupVersion}/${info.resource}/${info.subresource}/${info.verb}`);
    if (own !== undefined) return own(request, resource);
    const handle = handlerOf(request, resource);
    if (handle === undefined) throw refusal(request, resource);
    return handle();
  };
}

/** Warns the client that the version is deprecated, when it will be removed and what replaces it. */
function warnOfDeprecation({ warnings }: ApiRequest, { facts }: ServedResource): void {
  const warning = deprecationWarning(facts);
  if (warning !== undefined) warnings.add(warning);
}

/** 404 for a path without a handler. Clients print it as "the server could not find the requested resource". */
function unknownPath(): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: "the server could not find the requested resource",
    reason: "NotFound",
    details: {},
    code: 404,
  });
}

/**
 * An object of a namespaced resource is served under its namespace only; a cluster-scoped resource is not served under one.
 */
function scopeFits({ info }: ApiRequest, { facts }: ServedResource): boolean {
  if (!facts.namespaced) return info.namespace === "" || info.resource === "namespaces";
  return info.namespace !== "" || info.name === "" || info.legacyWatch;
}

function handlerOf(request: ApiRequest, resource: ServedResource): (() => Promise<void>) | undefined {
  const { info } = request;
  if (info.subresource !== "") return subresourceHandler(request, resource);
  const { storage, facts } = resource;
  if (!facts.verbs.includes(info.verb)) return undefined;
  // Across all namespaces there is only list and watch.
  if (facts.namespaced && info.namespace === "" && info.verb !== "list" && info.verb !== "watch") return undefined;
  switch (info.verb) {
    case "get":
      return storage.get && (() => handleGet(request, resource, storage as Required<typeof storage>));
    case "list":
      return storage.list && (() => handleList(request, resource, storage as Required<typeof storage>));
    case "watch":
      return storage.watch && (() => handleWatch(request, resource, storage as Required<typeof storage>));
    case "create":
      if (info.name !== "") return undefined;
      return storage.create && (() => handleCreate(request, resource, storage as Required<typeof storage>));
    case "update":
      if (info.name === "") return undefined;
      return storage.update && (() => handleUpdate(request, resource, storage as Required<typeof storage>));
    case "patch":
      if (info.name === "") return undefined;
      return storage.update && (() => handlePatch(request, resource, storage as Required<typeof storage>));
    case "delete":
      return storage.delete && (() => handleDelete(request, resource, storage as Required<typeof storage>));
    case "deletecollection":
      return (
        storage.deleteCollection &&
        (() => handleDeleteCollection(request, resource, storage as Required<typeof storage>))
      );
    default:
      return undefined;
  }
}

function subresourceHandler(request: ApiRequest, resource: ServedResource): (() => Promise<void>) | undefined {
  const { verb, subresource } = request.info;
  const facts = resource.facts.subresources.find(({ name }) => name === subresource);
  if (facts === undefined) throw unknownPath();
  const storage = resource.storage as Required<typeof resource.storage>;
  if (!facts.verbs.includes(verb) || storage.update === undefined) return undefined;
  if (isPart(subresource) && (subresource === "status" || resource.strategy.subresources?.[subresource])) {
    switch (verb) {
      case "get":
        return () => handleGet(request, resource, storage);
      case "update":
        return () => handleUpdate(request, resource, storage, subresource);
      case "patch":
        return () => handlePatch(request, resource, storage, subresource);
      default:
        return undefined;
    }
  }
  switch (`${subresource}/${verb}`) {
    case "scale/get":
      return () => handleScaleGet(request, resource, storage);
    case "scale/update":
      return () => handleScaleUpdate(request, resource, storage);
    case "scale/patch":
      return () => handleScalePatch(request, resource, storage);
    default:
      return undefined;
  }
}

const PARTS = ["status", "approval", "ephemeralcontainers", "resize"] as const;

/** The subresources that share the object's shape and write a part of it. */
const isPart = (subresource: string): subresource is (typeof PARTS)[number] =>
  PARTS.some((part) => part === subresource);

/** The error for a path that exists but does not support the verb. A resource without watch has no legacy watch path either. */
function refusal({ info }: ApiRequest, { facts }: ServedResource): StatusError {
  const watched = facts.verbs.includes("watch");
  if (info.legacyWatch && !watched) return unknownPath();
  if (info.verb === "watch" && !watched && facts.verbs.includes("list")) {
    return methodNotSupported({ group: facts.group, resource: facts.name }, "watch");
  }
  const gr = {
    group: facts.group,
    resource: info.subresource === "" ? facts.name : `${facts.name}/${info.subresource}`,
  };
  return new StatusError({
    ...methodNotSupported(gr, info.verb).status,
    message: "the server does not allow this method on the requested resource",
    details: {},
  });
}
