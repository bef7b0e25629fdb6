import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import type { ApiRequest, Handler, Warnings } from "../request/api-request.js";

/** The measures that a server's parts report to its metrics. All parts of a server share one object. */
export class Measuring {
  readonly #sources: ((table: MetricTable) => void)[] = [];
  #table: MetricTable | undefined;
  #on: ServerMeasures | undefined;

  /** Undefined until somebody reads the metrics, where they are not counted from the start. */
  get on(): ServerMeasures | undefined {
    return this.#on;
  }

  /** Measures from now on. `table` is where the measures go: of the servers of a chain, that of the one that started last. */
  start(measures: ServerMeasures, table: MetricTable): void {
    this.#table = table;
    for (const add of this.#sources) add(table);
    this.#on = measures;
  }

  /** Calls `add` once there is a table: a part of the server adds metrics of its own. */
  addSource(add: (table: MetricTable) => void): void {
    this.#sources.push(add);
    if (this.#table !== undefined) add(this.#table);
  }
}

/** The metric labels of a request for which a handler was found. */
export interface MeasuredTarget {
  /** kube-apiserver's "apiserver" for the API, "" for other paths. */
  readonly component: string;
  /** The release that removes the version: "1.39", or "". Undefined for a version that is not deprecated. */
  readonly removedRelease?: string | undefined;
}

/** The outcome of an admission phase of one plugin or of all. */
export interface MeasuredAdmission {
  /** kube-apiserver's name of the phase. */
  readonly type: "admit" | "validate";
  readonly operation: string;
  readonly rejected: boolean;
  readonly milliseconds: number;
}

export interface MeasuredWebhookCall extends Omit<MeasuredAdmission, "type"> {
  readonly name: string;
  /** kube-apiserver's name of the phase, which is another one here. */
  readonly type: "admit" | "validating";
  /** The warnings of the request: what all copies of it share. Undefined where the call is for no request. */
  readonly warnings: Warnings | undefined;
  /** The status that the webhook answered, or that it refuses the request with; 0 where there was none. */
  readonly code: number;
  /** Why the request is rejected; undefined where the webhook does not reject it. */
  readonly rejection?: { readonly errorType: WebhookErrorType; readonly code: number } | undefined;
  /** Whether the webhook failed and its policy ignores that. */
  readonly failedOpen: boolean;
}

/** The outcome of a ValidatingAdmissionPolicy's validation that failed, or that could not be evaluated. */
export interface MeasuredPolicyCheck {
  readonly policy: string;
  readonly binding: string;
  readonly errorType: "no_error" | "compile_error" | "out_of_budget" | "invalid_error";
  /** "allow": the policy ignores its failures. */
  readonly action: "allow" | "deny" | "audit" | "warn";
  readonly milliseconds: number;
}

export type WebhookErrorType = "calling_webhook_error" | "apiserver_internal_error" | "no_error";

/** Receives a server's measurements. Durations are milliseconds of {@link now}. */
export interface ServerMeasures {
  /** Milliseconds of a clock that never jumps. */
  now(): number;
  /** Runs the handler of a request, and counts the request when it ends. */
  request(request: ApiRequest, target: MeasuredTarget, handle: Handler): Promise<void>;
  /** A request was refused because too many run. */
  dropped(request: ApiRequest): void;
  /** A request was ended because its time was up. */
  timedOut(request: ApiRequest): void;
  /** `username` is that of a caller who showed good credentials. */
  authenticated(result: "success" | "failure" | "error", username: string | undefined, milliseconds: number): void;
  authorized(result: "allowed" | "denied" | "no-opinion" | "error", milliseconds: number): void;
  /** One authorizer of the chain has decided. */
  decided(type: string, name: string, decision: "allowed" | "denied"): void;
  /** A plugin of admission has ended. */
  admissionPlugin(name: string, outcome: MeasuredAdmission): void;
  /** A phase of admission has ended for all plugins. */
  admissionStep(outcome: MeasuredAdmission): void;
  webhook(call: MeasuredWebhookCall): void;
  policyCheck(check: MeasuredPolicyCheck): void;
  /** The rules of one place of a definition's schema were compiled. */
  rulesCompiled(milliseconds: number): void;
  /** They were asked about a value. */
  rulesEvaluated(milliseconds: number): void;
  /** A call of the storage has ended. */
  stored(operation: string, key: string, milliseconds: number, failed: boolean): void;
  /** The storage has sent changes of these keys. */
  storageEvents(events: readonly { readonly key: string }[]): void;
  /** A list was answered. */
  listed(resource: GroupResource, fromCache: boolean, returned: number): void;
  /** An APIService does not answer any more. */
  apiServiceUnavailable(name: string, reason: string): void;
  /** A health check has run, for a request for all checks. `type` is "healthz", "livez" or "readyz". */
  healthCheck(name: string, type: string, passed: boolean): void;
  /** A TLS handshake failed. */
  handshakeFailed(): void;
}
