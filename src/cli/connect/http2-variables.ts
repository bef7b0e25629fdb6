import { goQuote } from "../../base/text/go-quote.js";
import { klogLine, klogWarning } from "../../machinery/text/klog/klog.js";
import { atoi } from "../../machinery/text/go/atoi.js";
import type { Host } from "./host.js";

/** client-go's variables for HTTP/2, each with the line of its source that warns of it and its default in seconds. */
const VARIABLES = [
  ["HTTP2_READ_IDLE_TIMEOUT_SECONDS", "http.go:154", 30],
  ["HTTP2_PING_TIMEOUT_SECONDS", "http.go:169", 15],
] as const;

/** Returns the lines that client-go logs about these variables when it makes its transport. */
export function http2Notices({ env, clock, pid }: Pick<Host, "env" | "clock" | "pid">): string {
  const now = new Date(clock.now());
  if (env["DISABLE_HTTP2"]) return klogLine("I", "http.go:136", "HTTP2 has been explicitly disabled", now, pid);
  const lines = VARIABLES.map(([name, source, otherwise]) => {
    const value = env[name] ?? "";
    const seconds = value === "" ? otherwise : atoi(value);
    if (typeof seconds === "number") return "";
    const text = `Illegal ${name}(${goQuote(value)}): ${seconds}. Default value ${otherwise} is used`;
    return klogWarning(source, text, now, pid);
  });
  return lines.join("");
}
