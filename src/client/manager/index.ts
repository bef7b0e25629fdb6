export {
  Controller,
  type ControllerStatus,
  type Reconciler,
  type Reconciliation,
  type ReconcileResult,
} from "./controller.js";
export { type DecidedCondition, setCondition } from "./conditions.js";
export { ControllerBuilder, controllerReference, type Watched } from "./controller-builder.js";
export { Manager, type ManagerOptions } from "./manager.js";
export { describeProblem, type Problem } from "./problem.js";
export { AdmissionRefusal, type RefusalOptions } from "./webhooks/admission-refusal.js";
export type { SelfMade } from "./webhooks/self-made-certificate.js";
export type { ServingCertificate } from "./webhooks/serving-certificate.js";
export type {
  AdmissionCall,
  AdmissionHandler,
  AdmissionResult,
  AdmissionRule,
  AuthenticationHandler,
  AuthorizationHandler,
  DefaultObject,
  ValidateObject,
  VersionConversion,
} from "./webhooks/webhook-handlers.js";
export type {
  ConversionBuilder,
  WebhookAddress,
  WebhookBuilder,
  Webhooks,
  WebhookServerOptions,
} from "./webhooks/webhooks.js";
export type { EndpointOptions } from "./endpoints/endpoint.js";
export type { HealthCheck, HealthEndpointOptions } from "./endpoints/health-endpoint.js";
export type { MetricsEndpointOptions } from "./endpoints/metrics-endpoint.js";
export { addFinalizer, removeFinalizer } from "./finalizers.js";
