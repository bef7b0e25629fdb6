/** The client library: the exports of the package's main entry, "kubets". */

// A client, and what it is made of.
export {
  type InProcessServer,
  kubernetesClient,
  type KubernetesClient,
  type KubernetesClientOptions,
} from "./dynamic/kubernetes-client.js";
export type { RestClientOptions } from "./rest/create-rest-client.js";
export type { ClientConfig, ExecConfig, ImpersonationConfig } from "./config/client-config.js";
export type { ConfigOverrides } from "./config/config-overrides.js";
export {
  configFromFile,
  configFromText,
  inClusterConfig,
  type InClusterOptions,
  loadConfig,
  type LoadConfigOptions,
} from "./config/load-config.js";

// The objects of a kind or a resource.
export type { AnyKindIn, AnyObjectOf, ApiKinds, ApiVersion, KindIn, ObjectOf } from "./dynamic/api-kinds.js";
export {
  type ApplyOptions,
  type CallOptions,
  type DeleteOptions,
  type GetOptions,
  type ListAllOptions,
  type ListOptions,
  type PartialObjectMetadata,
  type PatchOptions,
  ResourceClient,
  type ResourceScope,
  type SubresourceOptions,
  type WatchOptions,
  type WithoutBookmarks,
  type WriteOptions,
} from "./dynamic/resource-client.js";
export type { PatchType } from "./dynamic/patches.js";
export type {
  ApplyConfiguration,
  JsonPatchOperation,
  MergePatch,
  PartOf,
  PatchOf,
  StrategicPatch,
} from "./dynamic/patches.js";
export type { NamedMeta, Stored, StoredMeta } from "./dynamic/stored.js";
export type { AnswerOf, SubresourceKinds, SubresourceOf } from "./dynamic/api-kinds.js";
export type { Bookmark, ObjectEvent, WatchEvent } from "./dynamic/watch-events.js";
export type { JsonObject, JsonValue } from "../machinery/meta/json.js";
export type {
  ApiObject,
  KubeList,
  KubeObject,
  ListMeta,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
} from "../machinery/meta/object.js";

// The resources of a server.
export type { ApiGroup, Discovery, ServerVersion } from "./discovery/discovery.js";
export { formatGroupVersion, parseGroupVersion } from "../machinery/meta/gvk.js";
export type { GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource } from "../machinery/meta/gvk.js";
export { isNoMatchError, type ApiResource, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";

// Errors. They are recognised by a symbol, so that two copies of this library know each other's.
export { ClientClosedError, isClientClosed } from "./rest/closing-rest-client.js";
export { isKubeconfigError, KubeconfigError, type KubeconfigFault } from "./config/kubeconfig-error.js";
export { isConnectionRefused, isTransportError, TransportError } from "./transport/transport-error.js";
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isStatusError,
  isUnauthorized,
  type Status,
  StatusError,
} from "../machinery/errors/status-error.js";

// What operators run on: caches, queues, controllers, leader election, events.
export * from "./informers/index.js";
export { Reflector, type ReflectorOptions } from "./reflector/reflector.js";
export {
  type ListWatch,
  LostHistoryError,
  type ReflectorFault,
  type ReflectorStore,
  type Selection,
  ShortWatchError,
  StalledError,
} from "./reflector/list-watch.js";
export * from "./workqueue/index.js";
export * from "./manager/index.js";
export { metricRegistry, type OwnMetricRegistry } from "./metric-registry.js";
export type { MetricDescription, MetricLabels, MetricRegistry } from "../machinery/metrics/metric-registry.js";
export * from "./leaderelection/index.js";
export * from "./events/index.js";
export {
  DEFAULT_BACKOFF,
  DEFAULT_RETRY,
  type RetryBackoff,
  retryOnConflict,
  type RetryOnConflictOptions,
} from "./retry/retry-on-conflict.js";
export { type WatchableResource, waitFor, waitForDeletion, type WaitOptions, WaitTimeoutError } from "./wait-for.js";
export { quantityAsNumber } from "./quantity.js";
export type { Clock } from "../base/time/clock.js";
export type { Random } from "../base/numbers/random.js";
export type { StartStopwatch, Stopwatch } from "../base/time/timers.js";
export type { Timers } from "../base/time/timers.js";

// Requests of any path, and what carries them.
export type { RestClient, RestRequest, RestResponse } from "./rest/rest-client.js";
export type { Transport, TransportRequest, TransportResponse } from "./transport/transport.js";
