/** The client library: the exports of the package's main entry, "kubets". */

// A client, and what it is made of.
export { type InProcessServer, kubernetesClient, type KubernetesClient } from "./dynamic/kubernetes-client.js";
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
  type WriteOptions,
} from "./dynamic/resource-client.js";
export type { PatchType } from "./dynamic/patch-type.js";
export type { WatchEvent } from "./dynamic/watch-events.js";
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
export type { EventHandler, HandlerRegistration } from "./informers/event-handler.js";
export { type IndexFunction, Indexer, NAMESPACE_INDEX, type ReadonlyIndexer } from "./informers/indexer.js";
export { InformerFactory, type InformerFactoryOptions, type InformerSelection } from "./informers/informer-factory.js";
export { Lister } from "./informers/lister.js";
export { type NamespacedName, objectKey, splitObjectKey } from "./informers/object-key.js";
export { type InformerOptions, SharedInformer } from "./informers/shared-informer.js";
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
export { DelayingQueue, type DelayingQueueOptions } from "./workqueue/delaying-queue.js";
export type { DurationDistribution } from "./workqueue/duration-histogram.js";
export type { WorkFailure } from "./workqueue/failure-reports.js";
export type { QueueStats } from "./workqueue/queue-stats.js";
export { type BucketOptions, BucketRateLimiter } from "./workqueue/rate-limiters/bucket-rate-limiter.js";
export { defaultControllerRateLimiter } from "./workqueue/rate-limiters/default-controller-rate-limiter.js";
export {
  type ItemExponentialFailureOptions,
  ItemExponentialFailureRateLimiter,
} from "./workqueue/rate-limiters/item-exponential-failure-rate-limiter.js";
export {
  type ItemFastSlowOptions,
  ItemFastSlowRateLimiter,
} from "./workqueue/rate-limiters/item-fast-slow-rate-limiter.js";
export { MaxOfRateLimiter } from "./workqueue/rate-limiters/max-of-rate-limiter.js";
export type { RateLimiter } from "./workqueue/rate-limiters/rate-limiter.js";
export { RateLimitingQueue, type RateLimitingQueueOptions } from "./workqueue/rate-limiting-queue.js";
export { type Outcome, runWorkers, type RunWorkersOptions } from "./workqueue/run-workers.js";
export { type QueueItem, WorkQueue, type WorkQueueOptions } from "./workqueue/work-queue.js";
export {
  Controller,
  type ControllerStatus,
  type Reconciler,
  type Reconciliation,
  type ReconcileResult,
} from "./manager/controller.js";
export { ControllerBuilder, type Watched } from "./manager/controller-builder.js";
export { Manager, type ManagerOptions } from "./manager/manager.js";
export { describeProblem, type Problem } from "./manager/problem.js";
export { LEADER_ANNOTATION, type LeaderElectionRecord, readElectionRecord } from "./leaderelection/election-record.js";
export { type ElectionEvents, LeaderElector, type LeaderElectorOptions } from "./leaderelection/leader-elector.js";
export { isLeadershipLost, LeadershipLostError } from "./leaderelection/leadership-lost.js";
export {
  type EventBroadcaster,
  eventBroadcaster,
  type EventBroadcasterOptions,
  type EventDetails,
  type EventRecorder,
  type EventSource,
} from "./events/event-broadcaster.js";
export type { CorrelationOptions } from "./events/event-correlator.js";
export type { ActionEvent, CoreEvent, EventSeries, EventType } from "./events/event-objects.js";
export type { ObjectReference } from "./events/object-reference.js";
export {
  DEFAULT_BACKOFF,
  DEFAULT_RETRY,
  type RetryBackoff,
  retryOnConflict,
  type RetryOnConflictOptions,
} from "./retry/retry-on-conflict.js";
export { type WatchableResource, waitFor, waitForDeletion, type WaitOptions, WaitTimeoutError } from "./wait-for.js";
export type { Clock } from "../base/clock.js";
export type { Random } from "../base/random.js";
export type { Stopwatch } from "../base/stopwatch.js";
export type { Timers } from "../base/timers.js";

// Requests of any path, and what carries them.
export type { RestClient, RestRequest, RestResponse } from "./rest/rest-client.js";
export type { Transport, TransportRequest, TransportResponse } from "./transport/transport.js";
