import type { Stopwatch } from "../../base/time/timers.js";
import type { MetricRegistry } from "../../machinery/metrics/metric-registry.js";
import type { Transport } from "./transport.js";

/** client-go's bounds: of latencies in seconds, of sizes in bytes. */
const LATENCIES = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const SIZES = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

const TOTAL = {
  type: "counter",
  name: "rest_client_requests_total",
  help: "Number of HTTP requests, partitioned by status code, method, and host.",
  labelNames: ["code", "method", "host"],
} as const;

const LATENCY = {
  type: "histogram",
  name: "rest_client_request_duration_seconds",
  help: "Request latency in seconds. Broken down by verb, and host.",
  labelNames: ["verb", "host"],
  buckets: LATENCIES,
} as const;

const SIZE = {
  type: "histogram",
  name: "rest_client_request_size_bytes",
  help: "Request size in bytes. Broken down by verb and host.",
  labelNames: ["verb", "host"],
  buckets: SIZES,
} as const;

/** client-go's metrics of requests. */
export const REST_CLIENT_METRICS = [TOTAL, LATENCY, SIZE] as const;

/**
 * Wraps a transport so that its requests are counted in the registry under client-go's names. `host` is the server's "host:port";
 * `now` measures in milliseconds.
 */
export function measuredTransport(
  transport: Transport,
  host: string,
  registry: MetricRegistry,
  now: Stopwatch,
): Transport {
  const total = registry.counter(TOTAL);
  const latency = registry.histogram(LATENCY);
  const size = registry.histogram(SIZE);
  return {
    ...transport,
    async send(request) {
      const { method, body } = request;
      const began = now();
      // client-go's word for a request without an answer.
      let code = "<error>";
      try {
        const answer = await transport.send(request);
        code = String(answer.status);
        return answer;
      } finally {
        total.add(1, { code, method, host });
        latency.observe((now() - began) / 1000, { verb: method, host });
        size.observe(body?.length ?? 0, { verb: method, host });
      }
    },
  };
}
