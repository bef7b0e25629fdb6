// kubets/server: what people who write API servers use.
export { serverOptions, startServer } from "./start-server.js";
export { extensionServerOptions } from "./extension-server.js";
export { type ServerCommand, serverCommand, type ServerProgram } from "./stages/server-command.js";
export { type RecommendedOptions, recommendedOptions } from "./stages/recommended-options.js";
export type { ComponentFlag } from "../component/component-flag.js";
export type { Flags } from "../component/flags/flag-set.js";
export type { Options } from "./stages/options.js";
export type { CompletedConfig, Config } from "./stages/config.js";
export type { GenericServer } from "./stages/generic-server.js";
export type { PreparedServer } from "./stages/prepared-server.js";
export { type ManualClock, manualClock } from "../base/time/manual-clock.js";
export { seededRandom } from "../base/numbers/seeded-random.js";
export { type AdvanceOptions, type ClusterClock, NotAtRestError } from "./cluster-clock.js";
export type {
  AuthorizationModeName,
  AuthorizationOptions,
  DelegatedAuthorizationOptions,
  WebhookAuthorizationOptions,
} from "./options/authorization-options.js";
export type { AuditEvent } from "../server/audit/audit-event.js";
export type { AuditOptions } from "../server/audit/audit-options.js";
export type { AuditPolicy, AuditRule } from "../server/audit/policy/audit-policy.js";
export type { CoreApiOptions, RegistrationOptions } from "./delegation/core-api.js";
export type { MainServer } from "./delegation/main-server.js";
export type { EncryptionConfiguration } from "../server/storage/encryption/configuration.js";
export type { EgressConnection, EgressSelection } from "./egress/egress-configuration.js";
export type { EtcdConnection, StoragePlace } from "./open-storage.js";
export type { StorageUrl } from "../component/storage-url.js";
export {
  registerStorage,
  StorageError,
  type StorageScheme,
  type StorageSurroundings,
} from "../server/storage/storage-schemes.js";
export {
  ClosedError,
  CompactedError,
  type Freshness,
  FutureRevisionError,
  KeyExistsError,
  type KeyValue,
  type Kv,
  type KvEvent,
  type ListOptions,
  type ListResult,
  RevisionMismatchError,
  type StorageCheck,
  UnavailableError,
  type WatchBatch,
} from "../server/storage/kv.js";
export { prefixedKv } from "../server/storage/prefixed-kv.js";
export type { RunningServer } from "./running-server.js";
export type {
  AuthenticationOptions,
  DelegatedAuthenticationOptions,
  OidcOptions,
  RequestHeaderOptions,
  ServiceAccountTokenOptions,
  WebhookOptions,
} from "./options/authentication-options.js";
export type { CertificateFiles, NamedCertificateFiles, TlsOptions } from "./options/tls-options.js";
export type { TlsVersion } from "../server/generic/transport/tls-protocol.js";
export type { AuthenticationConfiguration } from "../server/authn/configuration/authentication-configuration.js";
export { basicAuthenticator, type BasicUser } from "../server/authn/authorization-header.js";
export type { Hook, HookContext, Hooks, HttpOptions, ServerOptions } from "./options/server-options.js";
export type { RequestRecord } from "./record-requests.js";

export type { ApiRegistry, ApiSnapshot, Removal } from "../server/api-registry/api-registry.js";
export type { InstallerOptions, ResourceInstaller } from "../server/api-registry/resource-definition.js";
export { InvalidResourceError } from "../server/api-registry/installation.js";
export type {
  ResourceDefinition,
  ResourceVersion,
  SubresourceDefinition,
} from "../server/api-registry/resource-definition.js";
export type { Strategy, StrategyContext, SubresourceStrategy } from "../server/registry/strategy.js";
export type {
  ObjectSource,
  SourceDeleteRequest,
  SourceEvent,
  SourceListRequest,
  SourceOptions,
  SourcePage,
  SourceRequest,
  SourceUpdateRequest,
} from "../server/registry/plain-objects/object-source.js";
export type { TableColumnDefinition, TableColumns } from "../server/registry/table-columns.js";
export * from "./kind.js";
export { kindFromCrd, type KindFromSchemaOptions } from "../server/kinds-in-code/kind-from-crd.js";
export { kindFromOpenApi } from "../server/kinds-in-code/kind-from-open-api.js";

export type { AdmissionAttributes } from "../server/admission/attributes.js";
export type { AdmissionOptions, OwnAdmissionPlugin } from "../server/admission/enabled-plugins.js";
export type { PluginDocument } from "../server/admission/table.js";
export type { AdmissionInitialization, AdmissionPlugin, ApiAccess } from "../server/admission/plugin.js";
export type { FileAdmissionOptions } from "./options/admission-configuration.js";
export { refused } from "../server/admission/attributes.js";
export type { Authenticator } from "../server/authn/authenticator.js";
export type { Authorizer, AuthorizerAttributes, Decision } from "../server/authz/authorizer.js";
export type { DeletionOptions } from "../server/registry/deletion.js";
export type { InFlightLimits } from "../server/filters/max-in-flight.js";
export type { Conduct } from "../server/generic/server-config.js";
export type { LifeCycle, LifeCycleEvent } from "../server/generic/life-cycle.js";
export type { NodeHandler } from "../server/generic/node-handler.js";
export type { OwnPaths } from "../server/generic/own-paths.js";
export { type Answer, observeAnswers } from "../server/request/observed-answer.js";
export { WrappedExchange, withAnswerHeaders } from "../server/request/wrapped-exchange.js";
export type { FilterName, OwnFilter } from "../server/filters/own-filter.js";
export type { ApiRequest, Filter, Handler } from "../server/request/api-request.js";
export type { Exchange } from "../server/request/exchange.js";
export type { User } from "../server/request/user.js";
export type { HealthCheck } from "../server/endpoints/non-resource/health.js";
export { age } from "../server/builtin/tables/cells.js";
export { respondBytes, respondText } from "../server/request/respond.js";

export {
  type FieldError,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
} from "../machinery/errors/field-error.js";
export {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  notFound,
  StatusError,
} from "../machinery/errors/status-error.js";
