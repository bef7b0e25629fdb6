import { errorMessage } from "../../base/text/error-message.js";
import { goRegexp } from "../../machinery/structural/go-regexp.js";
import type { Filter } from "../request/api-request.js";
import { respondBytes } from "../request/respond.js";
import { withAnswerHeaders } from "../request/wrapped-exchange.js";

/** What browsers are told of an origin that is allowed, as kube-apiserver tells them. */
const ALLOWED = {
  "access-control-allow-methods": "POST, GET, OPTIONS, PUT, DELETE, PATCH",
  "access-control-allow-headers":
    "Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since",
  "access-control-expose-headers": "Date",
  "access-control-allow-credentials": "true",
};

/**
 * Allows the API to pages from origins that match a pattern in Go's syntax (--cors-allowed-origins). It answers preflight requests
 * before authentication, because they carry no credentials.
 */
export function cors(patterns: readonly string[]): Filter {
  const allowed = patterns.map(goRegexp);
  return (next) => async (request) => {
    const origin = request.exchange.headers["origin"] ?? "";
    if (origin === "" || !allowed.some((pattern) => pattern.test(origin))) return next(request);
    const exchange = withAnswerHeaders(request.exchange, { "access-control-allow-origin": origin, ...ALLOWED });
    const crossing = request.with({ exchange });
    if (exchange.method !== "OPTIONS") return next(crossing);
    await respondBytes(crossing, 204, {}, new Uint8Array());
  };
}

const HELP =
  "each pattern begins with ^ or // and ends with $ or a colon, as in ^https://shop\\.example\\.com(:\\d+)?$";

/**
 * What is wrong with patterns of origins, in kube-apiserver's words. A pattern must pin the start and the end of the host: an unpinned one
 * allows other hosts that contain its text (CVE-2022-1996). A leading "/" pins the start too, because an origin has no path; older texts
 * write patterns so, and kube-apiserver has refused them since.
 */
export function originFaults(patterns: readonly string[]): string[] {
  return patterns.flatMap((pattern) => {
    if (pattern === "") return [`empty value in --cors-allowed-origins, help: ${HELP}`];
    const fault = patternFault(pattern);
    return fault === undefined
      ? []
      : [`--cors-allowed-origins has an invalid regular expression: ${fault}, help: ${HELP}`];
  });
}

function patternFault(pattern: string): string | undefined {
  try {
    goRegexp(pattern);
  } catch (error) {
    return errorMessage(error);
  }
  const isPinned = /\^|\/\/|^\//.test(pattern) && /[$:]/.test(pattern);
  return isPinned ? undefined : "regular expression does not pin to start/end of host in the origin header";
}
