export type { AdmissionAttributes, Operation } from "../server/admission/attributes.js";
export type { Reinvocation } from "../server/admission/reinvocation.js";
export type { AdmissionOptions, OwnAdmissionPlugin } from "../server/admission/enabled-plugins.js";
export type { PluginDocument } from "../server/admission/table.js";
export type {
  AdmissionContext,
  AdmissionObjectReader,
  AdmissionObjects,
  AdmissionPlugin,
  AdmissionTarget,
} from "../server/admission/plugin.js";
export { refused } from "../server/admission/attributes.js";
export type { AdmissionConfiguration } from "../server/admission/table.js";
export type { FileAdmissionOptions } from "./options/admission-configuration.js";
export type {
  ContainerExit,
  ContainerRuntime,
  ContainerSpec,
  ContainerStats,
  LogEntry,
  PodIdentity,
  ProbeQuestion,
  ProcessStreams,
  RuntimeLogOptions,
  StartedContainer,
} from "../node/container-runtime.js";
export { RuntimeError } from "../node/container-runtime.js";
export { httpPort, localPort } from "../node/scripted/ports.js";
export type { ScriptedImage } from "../node/scripted/image.js";
export type { ImageScriptText } from "../node/scripted/images/text-script.js";
export type { Program, ProgramInput, ProgramIo, ProgramOutput } from "../node/scripted/program.js";
export { type AllowedForward, type Forward, ForwardSyntaxError } from "../base/forward.js";
export type { ContainerStages, ExitStage, PodStages, StagesOf } from "../node/stages/stages.js";
export type {
  DescribedObject,
  MetricQuery,
  MetricsSource,
} from "../controllers/horizontal-pod-autoscaler/metrics-source.js";
export type {
  AuthorizationModeName,
  AuthorizationOptions,
  WebhookAuthorizationOptions,
} from "./options/authorization-options.js";
export type { AuditEvent } from "../server/audit/audit-event.js";
export type { AuditOptions } from "../server/audit/audit-options.js";
export type { AuditPolicy, AuditRule } from "../server/audit/policy/audit-policy.js";
export type { NodeOptions } from "./nodes/start-nodes.js";
export { type ManualClock, manualClock } from "../base/time/manual-clock.js";
export { seededRandom } from "../base/numbers/seeded-random.js";
export { type AdvanceOptions, type ClusterClock, NotAtRestError } from "./cluster-clock.js";
export { Action as SchedulerAction, type EventHint } from "../scheduler/framework/cluster-event.js";
export type { PluginFactory, SchedulerHandle } from "../scheduler/framework/plugin.js";
export type { PostFilterResult, PreFilterResult, SchedulerPlugin } from "../scheduler/framework/plugin.js";
export { type Status as SchedulerStatus, unresolvable, unschedulable } from "../scheduler/framework/status.js";
export type { SchedulerOptions, SchedulerProfile } from "../scheduler/options.js";
export type {
  AuthenticationOptions,
  OidcOptions,
  RequestHeaderOptions,
  ServiceAccountTokenOptions,
  WebhookOptions,
} from "./options/authentication-options.js";
export type { CertificateFiles, NamedCertificateFiles, TlsOptions } from "./options/tls-options.js";
export type { TlsVersion } from "../server/generic/transport/tls-protocol.js";
export type { AuthenticationConfiguration } from "../server/authn/configuration/authentication-configuration.js";
export { basicAuthenticator, type BasicUser } from "../server/authn/authorization-header.js";
export type { Hook, HookContext, Hooks } from "./options/server-options.js";
export type { LeaderElectionOptions, LeadershipEvent } from "./leader-election.js";
export type { EtcdConnection } from "./open-storage.js";
export type { UserIdentity } from "./pki/client-certificates.js";
export type { RequestRecord } from "./record-requests.js";
export { missingRights } from "./rbac/missing-rights.js";
export { type RbacRecorder, rbacRecorder, type RbacRecorderOptions } from "./rbac/rbac-recorder.js";
export type { SeenRight } from "./rbac/seen-rights.js";
export type { ClusterOptions } from "./options/cluster-options.js";
export { type Cluster, type DrivenCluster, startCluster } from "./start-cluster.js";
