import { DEFAULT_VERSION, SERVED_VERSIONS, servedVersionOf } from "../../machinery/served-versions.js";
import { errorMessage } from "../../base/text/error-message.js";
import { isStorageUrl, redactedUrl, type StorageUrl } from "../storage-url.js";
import type { Flags } from "../flags/flag-set.js";
import { type OptionGroup, sectionOf } from "../option-group.js";

/** What is wrong with the name of a version; undefined for one that a server can be. "" says nothing. */
function versionFault(text: string): string | undefined {
  try {
    if (text !== "") servedVersionOf(text);
    return undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

/** The option for the version of Kubernetes that the server is. */
export const versionOptions = {
  /**
   * The version of Kubernetes that the server is in all that clients see: "1.36", "v1.36.3" or "kube=1.36"; the patch release does not count. A
   * start rejects for one that it cannot be. Default: the newest.
   */
  kubernetesVersion: {
    name: "kubernetes-version",
    type: "string",
    usage: `The version of Kubernetes that the server is in all that clients see: ${SERVED_VERSIONS.join(", ")}. Without it, ${DEFAULT_VERSION}.`,
    check: versionFault,
    faults(version: string) {
      const fault = versionFault(version);
      return fault === undefined ? [] : [fault];
    },
  },
} as const satisfies OptionGroup;

/** The option for the largest size of a stored object. */
export const sizeOptions = {
  /**
   * How many bytes a request to etcd may have that writes an object as kube-apiserver would: built-in kinds in protobuf, custom resources in
   * JSON, whatever the storage is. A larger object is refused with etcd's text; one that was stored before is read and deleted, and written
   * while it does not grow. 0: no limit. Default 1,572,864, as etcd's --max-request-bytes.
   */
  maxObjectBytes: {
    name: "max-object-bytes",
    type: "int",
    default: "0",
    usage:
      "How many bytes etcd would have to take for an object. Zero is no limit. Without it, what the etcd takes: --max-request-bytes.",
    faults(bytes: number) {
      if (bytes < 0) return ["--max-object-bytes can not be negative value"];
      if (Number.isSafeInteger(bytes)) return [];
      return [`maxObjectBytes is ${bytes}; give a number of bytes, or 0 for no limit`];
    },
  },
} as const satisfies OptionGroup;

/** The option for a storage other than etcd. */
export const placeOptions = {
  storage: {
    name: "storage",
    type: "string",
    usage: "A URL of where objects are kept in place of an etcd: files:FOLDER, postgres://USER@HOST/DATABASE.",
    check: (text: string) => (text === "" || isStorageUrl(text) ? undefined : `"${text}" is no URL`),
    logged: (text: string) => (isStorageUrl(text) ? redactedUrl(text) : text),
    read: (text: string): StorageUrl | undefined => (isStorageUrl(text) ? text : undefined),
  },
} as const satisfies OptionGroup;

/** Finds the contradictions between a program's flags for its storage. */
export const placeFaults = (flags: Flags): readonly string[] =>
  flags.has("storage") && flags.has("etcd-servers") && flags.changed("storage") && flags.changed("etcd-servers")
    ? ["--storage and --etcd-servers must not be specified together"]
    : [];

/** The options that k3s adds to kube-apiserver. */
export const ownOptions = {
  /** The port that the endpoints of the Service kubernetes name. Default: the port of the server. */
  advertisePort: {
    name: "advertise-port",
    type: "int",
    default: "0",
    hidden: true,
    usage: "The port that the endpoints of the Service kubernetes name, a flag of k3s; 0 is --secure-port.",
    read: (port: number): number | undefined => (port === 0 ? undefined : port),
  },
} as const satisfies OptionGroup;

/** The option for the server's own log files. */
export const logOptions = {
  /** The folder whose files are served at /logs to those who may read them. Default: none is. */
  logsFolder: {
    name: "logs-folder",
    type: "string",
    usage: "The folder whose files --enable-logs-handler serves at /logs.",
    isFile: true,
  },
} as const satisfies OptionGroup;

/** The flags that kube-apiserver does not have. */
export const ownSection = sectionOf(
  "kubets",
  { versionOptions, placeOptions, sizeOptions, ownOptions, logOptions },
  [],
);
