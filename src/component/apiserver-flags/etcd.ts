import { goQuote } from "../../base/text/go-quote.js";
import { type OptionGroup, sectionOf } from "../option-group.js";
import { notNegative } from "./values.js";

const isStorageMediaType = (form: string): boolean =>
  form === "application/json" || form === "application/vnd.kubernetes.protobuf";

/** The options for the connection to an etcd 3.4 or later. */
export const etcdOptions = {
  /** "http://127.0.0.1:2379", "https://..."; several of one etcd cluster. */
  servers: {
    name: "etcd-servers",
    type: "stringSlice",
    usage: "Addresses of the etcd that keeps the objects, as scheme://host:port, separated by commas.",
    isNeeded: true,
  },
  /** Keys begin with it. Default "/registry". */
  prefix: { name: "etcd-prefix", type: "string", default: "/registry", usage: "What every key in etcd begins with." },
  /** A PEM file. */
  caFile: {
    name: "etcd-cafile",
    type: "string",
    usage: "The CA that signed etcd's certificate, a PEM file.",
    isFile: true,
  },
  /** A PEM file. */
  certFile: {
    name: "etcd-certfile",
    type: "string",
    usage: "The certificate to show to etcd, a PEM file.",
    isFile: true,
  },
  /** A PEM file. */
  keyFile: {
    name: "etcd-keyfile",
    type: "string",
    usage: "The key of the certificate to show to etcd, a PEM file.",
    isFile: true,
  },
  /** How long etcd may take to answer each call of a health check, in milliseconds. Default 2000. */
  healthTimeout: {
    name: "etcd-healthcheck-timeout",
    type: "duration",
    default: "2s",
    usage: "How long etcd may take to answer the check of /healthz and /livez.",
  },
  /** The same for the check "etcd-readiness" of /readyz. Default 2000. */
  readyTimeout: {
    name: "etcd-readycheck-timeout",
    type: "duration",
    default: "2s",
    usage: "How long etcd may take to answer the check of /readyz.",
  },
  /** How old history is that the server removes from etcd, in milliseconds; 0 leaves it to etcd. Default 300,000, as kube-apiserver's. */
  compactionInterval: {
    name: "etcd-compaction-interval",
    type: "duration",
    default: "5m0s",
    usage: "How often etcd's history older than the interval is removed; 0 leaves it to etcd.",
  },
  /** How many seconds longer than asked for a key may live, so that keys share leases. Default 60. */
  leaseReuseSeconds: {
    name: "lease-reuse-duration-seconds",
    type: "int64",
    default: "60",
    usage: "How many seconds longer a key may live than it was asked to, so that keys share leases of etcd.",
  },
} as const satisfies OptionGroup;

/** The options for how objects are stored. */
export const storageOptions = {
  /** The form that objects are stored in. Objects in the other form are read, and stored in this one when they change. Default "application/json". */
  storageMediaType: {
    name: "storage-media-type",
    type: "string",
    default: "application/vnd.kubernetes.protobuf",
    usage:
      "The form that built-in objects are written in: application/json or application/vnd.kubernetes.protobuf. Both are read.",
    oneOf: ["application/json", "application/vnd.kubernetes.protobuf"],
    faults: (form: string) =>
      isStorageMediaType(form)
        ? []
        : [
            `--storage-media-type ${goQuote(form)} invalid, allowed values: application/json, application/vnd.kubernetes.protobuf`,
          ],
  },
  /**
   * How long a start waits until reads can be served, in milliseconds. When it has passed, the start goes on with a warning, and reads wait.
   * Default 60,000.
   */
  initializationTimeout: {
    name: "storage-initialization-timeout",
    type: "duration",
    default: "1m0s",
    usage: "How long the server waits for its storage before it counts as ready.",
    faults: notNegative("--storage-initialization-timeout can not be negative value"),
  },
  /**
   * False: every read asks the storage. A table switches the caches of single resources off, as --watch-cache-sizes: `{ events: false,
   * "deployments.apps": false }`. Default true.
   */
  watchCache: {
    name: "watch-cache",
    type: "bool",
    default: "true",
    usage: "Whether lists and watches are answered from memory; without it, each asks the storage.",
    read: (isOn: boolean): boolean | Readonly<Record<string, boolean>> => isOn,
  },
} as const satisfies OptionGroup;

/** The options for how objects are encrypted in the storage. */
export const encryptionOptions = {
  /** The path of an EncryptionConfiguration (apiserver.config.k8s.io/v1). */
  encryption: {
    name: "encryption-provider-config",
    type: "string",
    usage: "A file that says how objects are encrypted in the storage (EncryptionConfiguration).",
    isFile: true,
  },
  /** Whether the file is read again when it changes. Default false. */
  encryptionReload: {
    name: "encryption-provider-config-automatic-reload",
    type: "bool",
    usage: "Whether the file of --encryption-provider-config is read again when it changes.",
  },
} as const satisfies OptionGroup;

/** The options for how objects are deleted. */
export const deletionOptions = {
  /** How many objects of a collection are deleted at once. Default 1. */
  collectionWorkers: {
    name: "delete-collection-workers",
    type: "int",
    default: "1",
    usage: "How many objects of a collection are deleted at once.",
  },
  /** False: no object waits for a garbage collector, whatever a request asks for. Default true. */
  garbageCollector: {
    name: "enable-garbage-collector",
    type: "bool",
    default: "true",
    usage: "Whether deleted objects wait for the garbage collector where a request asks for it.",
  },
} as const satisfies OptionGroup;

/** The options for how often the metrics of the storage are measured. */
export const storagePollOptions = {
  /** Counts of objects, in milliseconds; 0 counts none. Default 60,000. */
  countPeriod: {
    name: "etcd-count-metric-poll-period",
    type: "duration",
    default: "1m0s",
    usage: "How old the counts of objects in the metrics may be; 0 counts none.",
  },
  /** The size of the database, in milliseconds; 0 asks never. Default 30,000. */
  sizePeriod: {
    name: "etcd-db-metric-poll-interval",
    type: "duration",
    default: "30s",
    usage: "How old the size of etcd's database in the metrics may be; 0 asks never.",
  },
} as const satisfies OptionGroup;

const { initializationTimeout: _, ...shownWithEtcd } = storageOptions;

export const etcdSection = sectionOf(
  "etcd",
  { etcdOptions, shownWithEtcd, encryptionOptions, deletionOptions, storagePollOptions },
  [
    {
      name: "default-watch-cache-size",
      type: "int",
      default: "100",
      hidden: true,
      deprecated: "watch caches are sized automatically and this flag will be removed in a future version",
      usage: "How many changes a watch cache keeps.",
      withoutEffect: "Kubernetes 1.37 does not read it, and the history of watches is limited by bytes",
    },
    {
      name: "etcd-servers-overrides",
      type: "stringSlice",
      usage: "Other etcds for single resources, as group/resource#servers, where semicolons separate servers.",
      refused: "all objects are kept in the etcd of --etcd-servers",
    },
    { name: "storage-backend", type: "string", usage: "What keeps the objects: etcd3." },
    {
      name: "watch-cache-sizes",
      type: "stringSlice",
      usage: "Resources without a watch cache, as resource#0 or resource.group#0; other numbers change nothing.",
    },
  ],
);
