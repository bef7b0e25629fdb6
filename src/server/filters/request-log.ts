import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { LogValues } from "../../machinery/text/klog/klog.js";
import type { Stopwatch } from "../../base/time/timers.js";
import { loggedVerb } from "../metrics/request-labels.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import { observeAnswers } from "../request/observed-answer.js";

/** The log to which the lines about requests are written. */
export interface RequestLog {
  /** Whether requests are logged now. It is asked at each request. */
  isOn(): boolean;
  write(message: string, values: LogValues): void;
}

/** As kube-apiserver cuts an id that a client has chosen. */
const MOST_OF_ID = 64;

/** Logs each request when it has ended, in kube-apiserver's words. Bodies and headers but User-Agent and Content-Type are never logged. */
export function logRequests(log: RequestLog, now: Stopwatch): Filter {
  return (next) => {
    const logged: Handler = observeAnswers(now, (request, { status, ended }) => {
      log.write("HTTP", { ...valuesOf(request, ended - (began.get(request) ?? ended)), ...answered(status) });
    })(next);
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

const answered = (status: number | undefined): LogValues =>
  status === 101 ? { hijacked: true } : { resp: status ?? 0 };
