import { exponentialBuckets, type FamilyDefinition } from "../../machinery/metrics/family.js";

const OF_POLICY = ["policy", "policy_binding", "error_type", "enforcement_action"];
const RESULT_BUCKETS = exponentialBuckets(0.001, 2, 15);
const ADMISSION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** kube-apiserver 1.36's metrics of authentication, authorization and admission. */
export const ACCESS = {
  authenticatedUsers: {
    name: "authenticated_user_requests",
    type: "counter",
    help: "Counter of authenticated requests broken out by username.",
    labels: ["username"],
    stability: "ALPHA",
  },
  authenticationAttempts: {
    name: "authentication_attempts",
    type: "counter",
    help: "Counter of authenticated attempts.",
    labels: ["result"],
    stability: "ALPHA",
  },
  authenticationDuration: {
    name: "authentication_duration_seconds",
    type: "histogram",
    help: "Authentication duration in seconds broken out by result.",
    labels: ["result"],
    buckets: RESULT_BUCKETS,
    stability: "ALPHA",
  },
  authorizationAttempts: {
    name: "authorization_attempts_total",
    type: "counter",
    help: "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.",
    labels: ["result"],
    stability: "ALPHA",
  },
  authorizationDuration: {
    name: "authorization_duration_seconds",
    type: "histogram",
    help: "Authorization duration in seconds broken out by result.",
    labels: ["result"],
    buckets: RESULT_BUCKETS,
    stability: "ALPHA",
  },
  authorizationDecisions: {
    name: "apiserver_authorization_decisions_total",
    type: "counter",
    help: "Total number of terminal decisions made by an authorizer split by authorizer type, name, and decision.",
    labels: ["type", "name", "decision"],
    stability: "ALPHA",
  },
  admissionStep: {
    name: "apiserver_admission_step_admission_duration_seconds",
    type: "histogram",
    help: "Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).",
    labels: ["type", "operation", "rejected"],
    buckets: ADMISSION_BUCKETS,
    stability: "STABLE",
  },
  admissionPlugin: {
    name: "apiserver_admission_controller_admission_duration_seconds",
    type: "histogram",
    help: "Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).",
    labels: ["name", "type", "operation", "rejected"],
    buckets: ADMISSION_BUCKETS,
    stability: "STABLE",
  },
  webhookDuration: {
    name: "apiserver_admission_webhook_admission_duration_seconds",
    type: "histogram",
    help: "Admission webhook latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).",
    labels: ["name", "type", "operation", "rejected"],
    buckets: [...ADMISSION_BUCKETS, 10, 25],
    stability: "STABLE",
  },
  webhookRejections: {
    name: "apiserver_admission_webhook_rejection_count",
    type: "counter",
    help: "Admission webhook rejection count, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify an error type (calling_webhook_error or apiserver_internal_error if an error occurred; no_error otherwise) and optionally a non-zero rejection code if the webhook rejects the request with an HTTP status code (honored by the apiserver when the code is greater or equal to 400). Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.",
    labels: ["name", "type", "operation", "error_type", "rejection_code"],
    stability: "ALPHA",
  },
  webhookFailOpen: {
    name: "apiserver_admission_webhook_fail_open_count",
    type: "counter",
    help: "Admission webhook fail open count, identified by name and broken out for each admission type (validating or admit).",
    labels: ["name", "type"],
    stability: "ALPHA",
  },
  webhookRequests: {
    name: "apiserver_admission_webhook_request_total",
    type: "counter",
    help: "Admission webhook request total, identified by name and broken out for each admission type (validating or admit) and operation. Additional labels specify whether the request was rejected or not and an HTTP status code. Codes greater than 600 are truncated to 600, to keep the metrics cardinality bounded.",
    labels: ["name", "type", "operation", "code", "rejected"],
    stability: "ALPHA",
  },
  policyChecks: {
    name: "apiserver_validating_admission_policy_check_total",
    type: "counter",
    help: "Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.",
    labels: OF_POLICY,
    stability: "BETA",
  },
  policyDuration: {
    name: "apiserver_validating_admission_policy_check_duration_seconds",
    type: "histogram",
    help: "Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.",
    labels: OF_POLICY,
    buckets: [0.0000005, 0.001, 0.01, 0.1, 1],
    stability: "BETA",
  },
  rulesCompiled: {
    name: "apiserver_cel_compilation_duration_seconds",
    type: "histogram",
    help: "CEL compilation time in seconds.",
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    stability: "BETA",
  },
  rulesEvaluated: {
    name: "apiserver_cel_evaluation_duration_seconds",
    type: "histogram",
    help: "CEL evaluation time in seconds.",
    labels: [],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    stability: "BETA",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;
