import { resolve } from "node:path";
import type { Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { warnTo } from "../../cli/warn.js";
import { etcdOptions, etcdSection } from "../../component/apiserver-flags/etcd.js";
import { flagOf } from "../../component/apiserver-flags/flag-of.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import { readWithDefaults } from "../../component/option-group.js";
import { STORAGE_VARIABLE } from "../../component/storage-url.js";

type NamedStorage = import("../../cluster/stored/index.js").NamedStorage;
type OpenOptions = import("../../cluster/stored/index.js").OpenOptions;

/** The flag --from, and kube-apiserver's flags for the connection to etcd. */
export const fromFlags: readonly FlagSpec[] = [
  {
    name: "from",
    type: "string",
    default: "",
    usage: `The storage to read: disk:FOLDER, files:FOLDER, postgres://USER@HOST/DATABASE, etcd or cluster:NAME. Default: what ${STORAGE_VARIABLE} says.`,
  },
  flagOf(etcdSection, "etcd-servers"),
  flagOf(etcdSection, "etcd-prefix"),
  flagOf(etcdSection, "etcd-cafile"),
  flagOf(etcdSection, "etcd-certfile"),
  flagOf(etcdSection, "etcd-keyfile"),
];

/** The flag for commands that decrypt objects. */
export const decryptionFlag: FlagSpec = flagOf(etcdSection, "encryption-provider-config", {
  usage: "The file with the keys that objects are encrypted by (EncryptionConfiguration).",
});

/** The path of {@link decryptionFlag}; undefined without it. */
export function readDecryption({ cwd }: Factory, { flags }: Invocation): string | undefined {
  const file = flags.has(decryptionFlag.name) ? flags.string(decryptionFlag.name) : "";
  return file === "" ? undefined : resolve(cwd, file);
}

/** The storage that --from or the environment names. Throws a usage error without either. */
export function readFrom(factory: Factory, invocation: Invocation): Promise<NamedStorage> {
  const from = invocation.flags.string("from") || (factory.env[STORAGE_VARIABLE] ?? "");
  if (from === "") throw usageError(invocation, "name the storage: --from=disk:FOLDER, for instance");
  requireEtcd(invocation, [from]);
  return readNamedStorage(from, factory, invocation);
}

/** Throws a usage error for etcd flags where none of the storages is etcd. */
export function requireEtcd(invocation: Invocation, storages: readonly string[]): void {
  if (storages.includes("etcd")) return;
  const stray = fromFlags.find(({ name }) => name.startsWith("etcd-") && invocation.flags.changed(name));
  if (stray !== undefined) throw usageError(invocation, `--${stray.name} needs a storage that is etcd: --from=etcd`);
}

/** The storage of one flag's value. */
export async function readNamedStorage(
  value: string,
  { env, cwd }: Factory,
  { flags }: Invocation,
): Promise<NamedStorage> {
  const { readStoragePlace } = await import("../../cluster/stored/index.js");
  const etcd = flags.strings("etcd-servers").length === 0 ? undefined : readWithDefaults(etcdOptions, flags, cwd);
  return readStoragePlace(value, { env, cwd, etcd });
}

export const openOptions = (factory: Factory, invocation: Invocation): OpenOptions => ({
  clock: factory.clock,
  signal: invocation.signal,
  encryption: readDecryption(factory, invocation),
  warn: warnTo(factory.streams, factory.colours),
});

/** Formats a number of bytes for users. */
export function bytesText(bytes: number): string {
  if (bytes < 10_240) return `${bytes} bytes`;
  return bytes < 10_240_000 ? `${(bytes / 1024).toFixed(0)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
