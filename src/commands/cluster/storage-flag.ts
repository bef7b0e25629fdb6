import type { Invocation } from "../../cli/command.js";
import { ExitError, usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { etcdOptions, etcdSection } from "../../component/apiserver-flags/etcd.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import { ownSection } from "../../component/apiserver-flags/own.js";
import { type OptionsOf, readWithDefaults } from "../../component/option-group.js";
import { isStorageUrl, redactedUrl, STORAGE_VARIABLE, type StorageUrl } from "../../component/storage-url.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";

/** The storage that the flags choose. */
export type StorageFlags =
  | { readonly storage: "memory" | "disk" | StorageUrl }
  | { readonly storage: "etcd"; readonly etcd: EtcdFlags };

const STORAGE_MEDIA_TYPES = ["application/json", "application/vnd.kubernetes.protobuf"] as const;

/** The encoding of stored objects. */
export type StorageMediaType = (typeof STORAGE_MEDIA_TYPES)[number];

/** The options of the --etcd-... flags. */
export type EtcdFlags = OptionsOf<typeof etcdOptions>;

/** The flag --storage, and kube-apiserver's flags for the connection to etcd. */
export const storageFlags: readonly FlagSpec[] = [
  {
    name: "storage",
    type: "string",
    default: "",
    usage:
      "Where objects are kept: memory, disk, etcd, or a URL such as files:FOLDER or postgres://USER@HOST/DATABASE. `run` keeps them in memory unless told otherwise, `start` on disk.",
  },
  flagOf(etcdSection, "etcd-servers"),
  flagOf(etcdSection, "etcd-prefix"),
  flagOf(etcdSection, "etcd-cafile"),
  flagOf(etcdSection, "etcd-certfile"),
  flagOf(etcdSection, "etcd-keyfile"),
];

export const storageMediaTypeFlag = flagOf(etcdSection, "storage-media-type", { default: STORAGE_MEDIA_TYPES[0] });

export const maxObjectBytesFlag = flagOf(ownSection, "max-object-bytes", {
  default: "1572864",
  usage:
    "How many bytes etcd would have to take for an object, for this start: etcd's default of --max-request-bytes. It holds for every --storage; larger objects are refused as etcd refuses them. With 0 there is no limit.",
});

/** Throws a usage error for a negative number. */
export function maxObjectBytesOf(invocation: Invocation): number {
  const bytes = invocation.flags.number("max-object-bytes");
  if (bytes >= 0) return bytes;
  throw usageError(
    invocation,
    `invalid value ${bytes} for --max-object-bytes: use a number of bytes, or 0 for no limit`,
  );
}

/** Throws a usage error for a form that there is not. */
export function storageMediaTypeOf(invocation: Invocation): StorageMediaType {
  const given = invocation.flags.string("storage-media-type");
  const known = STORAGE_MEDIA_TYPES.find((one) => one === given);
  if (known !== undefined) return known;
  const all = STORAGE_MEDIA_TYPES.join(" or ");
  throw usageError(invocation, `invalid value "${given}" for --storage-media-type: use ${all}`);
}

/** Reads the storage flags; undefined when none is given. Throws a usage error for an invalid combination. */
export function storageOf({ cwd, env }: Factory, invocation: Invocation): StorageFlags | undefined {
  const { flags } = invocation;
  const storage = flags.string("storage") || (env[STORAGE_VARIABLE] ?? "");
  const servers = flags.strings("etcd-servers");
  if (storage === "etcd") {
    if (servers.length === 0) throw usageError(invocation, "--storage=etcd needs --etcd-servers");
    return { storage, etcd: readWithDefaults(etcdOptions, flags, cwd) };
  }
  const stray = storageFlags.find(({ name }) => name.startsWith("etcd-") && flags.changed(name));
  if (stray !== undefined) throw usageError(invocation, `--${stray.name} needs --storage=etcd`);
  if (storage === "") return undefined;
  if (storage === "memory" || storage === "disk" || isStorageUrl(storage)) return { storage };
  throw usageError(invocation, `invalid value "${storage}" for --storage: use memory, disk, etcd or a URL`);
}

/** Runs `body`. It turns an error that the user can correct into one line, "error: ...", with that error's exit code. */
export async function failPlainly<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "NamedClusterError") throw error;
    const { exitCode } = error as { exitCode?: number };
    throw exitCode === undefined
      ? new Error(error.message, { cause: error })
      : new ExitError(exitCode, `error: ${error.message}\n`);
  }
}

type Storage = StorageFlags["storage"];

function objectsOf(storage: Storage): string {
  if (isStorageUrl(storage)) return `its objects stay in ${redactedUrl(storage)}`;
  return { memory: "its objects are lost then", disk: "its objects stay on disk", etcd: "its objects stay in etcd" }[
    storage
  ];
}

/** The line that tells how to stop a cluster in the foreground, and what is kept of it. */
export const howStartEnds = (storage: Storage): string =>
  `Ctrl-C stops it: ${objectsOf(storage)}. With --detach it runs in the background.`;

/** The line by which `cluster run` tells the user what ends its cluster, and which objects the storage then keeps. "disk" is a folder that `cluster run` removes. */
export const howRunEnds = (storage: Storage): string =>
  `The cluster ends with the command, which gets Ctrl-C: ${objectsOf(storage === "disk" ? "memory" : storage)}.`;
