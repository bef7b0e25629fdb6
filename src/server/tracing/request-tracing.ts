import type * as OpenTelemetry from "@opentelemetry/api";
import type { Clock } from "../../base/time/clock.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import type { Random } from "../../base/numbers/random.js";
import { type Stopwatch, stopwatchOf, type Timers } from "../../base/time/timers.js";
import { formatTraceParent, parseTraceParent, passTrace, PassedSpan, stateHeaders } from "../filters/tracing.js";
import type { RequestTracing } from "../filters/tracing.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import { type Answer, observeAnswers } from "../request/observed-answer.js";
import {
  currentSpan,
  inPart,
  inSpan,
  type PartKind,
  type RequestSpan,
  type SpanFields,
} from "../../machinery/tracing/request-span.js";
import { answerFields, auditIdOf, requestFields, spanName, verbFields } from "./request-fields.js";
import { SlowTrace } from "./slow-trace.js";

/** OpenTelemetry's API, and a tracer of the provider that records spans. */
export interface SpanRecorder {
  readonly api: typeof OpenTelemetry;
  readonly tracer: OpenTelemetry.Tracer;
}

/** The log for slow requests. */
export interface SlowRequestLog {
  readonly write: (text: string) => void;
  /** klog's level: below 2 nothing is measured, and from 4 on a text has every step. */
  readonly verbosity: () => number;
}

export interface TracingParts {
  readonly recorder: SpanRecorder | undefined;
  readonly slow: SlowRequestLog | undefined;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Numbers the texts of the log. */
  readonly random: Random;
}

/** Makes the tracing of a server's requests. A request that neither a recorder nor the log wants costs only that check. */
export function requestTracing(parts: TracingParts): RequestTracing {
  const { recorder, slow } = parts;
  return {
    filter: (next) => {
      const unmeasured = passTrace(next);
      return (request) => {
        const isLogged = slow !== undefined && slow.verbosity() >= LOGGED_FROM;
        if (recorder === undefined && !isLogged) return unmeasured(request);
        return traced(next, request, new TracedRequest(parts, request, isLogged));
      };
    },
    part: (name, filter) => (recorder === undefined ? filter : filterPart(name, filter)),
  };
}

/** kube-apiserver logs slow requests from -v=2 on, and all their steps from -v=4 on. */
const LOGGED_FROM = 2;
const ALL_FROM = 4;

function filterPart(name: string, filter: Filter): Filter {
  return (next) => {
    const inner = filter(next);
    return (request) =>
      inPart(
        name,
        () => ({}),
        () => inner(request),
        { kind: "internal" },
      );
  };
}

function traced(next: Handler, request: ApiRequest, context: TracedRequest): Promise<void> {
  const { span, isRecorded, isLogged } = context;
  if (!isRecorded && !isLogged) return inSpan(new PassedSpan(span.headers, span.auditId), () => next(request));
  const handle = isRecorded ? observeAnswers(context.time, (_, answer) => answered(span, answer))(next) : next;
  return inSpan(span, async () => {
    try {
      await handle(request);
    } catch (error) {
      span.failed(error);
      throw error;
    } finally {
      span.end();
    }
  });
}

function answered(span: TraceSpan, answer: Answer): void {
  span.add(answerFields(answer));
  if ((answer.status ?? 0) >= 500) span.failed(undefined);
}

/** What the spans of one request share. */
class TracedRequest {
  readonly auditId: string;
  readonly span: TraceSpan;
  readonly #begun: number;
  readonly #elapsed: Stopwatch;
  /** The caller's headers, where no span is recorded. */
  readonly passed: Readonly<Record<string, string>>;

  constructor(
    readonly parts: TracingParts,
    readonly request: ApiRequest,
    readonly isLogged: boolean,
  ) {
    this.auditId = auditIdOf(request);
    this.#begun = parts.clock.now();
    this.#elapsed = stopwatchOf(parts.timers)();
    const { headers } = request.exchange;
    const parent = parseTraceParent(headers["traceparent"]);
    const state = parent === undefined ? {} : stateHeaders(headers);
    this.passed = parent === undefined ? {} : { traceparent: formatTraceParent(parent), ...state };
    const recorded = parts.recorder && startRequestSpan(parts.recorder, request, hrTime(request.received));
    this.span = new TraceSpan(this, recorded, undefined);
  }

  get isRecorded(): boolean {
    return this.span.isRecording;
  }

  /** Milliseconds since the epoch, with fractions. */
  readonly time = (): number => this.#begun + this.#elapsed();

  /** Logs what is slow in work that has ended. */
  log(work: SlowTrace): void {
    const { slow, random } = this.parts;
    if (slow === undefined) return;
    const number = (): number => randomBelow(random, 2 ** 31);
    for (const text of work.texts(this.time(), slow.verbosity() >= ALL_FROM, number)) slow.write(text);
  }
}

/** A span that is recorded, and the context in which its parts start. */
interface Recorded {
  readonly span: OpenTelemetry.Span;
  readonly context: OpenTelemetry.Context;
}

const hrTime = (milliseconds: number): OpenTelemetry.HrTime => {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
};

/** Members of these groups continue their own traces. Anybody else's request begins one that is linked to theirs, so that nobody chooses what is sampled. */
const TRUSTED = ["system:masters", "system:monitoring"];

function startRequestSpan(
  { api, tracer }: SpanRecorder,
  request: ApiRequest,
  startTime: OpenTelemetry.HrTime,
): Recorded {
  const parent = parentOf(api, request);
  const isTrusted = request.user.groups.some((group) => TRUSTED.includes(group));
  const linked = isTrusted ? undefined : api.trace.getSpanContext(parent);
  const span = tracer.startSpan(
    spanName(request),
    {
      kind: api.SpanKind.SERVER,
      startTime,
      attributes: requestFields(request),
      root: !isTrusted,
      ...(linked !== undefined && { links: [{ context: linked }] }),
    },
    parent,
  );
  return { span, context: api.trace.setSpan(isTrusted ? parent : api.ROOT_CONTEXT, span) };
}

/** The caller's span: of the request's headers, or of the code in this process that sends it. */
function parentOf(api: typeof OpenTelemetry, { exchange }: ApiRequest): OpenTelemetry.Context {
  const given = parseTraceParent(exchange.headers["traceparent"]);
  if (given !== undefined) {
    const { tracestate } = exchange.headers;
    const traceState = tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) };
    const { traceId, spanId, flags: traceFlags } = given;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true, ...traceState });
  }
  if (exchange.protocol !== undefined) return api.ROOT_CONTEXT;
  const own = currentSpan();
  return own instanceof TraceSpan && own.recorded !== undefined ? own.recorded.context : api.context.active();
}

class TraceSpan implements RequestSpan {
  #hasEnded = false;

  constructor(
    private readonly request: TracedRequest,
    readonly recorded: Recorded | undefined,
    /** What the log has of the work, of which this is a part that the log does not tell apart, or the whole. */
    private readonly slow: SlowTrace | undefined,
    /** Whether the end of this span is that of {@link slow}, and whether that is no part of other work. */
    private readonly logs: "end" | "part" | "none" = "none",
  ) {}

  get auditId(): string {
    return this.request.auditId;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get requestFields(): SpanFields {
    return verbFields(this.request.request);
  }

  get isRecording(): boolean {
    return this.recorded?.span.isRecording() === true;
  }

  get headers(): Readonly<Record<string, string>> {
    if (this.recorded === undefined) return this.request.passed;
    const { traceId, spanId, traceFlags: flags, traceState } = this.recorded.span.spanContext();
    const { baggage } = this.request.passed;
    const tracestate = traceState?.serialize() ?? "";
    return {
      traceparent: formatTraceParent({ traceId, spanId, flags }),
      ...(tracestate !== "" && { tracestate }),
      ...(baggage !== undefined && { baggage }),
    };
  }

  step(name: string, fields: SpanFields = {}): void {
    const at = this.request.time();
    this.slow?.step(name, fields, at);
    this.recorded?.span.addEvent(name, fields, hrTime(at));
  }

  part(name: string, fields: SpanFields, kind: PartKind): RequestSpan {
    const at = this.request.time();
    const recorded = this.#record(name, fields, kind, at);
    if (kind !== "measured" || !this.request.isLogged) return new TraceSpan(this.request, recorded, this.slow);
    const slow = this.slow?.part(name, fields, at) ?? new SlowTrace(name, fields, at);
    return new TraceSpan(this.request, recorded, slow, this.slow === undefined ? "end" : "part");
  }

  add(fields: SpanFields): void {
    if (this.logs !== "none") this.slow?.add(fields);
    this.recorded?.span.setAttributes(fields);
  }

  failed(error: unknown): void {
    const { recorder } = this.request.parts;
    if (recorder === undefined || this.recorded === undefined) return;
    if (error instanceof Error) this.recorded.span.recordException(error, hrTime(this.request.time()));
    this.recorded.span.setStatus({ code: recorder.api.SpanStatusCode.ERROR });
  }

  end(threshold = 500): void {
    const at = this.request.time();
    this.#hasEnded = true;
    this.recorded?.span.end(hrTime(at));
    if (this.logs === "none" || this.slow === undefined) return;
    this.slow.end(at, threshold);
    if (this.logs === "end") this.request.log(this.slow);
  }

  run<T>(work: () => T): T {
    const { recorder } = this.request.parts;
    if (recorder === undefined || this.recorded === undefined) return work();
    return recorder.api.context.with(this.recorded.context, work);
  }

  #record(name: string, attributes: SpanFields, kind: PartKind, at: number): Recorded | undefined {
    const { recorder } = this.request.parts;
    if (recorder === undefined || this.recorded === undefined) return undefined;
    const { api, tracer } = recorder;
    const options = {
      kind: kind === "client" ? api.SpanKind.CLIENT : api.SpanKind.INTERNAL,
      startTime: hrTime(at),
      attributes,
    };
    const span = tracer.startSpan(name, options, this.recorded.context);
    return { span, context: api.trace.setSpan(this.recorded.context, span) };
  }
}
