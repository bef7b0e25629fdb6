import type { FlagSection } from "../component-flag.js";

const NO_METRICS = "there are no metrics yet";

export const etcdSection = {
  name: "etcd",
  flags: [
    {
      name: "default-watch-cache-size",
      type: "int",
      default: "100",
      hidden: true,
      deprecated: "watch caches are sized automatically and this flag will be removed in a future version",
      usage: "How many changes a watch cache keeps.",
      withoutEffect: "Kubernetes 1.36 does not read it, and the history of watches is limited by bytes",
    },
    {
      name: "delete-collection-workers",
      type: "int",
      default: "1",
      usage: "How many objects of a collection are deleted at once.",
    },
    {
      name: "enable-garbage-collector",
      type: "bool",
      default: "true",
      usage: "Whether deleted objects wait for the garbage collector where a request asks for it.",
    },
    {
      name: "encryption-provider-config",
      type: "string",
      usage: "A file that says how objects are encrypted in etcd.",
      refused: "objects would be stored unencrypted",
    },
    {
      name: "encryption-provider-config-automatic-reload",
      type: "bool",
      usage: "Whether the file of --encryption-provider-config is read again when it changes.",
    },
    { name: "etcd-cafile", type: "string", usage: "The CA that signed etcd's certificate, a PEM file." },
    { name: "etcd-certfile", type: "string", usage: "The certificate to show to etcd, a PEM file." },
    {
      name: "etcd-compaction-interval",
      type: "duration",
      default: "5m0s",
      usage: "How often etcd's history older than the interval is removed; 0 leaves it to etcd.",
    },
    {
      name: "etcd-count-metric-poll-period",
      type: "duration",
      default: "1m0s",
      usage: "How often objects are counted for the metrics; 0 counts none.",
      withoutEffect: NO_METRICS,
    },
    {
      name: "etcd-db-metric-poll-interval",
      type: "duration",
      default: "30s",
      usage: "How often the size of etcd's database is asked for the metrics; 0 asks never.",
      withoutEffect: NO_METRICS,
    },
    {
      name: "etcd-healthcheck-timeout",
      type: "duration",
      default: "2s",
      usage: "How long etcd may take to answer the check of /healthz and /livez.",
    },
    { name: "etcd-keyfile", type: "string", usage: "The key of the certificate to show to etcd, a PEM file." },
    { name: "etcd-prefix", type: "string", default: "/registry", usage: "What every key in etcd begins with." },
    {
      name: "etcd-readycheck-timeout",
      type: "duration",
      default: "2s",
      usage: "How long etcd may take to answer the check of /readyz.",
    },
    {
      name: "etcd-servers",
      type: "stringSlice",
      usage: "Addresses of the etcd that keeps the objects, as scheme://host:port, separated by commas.",
    },
    {
      name: "etcd-servers-overrides",
      type: "stringSlice",
      usage: "Other etcds for single resources, as group/resource#servers, where semicolons separate servers.",
      refused: "all objects are kept in the etcd of --etcd-servers",
    },
    {
      name: "lease-reuse-duration-seconds",
      type: "int64",
      default: "60",
      usage: "How many seconds longer a key may live than it was asked to, so that keys share leases of etcd.",
    },
    { name: "storage-backend", type: "string", usage: "What keeps the objects: etcd3." },
    {
      name: "storage-media-type",
      type: "string",
      default: "application/vnd.kubernetes.protobuf",
      usage:
        "The form that built-in objects are written in: application/json or application/vnd.kubernetes.protobuf. Both are read.",
    },
    {
      name: "watch-cache",
      type: "bool",
      default: "true",
      usage: "Whether lists and watches are answered from memory; without it, each asks the storage.",
    },
    {
      name: "watch-cache-sizes",
      type: "stringSlice",
      usage: "Resources without a watch cache, as resource#0 or resource.group#0; other numbers change nothing.",
    },
  ],
} as const satisfies FlagSection;
