import type { Filter } from "../request/api-request.js";
import { withAnswerHeaders } from "../request/wrapped-exchange.js";

/** Tells browsers to use TLS only (--strict-transport-security-directives): "max-age=31536000", "includeSubDomains", "preload". */
export function strictTransportSecurity(directives: readonly string[]): Filter {
  const header = { "strict-transport-security": directives.join("; ") };
  return (next) => (request) => next(request.with({ exchange: withAnswerHeaders(request.exchange, header) }));
}

/** Finds the faults of the directives, in kube-apiserver's words. */
export function directiveFaults(directives: readonly string[]): string[] {
  return directives.flatMap((directive) => {
    if (directive.trim() === "") return ["empty value in strict-transport-security-directives"];
    if (directive === "includeSubDomains" || directive === "preload" || /^max-age=[^=]*$/.test(directive)) return [];
    return [
      "--strict-transport-security-directives invalid, allowed values: max-age=expireTime, includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information",
    ];
  });
}
