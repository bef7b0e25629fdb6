import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type { ChannelCredentials } from "@grpc/grpc-js";
import { installHint, isInExecutable } from "../../base/files/own-program.js";
import { uuid } from "../../base/numbers/uuid.js";
import { slowRequestLogOf, type TracingOptions } from "../../component/apiserver-flags/traces.js";
import type { RequestTracing } from "../../server/filters/tracing.js";
import { requestTracing, type SpanRecorder, type TracingParts } from "../../server/tracing/request-tracing.js";
import { readTracingConfiguration, type TracingConfiguration } from "./tracing-configuration.js";

export interface OpenedTracing {
  readonly tracing: RequestTracing;
  /** Sends what was recorded and not sent yet. */
  close(): Promise<void>;
}

interface TracingSurroundings extends Pick<TracingParts, "clock" | "timers" | "random"> {
  readonly warn: (text: string) => void;
  /** Whether the process has registered an SDK of OpenTelemetry. */
  readonly isRegistered: boolean;
  /** Whether the control plane is reached through a proxy. */
  readonly isProxied: boolean;
}

/** Opens the tracing of a server's requests. Rejects for an invalid configuration, and where the packages that it needs are missing. */
export async function openTracing(options: TracingOptions, surroundings: TracingSurroundings): Promise<OpenedTracing> {
  const { configFile } = options;
  const { warn, isRegistered, isProxied, ...others } = surroundings;
  const slow = slowRequestLogOf(options);
  if (configFile === undefined) {
    const recorder = isRegistered ? registeredRecorder(warn) : undefined;
    return { tracing: requestTracing({ recorder, slow, ...others }), close: () => Promise.resolve() };
  }
  const configuration = await readTracingConfiguration(configFile);
  if (isProxied) {
    throw new Error(
      "--tracing-config-file cannot be used with an egress selection of the control plane: traces are not sent through a proxy; leave the selection controlplane out, or the traces",
    );
  }
  const { recorder, close } = configuredRecorder(configuration, `apiserver-${uuid(others.random)}`);
  return { tracing: requestTracing({ recorder, slow, ...others }), close };
}

const API = "@opentelemetry/api";
const EXPORTER = "@opentelemetry/exporter-trace-otlp-grpc";
/** Names the tracer of the server's spans. */
const SCOPE = "kubets";

/** A recorder for the SDK that the process has registered; undefined where the server does not find the API's package. */
function registeredRecorder(warn: (text: string) => void): SpanRecorder | undefined {
  try {
    const api = load<SpanRecorder["api"]>(API);
    return { api, tracer: api.trace.getTracer(SCOPE) };
  } catch (error) {
    warn(`an SDK of OpenTelemetry is registered, and no spans go to it: ${String(error)}`);
    return undefined;
  }
}

/** Sends spans to a collector, by the packages of OpenTelemetry. */
function configuredRecorder(
  { endpoint = "localhost:4317", samplingRatePerMillion: rate = 0 }: TracingConfiguration,
  instance: string,
): { readonly recorder: SpanRecorder; close(): Promise<void> } {
  const api = load<SpanRecorder["api"]>(API);
  const { OTLPTraceExporter } = load<typeof import("@opentelemetry/exporter-trace-otlp-grpc")>(EXPORTER);
  // npm installs the SDK as a dependency of the exporter package, in the version that the exporter needs: it is resolved from there.
  const sdk = loadBeside<typeof import("@opentelemetry/sdk-trace")>("@opentelemetry/sdk-trace");
  const { resourceFromAttributes } = loadBeside<{ resourceFromAttributes(attributes: object): never }>(
    "@opentelemetry/sdk-trace",
    "@opentelemetry/resources",
  );
  const root = rate > 0 ? new sdk.TraceIdRatioBasedSampler(rate / 1_000_000) : new sdk.AlwaysOffSampler();
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ "service.name": "apiserver", "service.instance.id": instance }),
    sampler: new sdk.ParentBasedSampler({ root }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter(placeOf(endpoint)) })],
  });
  return { recorder: { api, tracer: provider.getTracer(SCOPE) }, close: () => provider.shutdown() };
}

/** The collector's place as the exporter reads it: http is gRPC without TLS. */
function placeOf(endpoint: string): { readonly url: string; readonly credentials?: ChannelCredentials } {
  const [, path] = /^unix:(?:\/\/)?(\/.*)$/.exec(endpoint) ?? [];
  if (path === undefined) return { url: `http://${endpoint.replace(/^dns:(\/\/[^/]*\/)?\/*/, "")}` };
  const { credentials } = loadBeside<typeof import("@grpc/grpc-js")>(
    "@opentelemetry/otlp-grpc-exporter-base",
    "@grpc/grpc-js",
  );
  return { url: `unix://${path}`, credentials: credentials.createInsecure() };
}

/** Loads a package that the exporter depends on, by the names of the packages that lead to it. */
function loadBeside<T>(...names: readonly string[]): T {
  let require = createRequire(createRequire(FILE).resolve(EXPORTER));
  for (const name of names.slice(0, -1)) require = createRequire(require.resolve(name));
  return require(names.at(-1) ?? EXPORTER) as T;
}

const FILE = fileURLToPath(import.meta.url);

/** Loads a package, an optional peer. Throws with what to run where it is not installed. */
function load<T>(name: string): T {
  try {
    // The packages are CommonJS, and no build takes them in.
    return createRequire(FILE)(name) as T;
  } catch (error) {
    const remedy = isInExecutable(FILE)
      ? `which the executable does not have; install kubets by npm, with ${API} and ${EXPORTER} beside it`
      : installHint(FILE, name === API ? name : `${API} ${EXPORTER}`);
    throw new Error(`tracing needs the package ${name}: ${remedy}`, { cause: error });
  }
}
