import type { Clock } from "../../base/time/clock.js";
import type { Stopwatch } from "../../base/time/timers.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import type { Family } from "../../machinery/metrics/family.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { CountedExchange } from "./counted-exchange.js";
import type { MeasuredTarget } from "./measures.js";
import { REQUESTS } from "./request-definitions.js";
import { labelsOf, type RequestLabels } from "./request-labels.js";

/** The series of all requests of the same labels. Those that not every request has are made when they are needed. */
interface RequestSeries {
  readonly names: readonly [verb: string, ...others: string[]];
  readonly duration: number;
  sli?: number;
  slo?: number;
  size?: number;
  /** By status. */
  readonly total: Map<number, number>;
}

/** So many combinations of labels are held at once. */
const MOST_HELD = 10_000;

const READ_ONLY = "readOnly";
const MUTATING = "mutating";
const SECOND = 1000;

/** Counts requests. */
export class RequestMeasures {
  readonly #families: { readonly [Key in keyof typeof REQUESTS]: Family };
  readonly #held = new Map<string, RequestSeries>();
  readonly #running = new Map([READ_ONLY, MUTATING].map((kind) => [kind, new PeakOfSecond()]));
  /** How long webhooks took, by the warnings that the copies of a request share. */
  readonly #webhooks = new WeakMap<object, number>();
  readonly #clock: Clock;
  readonly #now: Stopwatch;
  /** Changes when all values are forgotten. */
  #generation = 0;

  constructor(table: MetricTable, clock: Clock, now: Stopwatch) {
    this.#families = familiesOf(table, REQUESTS);
    this.#clock = clock;
    this.#now = now;
    table.onReset(() => {
      this.#held.clear();
      this.#generation += 1;
    });
    table.onRead(() => this.#readRunning());
  }

  async request(request: ApiRequest, target: MeasuredTarget, handle: Handler): Promise<void> {
    const labels = labelsOf(request);
    const exchange = new CountedExchange(request.exchange, (bytes) => this.#event(labels, bytes));
    // The clock tells only when the request came, and may jump meanwhile.
    const waited = Math.max(0, this.#clock.now() - request.received);
    const began = this.#now();
    const leave = this.#enter(labels, target);
    let thrown: { readonly error: unknown } | undefined;
    try {
      await handle(request.with({ exchange }));
    } catch (error) {
      thrown = { error };
      throw error;
    } finally {
      leave();
      if (thrown !== undefined && (exchange.left || exchange.status !== undefined)) this.#aborted(labels);
      const status = exchange.status ?? statusOf(thrown);
      const seconds = (waited + this.#now() - began) / 1000;
      this.#ended(request, labels, target, { status, seconds, bytes: exchange.bytes });
    }
  }

  /** Adds to what webhooks took of a request. */
  webhookTook(warnings: object, milliseconds: number): void {
    this.#webhooks.set(warnings, (this.#webhooks.get(warnings) ?? 0) + milliseconds);
  }

  dropped(request: ApiRequest): void {
    const { verb, dryRun, group, version, resource, subresource, scope } = this.#bounded(request);
    const { total } = this.#families;
    total.add(total.series(verb, dryRun, group, version, resource, subresource, scope, "apiserver", "429"));
  }

  timedOut(request: ApiRequest): void {
    const { verb, group, version, resource, subresource, scope } = this.#bounded(request);
    const { terminations } = this.#families;
    terminations.add(terminations.series(verb, group, version, resource, subresource, scope, "apiserver", "504"));
  }

  handshakeFailed(): void {
    const { handshakeErrors } = this.#families;
    handshakeErrors.add(handshakeErrors.series());
  }

  /** The request runs: returns what ends that. */
  #enter({ verb, group, version, resource, subresource, scope }: RequestLabels, target: MeasuredTarget): () => void {
    if (verb === "WATCH" || verb === "CONNECT") {
      const { longRunning } = this.#families;
      const generation = this.#generation;
      const series = longRunning.series(verb, group, version, resource, subresource, scope, target.component);
      longRunning.add(series);
      return () => {
        if (generation === this.#generation) longRunning.add(series, -1);
      };
    }
    const running = this.#running.get(verb === "GET" || verb === "LIST" ? READ_ONLY : MUTATING);
    running?.enter(this.#now());
    return () => running?.leave(this.#now());
  }

  #ended(
    { user, warnings }: ApiRequest,
    labels: RequestLabels,
    { component, removedRelease }: MeasuredTarget,
    { status, seconds, bytes }: { readonly status: number; readonly seconds: number; readonly bytes: number },
  ): void {
    const { total, duration, sli, slo, responseSizes, own, deprecated } = this.#families;
    const { verb, dryRun, group, version, resource, subresource, scope } = labels;
    const series = this.#seriesOf(labels, component);
    let counted = series.total.get(status);
    if (counted === undefined) {
      counted = total.series(verb, dryRun, group, version, resource, subresource, scope, component, String(status));
      series.total.set(status, counted);
    }
    total.add(counted);
    duration.observe(series.duration, seconds);
    if (dryRun === "") {
      const ofServer = Math.max(0, seconds - (this.#webhooks.get(warnings) ?? 0) / 1000);
      sli.observe((series.sli ??= sli.series(...series.names)), ofServer);
      slo.observe((series.slo ??= slo.series(...series.names)), ofServer);
    }
    if (verb === "GET" || verb === "LIST" || verb === "WATCH") {
      responseSizes.observe((series.size ??= responseSizes.series(...series.names)), bytes);
    }
    if (user.name === "system:apiserver") own.add(own.series(verb, group, resource, subresource));
    if (removedRelease !== undefined) {
      deprecated.set(deprecated.series(group, version, resource, subresource, removedRelease), 1);
    }
  }

  #seriesOf(
    { verb, dryRun, group, version, resource, subresource, scope }: RequestLabels,
    component: string,
  ): RequestSeries {
    const key = `${verb} ${dryRun} ${group}/${version}/${resource}/${subresource} ${scope} ${component}`;
    const held = this.#held.get(key);
    if (held !== undefined) return held;
    if (this.#held.size >= MOST_HELD) this.#held.clear();
    const others = [group, version, resource, subresource, scope, component];
    const made: RequestSeries = {
      names: [verb, ...others],
      duration: this.#families.duration.series(verb, dryRun, ...others),
      total: new Map(),
    };
    this.#held.set(key, made);
    return made;
  }

  #aborted({ verb, group, version, resource, subresource, scope }: RequestLabels): void {
    const { aborts } = this.#families;
    aborts.add(aborts.series(verb, group, version, resource, subresource, scope));
  }

  #event({ group, version, resource }: RequestLabels, bytes: number): void {
    const { watchEvents, watchEventSizes } = this.#families;
    watchEvents.add(watchEvents.series(group, version, resource));
    watchEventSizes.observe(watchEventSizes.series(group, version, resource), bytes);
  }

  /** Of a request that no handler was looked for: what is not served has no name, so that clients cannot make names. */
  #bounded(request: ApiRequest): RequestLabels {
    const labels = labelsOf(request);
    const { info, api } = request;
    const groupVersion = info.apiGroup === "" ? info.apiVersion : `${info.apiGroup}/${info.apiVersion}`;
    const isServed = api.resources.some((one) => one.groupVersion === groupVersion && one.name === info.resource);
    if (isServed) return labels;
    return { ...labels, group: "", version: "", resource: "", subresource: "" };
  }

  #readRunning(): void {
    const { inFlight } = this.#families;
    for (const [kind, running] of this.#running) inFlight.set(inFlight.series(kind), running.peak(this.#now()));
  }
}

/** The families of a record of definitions. */
export function familiesOf<Names extends string>(
  table: MetricTable,
  definitions: Readonly<Record<Names, Parameters<MetricTable["family"]>[0]>>,
): Readonly<Record<Names, Family>> {
  const entries = Object.entries(definitions) as [Names, Parameters<MetricTable["family"]>[0]][];
  return Object.fromEntries(entries.map(([name, definition]) => [name, table.family(definition)])) as Record<
    Names,
    Family
  >;
}

/** The status of an answer that is made of what the handler threw. */
function statusOf(thrown: { readonly error: unknown } | undefined): number {
  if (thrown === undefined) return 200;
  return isStatusError(thrown.error) ? thrown.error.status.code : 500;
}

/** How many run at once, at most, in this second and the one before it. */
class PeakOfSecond {
  #current = 0;
  #second = 0;
  #peak = 0;
  #before = 0;

  enter(now: number): void {
    this.#turn(now);
    this.#current += 1;
    this.#peak = Math.max(this.#peak, this.#current);
  }

  leave(now: number): void {
    this.#turn(now);
    this.#current -= 1;
  }

  peak(now: number): number {
    this.#turn(now);
    return Math.max(this.#peak, this.#before);
  }

  #turn(now: number): void {
    const second = Math.floor(now / SECOND);
    if (second === this.#second) return;
    this.#before = second === this.#second + 1 ? this.#peak : this.#current;
    this.#peak = this.#current;
    this.#second = second;
  }
}
