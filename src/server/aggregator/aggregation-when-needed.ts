import type { APIService } from "../../api/types/apiregistration/v1.js";
import type { ServedApi } from "../../api/facts/index.js";
import { inOrder } from "../../base/async/turns.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { list, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { remoteApiOf } from "../builtin/apiregistration/remote-apis.js";
import type { Aggregation } from "../endpoints/aggregation.js";
import type { Handler } from "../request/api-request.js";
import type { Aggregator, AggregatorParts } from "./aggregator.js";
import { followObjects } from "./followed-objects.js";
import type { ProxyRules } from "./proxy-request.js";

const GROUP = "apiregistration.k8s.io";

export interface AggregationParts extends AggregatorParts {
  /** Names this aggregator, for as long as it runs. */
  readonly id: string;
  /** Called when an APIService has changed or is gone, with its group. */
  readonly onApiService: (group: string) => void;
}

/** Watches the APIServices. It loads the aggregator for the first APIService with a service, and keeps it loaded. */
export class AggregationWhenNeeded implements Aggregation {
  /** By their names, as they are stored now. */
  readonly apiServices = new Map<string, KubeObject>();
  readonly #stopping = new AbortController();
  #loading: Promise<void> | undefined;
  #aggregator: Aggregator | undefined;

  constructor(private readonly rules: Omit<ProxyRules, "id">) {}

  /** Resolves when all APIServices are known, and what they lead to is served. */
  async start(parts: AggregationParts): Promise<void> {
    const { registry, timers, reportError } = parts;
    if (registry.current.find(`${GROUP}/v1`, "apiservices") === undefined) return;
    const { signal } = this.#stopping;
    await followObjects(registry, `${GROUP}/apiservices`, {
      timers,
      signal,
      reportError,
      replaced: (objects) => {
        this.apiServices.clear();
        for (const one of objects) this.apiServices.set(one.metadata?.name ?? "", one);
        this.#settle(parts, objects);
      },
      changed: (type, one) => {
        const name = one.metadata?.name ?? "";
        if (type === "DELETED") this.apiServices.delete(name);
        else this.apiServices.set(name, one);
        parts.onApiService(groupOf(one));
        this.#settle(parts, [one]);
      },
    });
    await this.#loading;
  }

  /** Ends what it does by itself. Requests under way go on. */
  stop(): void {
    this.#stopping.abort();
    this.#aggregator?.stop();
  }

  /** By the conditions that the aggregator has written. */
  availability(): ReadonlyMap<string, boolean> {
    return new Map([...this.apiServices].map(([name, one]) => [name, isAvailable(one)]));
  }

  view(own: ServedApi): ServedApi {
    return this.#aggregator?.view(own) ?? own;
  }

  handlerOf(path: string): Handler | undefined {
    return this.#aggregator?.handlerOf(path);
  }

  readonly openApi: Aggregation["openApi"] = {
    index: () => this.#aggregator?.openApi.index() ?? {},
    handlerOf: (path) => this.#aggregator?.openApi.handlerOf(path),
    v2: () => this.#aggregator?.openApi.v2() ?? Promise.resolve([]),
  };

  /** `changed` are those that may need the aggregator. */
  #settle(parts: AggregationParts, changed: readonly KubeObject[]): void {
    if (this.#aggregator !== undefined) return this.#aggregator.settle(this.apiServices);
    if (this.#loading !== undefined) return;
    if (!changed.some((one) => remoteApiOf(one) !== undefined)) return;
    this.#loading = this.#load(parts).catch(parts.reportError);
  }

  async #load(parts: AggregationParts): Promise<void> {
    const { Aggregator } = await inOrder(import("./aggregator.js"));
    if (this.#stopping.signal.aborted) return;
    this.#aggregator = new Aggregator(parts, { ...this.rules, id: parts.id });
    this.#aggregator.settle(this.apiServices);
  }
}

function isAvailable({ status }: ReceivedObject<APIService>): boolean {
  const found = list(object(status).conditions)
    .map(object)
    .find(({ type }) => type === "Available");
  return found?.status === "True";
}

const groupOf = ({ spec }: ReceivedObject<APIService>): string => text(object(spec).group);
