import type { Clock } from "../../base/time/clock.js";
import { stopwatchOf, type Timers } from "../../base/time/timers.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { Family } from "../../machinery/metrics/family.js";
import { type MetricChoice, MetricTable } from "../../machinery/metrics/metric-table.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { AccessMeasures } from "./access-measures.js";
import type {
  MeasuredAdmission,
  MeasuredPolicyCheck,
  MeasuredTarget,
  MeasuredWebhookCall,
  ServerMeasures,
} from "./measures.js";
import { HEALTH } from "./request-definitions.js";
import { RequestMeasures } from "./request-measures.js";
import { type MeasuredStorage, StorageMeasures, type StoragePolls } from "./storage-measures.js";

export interface ServerMetricsParts {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly storage: MeasuredStorage;
  readonly polls: StoragePolls;
  readonly choice: MetricChoice;
  /** The APIServices that other servers serve, and whether they are available. Default: there are none. */
  readonly apiServices?: () => ReadonlyMap<string, boolean>;
}

/** The metrics of a server: it counts the measurements of the server's parts in {@link table}. */
export class ServerMetrics implements ServerMeasures {
  readonly table: MetricTable;
  /** The results of health checks, which are read apart from all others. */
  readonly slis: MetricTable;
  readonly now: () => number;
  readonly #health: readonly [result: Family, results: Family];
  readonly #requests: RequestMeasures;
  readonly #access: AccessMeasures;
  readonly #storage: StorageMeasures;

  constructor({ clock, timers, storage, polls, choice, apiServices }: ServerMetricsParts) {
    this.table = new MetricTable(choice);
    this.slis = new MetricTable(choice);
    this.#health = [this.slis.family(HEALTH.result), this.slis.family(HEALTH.results)];
    this.now = stopwatchOf(timers)();
    this.#requests = new RequestMeasures(this.table, clock, this.now);
    this.#access = new AccessMeasures(this.table);
    this.#storage = new StorageMeasures(this.table, storage, polls, this.now);
    if (apiServices !== undefined) this.table.onRead(() => this.#storage.apiServices(apiServices()));
  }

  request(request: ApiRequest, target: MeasuredTarget, handle: Handler): Promise<void> {
    return this.#requests.request(request, target, handle);
  }

  dropped(request: ApiRequest): void {
    this.#requests.dropped(request);
  }

  timedOut(request: ApiRequest): void {
    this.#requests.timedOut(request);
  }

  authenticated(result: string, username: string | undefined, milliseconds: number): void {
    this.#access.authenticated(result, username, milliseconds);
  }

  authorized(result: string, milliseconds: number): void {
    this.#access.authorized(result, milliseconds);
  }

  decided(type: string, name: string, decision: string): void {
    this.#access.decided(type, name, decision);
  }

  admissionPlugin(name: string, outcome: MeasuredAdmission): void {
    this.#access.admissionPlugin(name, outcome);
  }

  admissionStep(outcome: MeasuredAdmission): void {
    this.#access.admissionStep(outcome);
  }

  webhook(call: MeasuredWebhookCall): void {
    if (call.warnings !== undefined) this.#requests.webhookTook(call.warnings, call.milliseconds);
    this.#access.webhook(call);
  }

  policyCheck(check: MeasuredPolicyCheck): void {
    this.#access.policyCheck(check);
  }

  rulesCompiled(milliseconds: number): void {
    this.#access.rulesCompiled(milliseconds);
  }

  rulesEvaluated(milliseconds: number): void {
    this.#access.rulesEvaluated(milliseconds);
  }

  stored(operation: string, key: string, milliseconds: number, failed: boolean): void {
    this.#storage.stored(operation, key, milliseconds, failed);
  }

  storageEvents(events: readonly { readonly key: string }[]): void {
    this.#storage.events(events);
  }

  listed(resource: GroupResource, fromCache: boolean, returned: number): void {
    this.#storage.listed(resource, fromCache, returned);
  }

  apiServiceUnavailable(name: string, reason: string): void {
    this.#storage.apiServiceUnavailable(name, reason);
  }

  healthCheck(name: string, type: string, passed: boolean): void {
    const [result, results] = this.#health;
    result.set(result.series(name, type), passed ? 1 : 0);
    results.add(results.series(name, type, passed ? "success" : "error"));
  }

  handshakeFailed(): void {
    this.#requests.handshakeFailed();
  }
}
