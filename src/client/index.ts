/** The client library: the exports of the package's main entry, "kubets". */
export type { ApiKinds, ApiVersion, KindIn, ObjectOf } from "./dynamic/api-kinds.js";
export { type InProcessServer, kubernetesClient, type KubernetesClient } from "./dynamic/kubernetes-client.js";
export { ClientClosedError, isClientClosed } from "./rest/closing-rest-client.js";
export {
  configFromFile,
  configFromText,
  inClusterConfig,
  type InClusterOptions,
  loadConfig,
  type LoadConfigOptions,
} from "./config/load-config.js";
export { isKubeconfigError, KubeconfigError, type KubeconfigFault } from "./config/kubeconfig-error.js";
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
  type SubresourceOptions,
  type WatchOptions,
  type WriteOptions,
} from "./dynamic/resource-client.js";
export type { PatchType } from "./dynamic/patch-type.js";
export type { WatchEvent } from "./dynamic/watch-events.js";
export * from "./events/index.js";
export * from "./informers/index.js";
export * from "./leaderelection/index.js";
export * from "./manager/index.js";
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
export * from "./retry/retry-on-conflict.js";
export * from "./wait-for.js";
export * from "./workqueue/index.js";
export type { ClientConfig, ExecConfig, ImpersonationConfig } from "./config/client-config.js";
export type { ConfigOverrides } from "./config/config-overrides.js";
export type { ApiGroup, Discovery, ServerVersion } from "./discovery/discovery.js";
export { createRestClient, type RestClientOptions } from "./rest/create-rest-client.js";
export type { RestClient, RestRequest, RestResponse } from "./rest/rest-client.js";
export type { Transport, TransportRequest, TransportResponse } from "./transport/transport.js";
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
export { formatGroupVersion, parseGroupVersion } from "../machinery/meta/gvk.js";
export type { GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource } from "../machinery/meta/gvk.js";
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
export { isNoMatchError, type ApiResource, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";
