import {
  isCollectionDeleter,
  isCreater,
  isGetter,
  isGracefulDeleter,
  isLister,
  isUpdater,
  isWatcher,
  type Connecter,
} from "../registry/resource.js";
import type { Handler } from "../request/api-request.js";
import type { HandlerContext, MakeHandler, SubresourceRecord } from "./resource-record.js";
import type { ServedResource } from "./served-resource.js";
import { handleCreate } from "./verbs/create.js";
import { handleDelete, handleDeleteCollection } from "./verbs/delete.js";
import { handleGet, handleList } from "./verbs/reads.js";
import { handlePatch } from "./verbs/patch.js";
import { inVerbPart } from "./verbs/steps.js";
import { handleScaleGet, handleScalePatch, handleScaleUpdate } from "./verbs/scale.js";
import { handleUpdate } from "./verbs/update.js";
import { handleWatch } from "./verbs/watch.js";

/** The handler of a verb. */
export interface ApiOperation {
  readonly handle: Handler;
  /** False for a handler that the resource's record brings, which checks the request's path itself. */
  readonly generic: boolean;
}

/** The operations of a resource, or of one of its subresources. */
export interface Operations {
  /** By verb: "get", "deletecollection". */
  readonly verbs: ReadonlyMap<string, ApiOperation>;
  /** Takes the requests whose HTTP method it names before the verbs do. */
  readonly connecter?: Connecter;
}

type Handlers = Readonly<Record<string, Handler | undefined>>;

/**
 * Returns the operations of a served resource: under "" those of the resource itself, under their names those of its subresources. A generic
 * verb is there when the facts list it and the storage implements its capability.
 */
export function operationsOf(resource: ServedResource, server: HandlerContext): ReadonlyMap<string, Operations> {
  const { facts, record } = resource;
  const all = new Map<string, Operations>();
  all.set("", { verbs: verbsOf(facts.verbs, generic(resource), made(record?.handlers, resource, server)) });
  for (const { name, verbs } of facts.subresources) {
    const own = record?.subresources?.[name];
    const handlers = own !== undefined && "handlers" in own ? made(own.handlers, resource, server) : {};
    all.set(name, {
      verbs: verbsOf(verbs, genericOfSubresource(resource, name, own), handlers),
      ...(own !== undefined && "connecter" in own && { connecter: own.connecter(resource, server) }),
    });
  }
  return all;
}

function verbsOf(listed: readonly string[], generic: Handlers, own: Handlers): ReadonlyMap<string, ApiOperation> {
  const verbs = new Map<string, ApiOperation>();
  for (const verb of listed) {
    const handle = own[verb] ?? generic[verb];
    if (handle !== undefined) verbs.set(verb, { handle: inVerbPart(verb, handle), generic: own[verb] === undefined });
  }
  return verbs;
}

function made(
  handlers: Readonly<Record<string, MakeHandler>> | undefined,
  resource: ServedResource,
  server: HandlerContext,
): Handlers {
  return Object.fromEntries(Object.entries(handlers ?? {}).map(([verb, make]) => [verb, make(resource, server)]));
}

function generic(resource: ServedResource): Handlers {
  const { storage } = resource;
  return {
    ...(isGetter(storage) && { get: (request) => handleGet(request, resource, storage) }),
    ...(isLister(storage) && { list: (request) => handleList(request, resource, storage) }),
    ...(isWatcher(storage) && { watch: (request) => handleWatch(request, resource, storage) }),
    ...(isCreater(storage) && { create: (request) => handleCreate(request, resource, storage) }),
    ...(isUpdater(storage) && {
      update: (request) => handleUpdate(request, resource, storage),
      patch: (request) => handlePatch(request, resource, storage),
    }),
    ...(isGracefulDeleter(storage) && { delete: (request) => handleDelete(request, resource, storage) }),
    ...(isCollectionDeleter(storage) && {
      deletecollection: (request) => handleDeleteCollection(request, resource, storage),
    }),
  };
}

function genericOfSubresource(resource: ServedResource, name: string, own: SubresourceRecord | undefined): Handlers {
  const { storage } = resource;
  if (name === "scale") {
    return {
      ...(isGetter(storage) && { get: (request) => handleScaleGet(request, resource, storage) }),
      ...(isUpdater(storage) && {
        update: (request) => handleScaleUpdate(request, resource, storage),
        patch: (request) => handleScalePatch(request, resource, storage),
      }),
    };
  }
  if (name !== "status" && (own === undefined || !("part" in own))) return {};
  return {
    ...(isGetter(storage) && { get: (request) => handleGet(request, resource, storage) }),
    ...(isUpdater(storage) && {
      update: (request) => handleUpdate(request, resource, storage, name),
      patch: (request) => handlePatch(request, resource, storage, name),
    }),
  };
}
