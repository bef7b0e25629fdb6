import type { FamilyDefinition } from "../../machinery/metrics/family.js";
import { LATENCY_BUCKETS } from "./request-definitions.js";

const OF_RESOURCE = ["group", "resource"];
const OF_OPERATION = ["operation", "group", "resource"];
const DEPRECATED_IN_1_37 = { version: "1.37", deprecated: "1.37.0" };

/** kube-apiserver's metrics of its storage and its watch cache, as 1.36 has them and 1.37 changed them (K37-121). "etcd" is any storage. */
export const STORAGE = {
  duration: {
    name: "etcd_request_duration_seconds",
    type: "histogram",
    help: "Etcd request latency in seconds for each operation and object type.",
    labels: OF_OPERATION,
    buckets: LATENCY_BUCKETS,
    stability: "ALPHA",
  },
  total: {
    name: "etcd_requests_total",
    type: "counter",
    help: "Etcd request counts for each operation and object type.",
    labels: OF_OPERATION,
    stability: "ALPHA",
  },
  errors: {
    name: "etcd_request_errors_total",
    type: "counter",
    help: "Etcd failed request counts for each operation and object type.",
    labels: OF_OPERATION,
    stability: "ALPHA",
  },
  objects: {
    name: "apiserver_storage_objects",
    type: "gauge",
    help: "[DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    labels: ["resource"],
    stability: "STABLE",
    deprecated: "1.34.0",
  },
  resourceObjects: {
    name: "apiserver_resource_objects",
    type: "gauge",
    help: "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    labels: OF_RESOURCE,
    stability: "ALPHA",
  },
  size: {
    name: "apiserver_storage_size_bytes",
    type: "gauge",
    help: "Size of the storage database file physically allocated in bytes.",
    labels: ["storage_cluster_id"],
    stability: "STABLE",
  },
  eventsReceived: {
    name: "apiserver_storage_events_received_total",
    type: "counter",
    help: "Number of etcd events received split by kind.",
    labels: OF_RESOURCE,
    stability: "BETA",
  },
  lists: {
    name: "apiserver_storage_list_total",
    type: "counter",
    help: "Number of LIST requests served from storage",
    labels: OF_RESOURCE,
    stability: "ALPHA",
    changed: { version: "1.37", labels: [...OF_RESOURCE, "storage", "index"] },
  },
  listReturned: {
    name: "apiserver_storage_list_returned_objects_total",
    type: "counter",
    help: "Number of objects returned for a LIST request from storage",
    labels: OF_RESOURCE,
    stability: "ALPHA",
    changed: { version: "1.37", labels: [...OF_RESOURCE, "storage"] },
  },
  listDuration: {
    name: "apiserver_storage_list_duration_seconds",
    type: "histogram",
    help: "Latency of the storage layer GetList call in seconds, including object decode, split by whether etcd RangeStream was used.",
    labels: ["streamed", ...OF_RESOURCE],
    buckets: LATENCY_BUCKETS,
    stability: "ALPHA",
    since: "1.37",
  },
  cacheLists: {
    name: "apiserver_cache_list_total",
    type: "counter",
    help: "Number of LIST requests served from watch cache",
    labels: [...OF_RESOURCE, "index"],
    stability: "ALPHA",
    changed: DEPRECATED_IN_1_37,
  },
  cacheListReturned: {
    name: "apiserver_cache_list_returned_objects_total",
    type: "counter",
    help: "Number of objects returned for a LIST request from watch cache",
    labels: OF_RESOURCE,
    stability: "ALPHA",
    changed: DEPRECATED_IN_1_37,
  },
  cacheEventsReceived: {
    name: "apiserver_watch_cache_events_received_total",
    type: "counter",
    help: "Counter of events received in watch cache broken by resource type.",
    labels: OF_RESOURCE,
    stability: "ALPHA",
  },
  cacheEventsDispatched: {
    name: "apiserver_watch_cache_events_dispatched_total",
    type: "counter",
    help: "Counter of events dispatched in watch cache broken by resource type.",
    labels: OF_RESOURCE,
    stability: "ALPHA",
  },
  cacheRevision: {
    name: "apiserver_watch_cache_resource_version",
    type: "gauge",
    help: "Current resource version of watch cache broken by resource type. This is truncated to the 15 least significant digits.",
    labels: OF_RESOURCE,
    stability: "ALPHA",
  },
  apiServiceUnavailable: {
    name: "aggregator_unavailable_apiservice_total",
    type: "counter",
    help: "Counter of APIServices which are marked as unavailable broken down by APIService name and reason.",
    labels: ["name", "reason"],
    stability: "ALPHA",
  },
  apiServicesUnavailable: {
    name: "aggregator_unavailable_apiservice",
    type: "gauge",
    help: "Gauge of APIServices which are marked as unavailable broken down by APIService name.",
    labels: ["name"],
    stability: "ALPHA",
  },
} as const satisfies Readonly<Record<string, FamilyDefinition>>;
