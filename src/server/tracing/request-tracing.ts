import type * as OpenTelemetry from "@opentelemetry/api";
import type { Clock } from "../../base/time/clock.js";
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
import { isOn, logSlow, type SlowRequestLog } from "./slow-request-log.js";
import { SlowTrace } from "./slow-trace.js";

/** OpenTelemetry's API, and a tracer of the provider that records spans. */
export interface SpanRecorder {
  readonly api: typeof OpenTelemetry;
  readonly tracer: OpenTelemetry.Tracer;
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
        const isLogged = isOn(slow);
        if (recorder === undefined && !isLogged) return unmeasured(request);
        const context = new TracedRequest(parts, request, isLogged);
        return traced(
          next,
          request,
          context,
          context.begin(recorder, (one) => startRequestSpan(one, request)),
        );
      };
    },
    part: (name, filter) => (recorder === undefined ? filter : filterPart(name, filter)),
    beginning: (name, filter) => (recorder === undefined ? filter : filterBefore(name, filter, parts, recorder)),
  };
}

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

/**
 * kube-apiserver's authentication has a span of a trace of its own, because nobody may choose yet what is recorded. The request's span continues
 * that trace where the caller sends none.
 */
function filterBefore(name: string, filter: Filter, parts: TracingParts, recorder: SpanRecorder): Filter {
  return (next) => {
    const inner = filter(next);
    return async (request) => {
      const span = new TracedRequest(parts, request, false).begin(recorder, ({ api, tracer }) => {
        const parent = request.exchange.protocol === undefined ? callerInProcess(api) : api.ROOT_CONTEXT;
        return within(api, parent, tracer.startSpan(name, {}, parent));
      });
      try {
        await inSpan(span, () => inner(request));
      } finally {
        span.end();
      }
    };
  };
}

function traced(next: Handler, request: ApiRequest, context: TracedRequest, span: TraceSpan): Promise<void> {
  const { isRecording: isRecorded } = span;
  if (!isRecorded && !context.isLogged) return inSpan(new PassedSpan(span.headers, span.auditId), () => next(request));
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
  }

  /** The outermost span of the request's trace. */
  begin(recorder: SpanRecorder | undefined, start: (recorder: SpanRecorder) => Recorded): TraceSpan {
    return new TraceSpan(this, recorder && start(recorder), undefined);
  }

  /** Milliseconds since the epoch, with fractions. */
  readonly time = (): number => this.#begun + this.#elapsed();

  /** Logs what is slow in work that has ended. */
  log(work: SlowTrace): void {
    const { slow, random } = this.parts;
    if (slow !== undefined) logSlow(work, this.time(), slow, random);
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

function startRequestSpan({ api, tracer }: SpanRecorder, request: ApiRequest): Recorded {
  const { exchange, user } = request;
  const sent = sentParent(api, exchange);
  const own = currentSpan();
  const parent = sent ?? (own instanceof TraceSpan ? own.recorded?.context : undefined) ?? api.ROOT_CONTEXT;
  const isTrusted = user.groups.some((group) => TRUSTED.includes(group));
  const isCallers = sent !== undefined || exchange.protocol === undefined;
  const linked = isTrusted || !isCallers ? undefined : api.trace.getSpanContext(parent);
  const span = tracer.startSpan(
    spanName(request),
    {
      kind: api.SpanKind.SERVER,
      startTime: hrTime(request.received),
      attributes: requestFields(request),
      root: !isTrusted,
      ...(linked !== undefined && { links: [{ context: linked }] }),
    },
    parent,
  );
  return within(api, isTrusted ? parent : api.ROOT_CONTEXT, span);
}

const within = (api: typeof OpenTelemetry, parent: OpenTelemetry.Context, span: OpenTelemetry.Span): Recorded => ({
  span,
  context: api.trace.setSpan(parent, span),
});

/** The caller's span as the request's headers have it. */
function sentParent(api: typeof OpenTelemetry, { headers }: ApiRequest["exchange"]): OpenTelemetry.Context | undefined {
  const given = parseTraceParent(headers["traceparent"]);
  if (given === undefined) return undefined;
  const { tracestate } = headers;
  const traceState = tracestate === undefined ? {} : { traceState: api.createTraceState(tracestate) };
  const { traceId, spanId, flags: traceFlags } = given;
  return api.trace.setSpanContext(api.ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true, ...traceState });
}

/** The span of the code in this process that sends the request. */
function callerInProcess(api: typeof OpenTelemetry): OpenTelemetry.Context {
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
    return within(api, this.recorded.context, tracer.startSpan(name, options, this.recorded.context));
  }
}
