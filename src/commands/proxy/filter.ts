import type { Flags } from "../../component/flags/flag-set.js";
import { ExitError } from "../../cli/errors.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import { patternProblem } from "../../api/validation/apiextensions/pattern.js";
import { goPattern } from "../../machinery/text/go/go-pattern.js";

/** The rules for the requests that the proxy forwards. */
export interface Filter {
  readonly acceptPaths: readonly RegExp[];
  readonly rejectPaths: readonly RegExp[];
  readonly acceptHosts: readonly RegExp[];
  readonly rejectMethods: readonly RegExp[];
}

/** Reads the filter from the flags. @throws ExitError with klog's line and code for an invalid pattern */
export function filterOf(flags: Flags, now: Date, pid: number): Filter {
  const patterns = (name: string): readonly RegExp[] => {
    const text = flags.string(name);
    if (text === "") return [];
    return text.split(",").map((pattern) => {
      const problem = patternProblem(pattern);
      if (problem === undefined) return goPattern(pattern);
      throw new ExitError(255, klogLine("F", "proxy_server.go:83", `Error compiling re: ${problem}`, now, pid));
    });
  };
  return {
    acceptPaths: patterns("accept-paths"),
    rejectPaths: patterns("reject-paths"),
    acceptHosts: patterns("accept-hosts"),
    rejectMethods: patterns("reject-methods"),
  };
}

/** Whether the filter lets a request pass. `path` is decoded, without the prefix of the API; `host` is the Host header. */
export function isAccepted(
  filter: Filter,
  { method, path, host }: { readonly method: string; readonly path: string; readonly host: string },
): boolean {
  const some = (patterns: readonly RegExp[], text: string): boolean => patterns.some((pattern) => pattern.test(text));
  if (some(filter.rejectPaths, path) || some(filter.rejectMethods, method)) return false;
  return some(filter.acceptPaths, path) && some(filter.acceptHosts, hostWithoutPort(host));
}

/** An address in brackets loses them with its port, and only then, as Go's SplitHostPort does it. */
function hostWithoutPort(host: string): string {
  const [, name, bracketed] = /^(?:([^:[\]]*)|\[([^[\]]*)\]):[^:[\]]*$/.exec(host) ?? [];
  return name ?? bracketed ?? host;
}
