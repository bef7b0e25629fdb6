import { exponentialBuckets, type FamilyDefinition } from "../../machinery/metrics/family.js";

const OF_REQUEST = ["verb", "group", "version", "resource", "subresource", "scope", "component"];
const WITH_DRY_RUN = ["verb", "dry_run", "group", "version", "resource", "subresource", "scope", "component"];
/** Of the indicators of the service level, in seconds. */
const SLI_BUCKETS = [0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];
/** The histogram buckets of latencies, in seconds. */
export const LATENCY_BUCKETS = [0.005, 0.025, ...SLI_BUCKETS];
const BETA_IN_1_37 = { version: "1.37", stability: "BETA" } as const;

/** kube-apiserver's metrics of requests, as 1.36 has them and 1.37 changed them (K37-121), with its names, labels and buckets. */
export const REQUESTS = {
  total: {
    name: "apiserver_request_total",
    type: "counter",
    help: "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.",
    labels: [...WITH_DRY_RUN, "code"],
    stability: "STABLE",
  },
  duration: {
    name: "apiserver_request_duration_seconds",
    type: "histogram",
    help: "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.",
    labels: WITH_DRY_RUN,
    buckets: LATENCY_BUCKETS,
    stability: "STABLE",
  },
  sli: {
    name: "apiserver_request_sli_duration_seconds",
    type: "histogram",
    help: "Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
    labels: OF_REQUEST,
    buckets: SLI_BUCKETS,
    stability: "ALPHA",
  },
  slo: {
    name: "apiserver_request_slo_duration_seconds",
    type: "histogram",
    help: "Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.",
    labels: OF_REQUEST,
    buckets: SLI_BUCKETS,
    stability: "ALPHA",
    deprecated: "1.27.0",
    removed: "1.37",
  },
  responseSizes: {
    name: "apiserver_response_sizes",
    type: "histogram",
    help: "Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.",
    labels: OF_REQUEST,
    buckets: exponentialBuckets(1000, 10, 7),
    stability: "STABLE",
  },
  longRunning: {
    name: "apiserver_longrunning_requests",
    type: "gauge",
    help: "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.",
    labels: OF_REQUEST,
    stability: "STABLE",
  },
  deprecated: {
    name: "apiserver_requested_deprecated_apis",
    type: "gauge",
    help: "Gauge of deprecated APIs that have been requested, broken out by API group, version, resource, subresource, and removed_release.",
    labels: ["group", "version", "resource", "subresource", "removed_release"],
    stability: "STABLE",
  },
  inFlight: {
    name: "apiserver_current_inflight_requests",
    type: "gauge",
    help: "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.",
    labels: ["request_kind"],
    stability: "STABLE",
  },
  own: {
    name: "apiserver_selfrequest_total",
    type: "counter",
    help: "Counter of apiserver self-requests broken out for each verb, API resource and subresource.",
    labels: ["verb", "group", "resource", "subresource"],
    stability: "ALPHA",
  },
  aborts: {
    name: "apiserver_request_aborts_total",
    type: "counter",
    help: "Number of requests which apiserver aborted possibly due to a timeout, for each group, version, verb, resource, subresource and scope",
    labels: ["verb", "group", "version", "resource", "subresource", "scope"],
    stability: "ALPHA",
  },
  terminations: {
    name: "apiserver_request_terminations_total",
    type: "counter",
    help: "Number of requests which apiserver terminated in self-defense.",
    labels: [...OF_REQUEST, "code"],
    stability: "ALPHA",
  },
  watchEvents: {
    name: "apiserver_watch_events_total",
    type: "counter",
    help: "Number of events sent in watch clients",
    labels: ["group", "version", "resource"],
    stability: "ALPHA",
    changed: BETA_IN_1_37,
  },
  watchEventSizes: {
    name: "apiserver_watch_events_sizes",
    type: "histogram",
    help: "Watch event size distribution in bytes",
    labels: ["group", "version", "resource"],
    buckets: exponentialBuckets(1024, 2, 8),
    stability: "ALPHA",
    changed: BETA_IN_1_37,
  },
  handshakeErrors: {
    name: "apiserver_tls_handshake_errors_total",
    type: "counter",
    help: "Number of requests dropped with 'TLS handshake error from' error",
    stability: "ALPHA",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;

/** The results of health checks, of /metrics/slis. */
export const HEALTH = {
  result: {
    name: "kubernetes_healthcheck",
    type: "gauge",
    help: "This metric records the result of a single healthcheck.",
    labels: ["name", "type"],
    stability: "STABLE",
  },
  results: {
    name: "kubernetes_healthchecks_total",
    type: "counter",
    help: "This metric records the results of all healthcheck.",
    labels: ["name", "type", "status"],
    stability: "STABLE",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;
