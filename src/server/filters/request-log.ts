import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { LogValues } from "../../machinery/text/klog/klog.js";
import type { Stopwatch } from "../../base/time/timers.js";
import { loggedVerb } from "../metrics/request-labels.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import type { Exchange, ResponseWriter } from "../request/exchange.js";
import { isFailure, noteFailure } from "../request/failure-stack.js";
import { observeAnswers } from "../request/observed-answer.js";
import { type AnswerHeaders, WrappedExchange } from "../request/wrapped-exchange.js";

/** The log to which the lines about requests are written. */
export interface RequestLog {
  /** Whether requests are logged now. It is asked at each request. */
  isOn(): boolean;
  write(message: string, values: LogValues): void;
}

/** Notes, of an answer that says a failure of the server, the code that makes it where no error has said it before. */
class FailureExchange extends WrappedExchange {
  constructor(
    inner: Exchange,
    private readonly added: ApiRequest["added"],
  ) {
    super(inner);
  }

  override respond(status: number, headers: AnswerHeaders): ResponseWriter {
    if (isFailure(status)) noteFailure(this.added, new Error());
    return super.respond(status, headers);
  }
}

/** As kube-apiserver cuts an id that a client has chosen. */
const MOST_OF_ID = 64;

/** Logs each request when it has ended, in kube-apiserver's words. Bodies and headers but User-Agent and Content-Type are never logged. */
export function logRequests(log: RequestLog, now: Stopwatch): Filter {
  return (next) => {
    const noting: Handler = (request) =>
      next(request.with({ exchange: new FailureExchange(request.exchange, request.added) }));
    const logged: Handler = observeAnswers(now, (request, { status, ended }) => {
      const { stack } = request.added;
      log.write("HTTP", { ...valuesOf(request, ended - (began.get(request) ?? ended)), ...answered(status, stack) });
    })(noting);
    return (request) => {
      if (!log.isOn()) return next(request);
      began.set(request, now());
      request.added.line = [];
      return logged(request);
    };
  };
}

const began = new WeakMap<ApiRequest, number>();

function valuesOf(request: ApiRequest, milliseconds: number): LogValues {
  const { exchange, auditId, added } = request;
  const { remoteAddress, remotePort } = exchange;
  const host = remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress;
  return {
    verb: loggedVerb(request),
    URI: exchange.uri,
    latency: goDurationText(milliseconds),
    userAgent: exchange.headers["user-agent"] ?? "",
    contentType: exchange.headers["content-type"] ?? "",
    "audit-ID": auditId.slice(0, MOST_OF_ID),
    srcIP: remotePort === undefined ? remoteAddress : `${host}:${remotePort}`,
    ...Object.assign({}, ...(added.line ?? [])),
  };
}

function answered(status: number | undefined, stack: string | undefined): LogValues {
  if (status === 101) return { hijacked: true };
  const isShown = isFailure(status) && stack !== undefined && stack !== "";
  return { resp: status ?? 0, ...(isShown && { statusStack: `\n${stack}` }) };
}
