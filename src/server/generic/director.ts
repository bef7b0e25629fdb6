import { groupVersionsOf } from "../../api/facts/index.js";
import { methodNotSupported, StatusError } from "../../machinery/errors/status-error.js";
import type { ApiSnapshot } from "../api-registry/api-registry.js";
import { type ApiOperation, type Operations, operationsOf } from "../endpoints/operations.js";
import type { HandlerContext } from "../endpoints/resource-record.js";
import type { ServedResource } from "../endpoints/served-resource.js";
import { handleConnect } from "../endpoints/verbs/connect.js";
import type { Measuring } from "../metrics/measures.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { respondText } from "../request/respond.js";
import type { Delegate } from "./delegate.js";
import { answerUnserved, unknownPath } from "./unserved-paths.js";

/** The operations of a served resource, and of its subresources by name. */
export type OperationsOf = (resource: ServedResource) => ReadonlyMap<string, Operations>;

/** As {@link operationsOf}, cached by served resource. */
export function operationsFor(server: HandlerContext): OperationsOf {
  const resolved = new WeakMap<ServedResource, ReadonlyMap<string, Operations>>();
  return (resource) => {
    let known = resolved.get(resource);
    if (known === undefined) {
      known = operationsOf(resource, server);
      resolved.set(resource, known);
    }
    return known;
  };
}

/**
 * Routes a request to its resource's operation for the verb, or to the handler of another path. `api` is the snapshot that the
 * request holds. A group version that this server does not serve is passed to its delegate.
 */
export function director(
  api: ApiSnapshot,
  operations: OperationsOf,
  nonResource: Handler,
  measuring: Measuring,
  delegate?: Pick<Delegate, "direct">,
): Handler {
  const isOwn = delegate === undefined ? undefined : groupVersionsServed(api);
  return async (request) => {
    const { info } = request;
    if (!info.isResourceRequest) return nonResource(request);
    const groupVersion = info.apiGroup === "" ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
    const resource = api.find(groupVersion, info.resource);
    if (resource === undefined && isOwn?.has(groupVersion) === false) return delegate?.direct(request);
    if (resource === undefined) return answerUnserved(request, api.routes);
    if (api.served.unavailable.has(groupVersion)) return respondText(request, 503, "service unavailable\n");
    if (!scopeFits(request, resource)) return answerUnserved(request, api.routes);
    const known = operations(resource).get(info.subresource);
    const connecter = info.legacyWatch ? undefined : known?.connecter;
    if (info.rest.length > 0 && connecter?.hasSubpath !== true) throw unknownPath();
    noteDeprecation(request, resource);
    if (known === undefined) throw unknownPath();
    if (connecter?.connectMethods.includes(request.exchange.method) === true) {
      return counted(measuring, request, resource, (counting) => handleConnect(counting, resource, connecter));
    }
    // The verb of such a path is watch, whatever the method is.
    const isServed = !info.legacyWatch || request.exchange.method === "GET";
    const operation = isServed ? known.verbs.get(info.verb) : undefined;
    if (operation === undefined || !pathFits(request, resource, operation)) throw refusal(request, resource);
    const preparing = WRITES.has(info.verb) ? resource.strategy.beforeWrite?.(groupVersion) : undefined;
    if (preparing !== undefined) await preparing;
    return counted(measuring, request, resource, operation.handle);
  };
}

/** Handles a request, and counts it where requests are counted. */
function counted(
  { on: measures }: Measuring,
  request: ApiRequest,
  { facts }: ServedResource,
  handle: Handler,
): Promise<void> {
  if (measures === undefined) return handle(request);
  const isDeprecated = facts.deprecationWarning !== undefined;
  const target = { component: "apiserver", removedRelease: isDeprecated ? (facts.removed ?? "") : undefined };
  return measures.request(request, target, handle);
}

const groupVersionsServed = ({ served }: ApiSnapshot): ReadonlySet<string> => new Set(groupVersionsOf(served));

const WRITES: ReadonlySet<string> = new Set(["create", "update", "patch"]);

/** Warns the client that the version is deprecated, when it will be removed and what replaces it. The request's audit event says so too. */
function noteDeprecation({ warnings, annotations, audit }: ApiRequest, { facts }: ServedResource): void {
  const warning = facts.deprecationWarning;
  if (warning === undefined) return;
  warnings.add(warning);
  if (audit === undefined) return;
  annotations.add("k8s.io/deprecated", "true");
  if (facts.removed !== undefined) annotations.add("k8s.io/removed-release", facts.removed);
}

/**
 * An object of a namespaced resource is served under its namespace only; a cluster-scoped resource is not served under one.
 */
function scopeFits({ info }: ApiRequest, { facts }: ServedResource): boolean {
  if (!facts.namespaced) return info.namespace === "" || info.resource === "namespaces";
  return info.namespace !== "" || info.name === "" || info.legacyWatch;
}

/**
 * A generic verb of the resource itself takes a name or takes none. Across all namespaces there is only list and watch.
 */
function pathFits({ info }: ApiRequest, { facts }: ServedResource, { generic }: ApiOperation): boolean {
  const { verb, name, namespace, subresource } = info;
  if (!generic || subresource !== "") return true;
  if (verb === "create") return name === "" && (!facts.namespaced || namespace !== "");
  if (verb === "update" || verb === "patch") return name !== "";
  return verb === "list" || verb === "watch" || !facts.namespaced || namespace !== "";
}

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
