import type { FieldsOf } from "../../machinery/meta/received.js";
import type { APIServiceSpec } from "../../api/types/apiregistration/v1.js";
import { setMaxListeners } from "node:events";
import { isDeepStrictEqual } from "node:util";
import type { ServedApi } from "../../api/facts/index.js";
import type { Timers } from "../../base/time/timers.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import type { Aggregation, RemoteV2 } from "../endpoints/aggregation.js";
import { respondHashed } from "../endpoints/non-resource/cached-document.js";
import type { Measuring } from "../metrics/measures.js";
import type { Handler } from "../request/api-request.js";
import { respondText } from "../request/respond.js";
import { aggregatedView, type RemoteResources } from "./aggregated-view.js";
import { checkAvailability } from "./availability.js";
import { followObjects } from "./followed-objects.js";
import { proxyRequest, type ProxyRules } from "./proxy-request.js";
import { Rechecks } from "./rechecks.js";
import {
  type ApiServiceTable,
  apiServiceTable,
  type AvailableCondition,
  pathOf,
  type RemoteApi,
  withCondition,
} from "../builtin/apiregistration/remote-apis.js";
import { discoverResources } from "./remote-discovery.js";
import { RemoteV2Document, type RemoteV3, remoteV3Of } from "./remote-open-api.js";
import { RemoteServer, type RemoteSurroundings } from "./remote-server.js";

/** How often a server that answers is asked whether it still does, in milliseconds; kube-aggregator's time. */
const RESYNC = 30_000;
/** The waits after failures in a row: 5 ms, doubled each time, to 30 seconds; kube-aggregator's. */
const CHECKS = { first: 5, longest: RESYNC };
/** How often discovery is read again, in milliseconds; kube-aggregator's time. */
const REFRESH = 60_000;
const DISCOVERIES = { first: 500, longest: REFRESH };
/** How long a server's discovery may take, in milliseconds; kube-aggregator's limit. */
const LONGEST_DISCOVERY = 5000;

export interface AggregatorParts extends RemoteSurroundings {
  readonly registry: ApiRegistry;
  readonly timers: Timers;
  /** Writes the status of an APIService, as the server itself. Throws Conflict and NotFound. */
  readonly writeStatus: (apiService: KubeObject) => Promise<unknown>;
  /** Called when what is served has changed. */
  readonly onChange: () => void;
  readonly reportError: (error: unknown) => void;
  readonly measuring: Measuring;
}

/** What is known of the server behind an APIService. */
interface Remote {
  readonly api: RemoteApi;
  readonly server: RemoteServer;
  readonly v2: RemoteV2Document;
  resources: RemoteResources;
  v3: RemoteV3 | undefined;
}

const UNKNOWN: RemoteResources = { resources: undefined, isCurrent: false };
const NONE: ApiServiceTable = { remotes: new Map(), order: [] };

/**
 * Passes requests for the group versions of APIServices with a service on to those services, and shows what they serve in discovery and
 * OpenAPI. It writes into each APIService whether its service answers. Source: kube-aggregator.
 */
export class Aggregator implements Aggregation {
  readonly #remotes = new Map<string, Remote>();
  readonly #stopping = new AbortController();
  readonly #checks: Rechecks;
  readonly #discoveries: Rechecks;
  #apiServices: ReadonlyMap<string, KubeObject> = new Map();
  #table: ApiServiceTable = NONE;
  #changes = 0;
  #last: { readonly own: ServedApi; readonly changes: number; readonly view: ServedApi } | undefined;
  #followsServices = false;

  constructor(
    private readonly parts: AggregatorParts,
    private readonly rules: ProxyRules,
  ) {
    const { timers, reportError } = parts;
    const { signal } = this.#stopping;
    // Every check, watch and timer listens.
    setMaxListeners(0, signal);
    const rechecks = { timers, signal, reportError };
    this.#checks = new Rechecks((name) => this.#check(name), { ...rechecks, ...CHECKS, again: RESYNC });
    this.#discoveries = new Rechecks((name) => this.#discover(name), { ...rechecks, ...DISCOVERIES, again: REFRESH });
  }

  /** Ends what it does by itself. Requests under way go on. */
  stop(): void {
    this.#stopping.abort();
    for (const { server } of this.#remotes.values()) server.retire();
  }

  view(own: ServedApi): ServedApi {
    const last = this.#last;
    if (last?.own === own && last.changes === this.#changes) return last.view;
    const known = new Map([...this.#remotes.values()].map(({ api, resources }) => [api.groupVersion, resources]));
    const epoch = own.epoch + this.#changes;
    const isAlone = this.#table.remotes.size === 0;
    const view = isAlone ? { ...own, epoch } : aggregatedView(own, this.#table, known, epoch);
    this.#last = { own, changes: this.#changes, view };
    return view;
  }

  handlerOf(path: string): Handler | undefined {
    if (this.#table.remotes.size === 0) return undefined;
    const [, root, ...rest] = path.split("/");
    const groupVersion = root === "apis" ? `${rest[0]}/${rest[1]}` : root === "api" ? rest[0] : undefined;
    const api = groupVersion === undefined ? undefined : this.#table.remotes.get(groupVersion);
    const remote = api && this.#remotes.get(api.name);
    return remote && ((request) => this.#pass(request, remote, this.rules));
  }

  readonly openApi: Aggregation["openApi"] = {
    index: () =>
      Object.fromEntries(
        [...this.#remotes.values()].flatMap(({ api, v3 }) =>
          v3 === undefined ? [] : [[pathOf(api).slice(1), v3.entry] as const],
        ),
      ),
    handlerOf: (path) => {
      const remote = [...this.#remotes.values()].find(({ api }) => pathOf(api) === `/${path}`);
      if (remote?.v3 === undefined) return undefined;
      const { converted } = remote.v3;
      if (converted !== undefined) return (request) => respondHashed(request, path, converted);
      // A document of another hash is redirected to that of the present one.
      return (request) => this.#pass(request, remote, { ...this.rules, rejectsRedirects: false });
    },
    v2: async () => {
      const available = [...this.#remotes.values()].filter(({ api }) => isAvailable(api));
      const read = available.map(async ({ api, v2 }): Promise<readonly RemoteV2[]> => {
        const document = await v2.document();
        return document === undefined ? [] : [{ below: [pathOf(api)], document }];
      });
      return (await Promise.all(read)).flat();
    },
  };

  async #pass(request: Parameters<Handler>[0], { api, server }: Remote, rules: ProxyRules): Promise<void> {
    if (!isAvailable(api)) return respondText(request, 503, "service unavailable\n");
    await proxyRequest(request, server, rules);
  }

  /** Takes over what APIServices, by their names, say now. */
  settle(apiServices: ReadonlyMap<string, KubeObject>): void {
    this.#apiServices = apiServices;
    this.#table = apiServiceTable([...apiServices.values()]);
    const byName = new Map([...this.#table.remotes.values()].map((api) => [api.name, api]));
    const before = this.#remotes.size;
    for (const [name, { server }] of this.#remotes) {
      if (byName.has(name)) continue;
      server.retire();
      this.#remotes.delete(name);
      this.#checks.forget(name);
      this.#discoveries.forget(name);
    }
    for (const api of byName.values()) this.#settleOne(api);
    if (before === 0 && this.#remotes.size === 0) return;
    this.#changed();
  }

  #settleOne(api: RemoteApi): void {
    const known = this.#remotes.get(api.name);
    const isSame = known !== undefined && isDeepStrictEqual(reachOf(known.api), reachOf(api));
    const server = isSame ? known.server : new RemoteServer(api, this.parts);
    if (!isSame) known?.server.retire();
    const remote: Remote = {
      api,
      server,
      v2: isSame ? known.v2 : new RemoteV2Document(server, () => this.parts.clock.now()),
      resources: known?.resources ?? UNKNOWN,
      v3: known?.v3,
    };
    this.#remotes.set(api.name, remote);
    if (!isSame) this.#checks.due(api.name);
    const became = isAvailable(api) !== (known !== undefined && isAvailable(known.api));
    if (!isSame || became) this.#discoveries.due(api.name);
    if (!isAvailable(api)) remote.resources = { ...remote.resources, isCurrent: false };
    void this.#followServices();
  }

  /** A change of a service or of its endpoints may make a server available, or not. */
  async #followServices(): Promise<void> {
    if (this.#followsServices) return;
    this.#followsServices = true;
    const { registry, timers, reportError } = this.parts;
    const { signal } = this.#stopping;
    const touched = (namespace: string, service: string): void => {
      for (const { api } of this.#remotes.values()) {
        if (api.service.namespace === namespace && api.service.name === service) this.#checks.due(api.name);
      }
    };
    const replaced = (): void => {
      for (const name of this.#remotes.keys()) this.#checks.due(name);
    };
    const follow = (id: string, nameOf: (object: KubeObject) => string): Promise<void> =>
      followObjects(registry, id, {
        timers,
        signal,
        reportError,
        replaced,
        changed: (_type, one) => touched(one.metadata?.namespace ?? "", nameOf(one)),
      });
    try {
      await follow("/services", ({ metadata }) => metadata?.name ?? "");
      await follow(
        "discovery.k8s.io/endpointslices",
        ({ metadata }) => metadata?.labels?.["kubernetes.io/service-name"] ?? "",
      );
    } catch (error) {
      reportError(error);
    }
  }

  /** Asks whether the server answers and writes that down. Returns whether it does. */
  async #check(name: string): Promise<boolean> {
    const remote = this.#remotes.get(name);
    if (remote === undefined) return true;
    const { registry } = this.parts;
    const objects = { get: registry.access.get, list: registry.access.list };
    const condition = await checkAvailability(remote.api, remote.server, { objects, signal: this.#stopping.signal });
    if (this.#stopping.signal.aborted) return true;
    await this.#write(name, remote, condition);
    return condition.status === "True" || condition.reason !== "FailedDiscoveryCheck";
  }

  async #write(name: string, checked: Remote, condition: AvailableCondition): Promise<void> {
    const now = this.#apiServices.get(name);
    const remote = this.#remotes.get(name);
    // It was about another server.
    if (now === undefined || remote?.server !== checked.server) return;
    if (isDeepStrictEqual(remote.api.condition, condition)) return;
    try {
      await this.parts.writeStatus(withCondition(now, condition, this.parts.clock.now()));
      if (isAvailable(remote.api) && condition.status !== "True") {
        this.parts.measuring.on?.apiServiceUnavailable(name, condition.reason);
      }
    } catch (error) {
      // What it is now comes with the next event.
      if (!isConflict(error) && !isNotFound(error)) throw error;
      this.#checks.due(name);
    }
  }

  /** Reads what the server's discovery lists. Returns whether that is known now. */
  async #discover(name: string): Promise<boolean> {
    const remote = this.#remotes.get(name);
    if (remote === undefined) return true;
    if (!isAvailable(remote.api)) return false;
    const late = AbortSignal.timeout(LONGEST_DISCOVERY);
    const signal = AbortSignal.any([late, this.#stopping.signal]);
    let found: RemoteResources;
    try {
      found = { resources: await discoverResources(remote.api, remote.server, signal), isCurrent: true };
    } catch {
      found = { resources: this.#remotes.get(name)?.resources.resources, isCurrent: false };
    }
    const v3 = found.isCurrent ? await remoteV3Of(remote.api, remote, signal).catch(() => remote.v3) : remote.v3;
    const current = this.#remotes.get(name);
    if (current === undefined || current.server !== remote.server) return true;
    const isSame = isDeepStrictEqual([current.resources, current.v3?.entry], [found, v3?.entry]);
    current.resources = found;
    current.v3 = v3;
    if (!isSame) this.#changed();
    return found.isCurrent;
  }

  #changed(): void {
    this.#changes += 1;
    this.parts.onChange();
  }
}

const reachOf = ({ service, caBundle, insecureSkipTLSVerify }: RemoteApi) =>
  ({
    service,
    caBundle,
    insecureSkipTLSVerify,
  }) satisfies FieldsOf<APIServiceSpec>;

const isAvailable = ({ condition }: RemoteApi): boolean => condition?.status === "True";
