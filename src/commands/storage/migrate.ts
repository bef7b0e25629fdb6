import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { usageError } from "../../cli/errors.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import { warnTo } from "../../cli/warn.js";
import { STORAGE_VARIABLE } from "../../component/storage-url.js";
import { bytesText, fromFlags, openOptions, readNamedStorage, requireEtcd } from "./storage-flags.js";

type MigratedStorage = import("../../cluster/stored/index.js").MigratedStorage;
type MigrationProgress = import("../../cluster/stored/index.js").MigrationProgress;

export interface StorageMigrateOptions {
  readonly from: string;
  readonly to: string;
  readonly migrate: (onProgress: (progress: MigrationProgress) => void) => Promise<MigratedStorage>;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly warn: (text: string) => void;
  readonly streams: Pick<Factory["streams"], "out" | "err">;
}

export function storageMigrateCommand(run = runStorageMigrate): Command {
  return {
    use: "migrate --from=STORAGE --to=STORAGE",
    description: `Copy every key of a storage into another one that is empty, and compare both in the end. The source stays as it is; no server may use either meanwhile.

Revisions, and so the resourceVersions of objects, stay the same where the target is disk or PostgreSQL. An interrupted copy goes on where it was when the same command runs again; until then no server starts on the target. Times to live stay what they are.`,
    examples: `# A named cluster into PostgreSQL
{{program}} cluster stop dev
{{program}} storage migrate --from=cluster:dev --to=postgres://kubets@localhost/kubets

# An etcd into a data folder
{{program}} storage migrate --from=etcd --etcd-servers=http://127.0.0.1:2379 --to=disk:./data`,
    flags: [
      ...fromFlags,
      {
        name: "to",
        type: "string",
        default: "",
        usage: "The storage to write, named as --from is. It is made where it is missing, and has to be empty.",
      },
    ],
    handlesSignals: true,
    validateArgs: (invocation) => {
      if (invocation.args.length === 0) return;
      throw usageError(invocation, "migrate takes no arguments: name the storages by --from and --to");
    },
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<StorageMigrateOptions> {
  const { env, cwd, clock, streams, colours } = factory;
  const from = invocation.flags.string("from") || (env[STORAGE_VARIABLE] ?? "");
  const to = invocation.flags.string("to");
  if (from === "" || to === "") throw usageError(invocation, "name both storages, by --from and --to");
  requireEtcd(invocation, [from, to]);
  const source = await readNamedStorage(from, factory, invocation);
  const target = await readNamedStorage(to, factory, invocation);
  const { migrateStorage } = await import("../../cluster/stored/index.js");
  return {
    from: source.name,
    to: target.name,
    async migrate(onProgress) {
      const lines = await openLiveLines(factory);
      const show = (progress: MigrationProgress): void => {
        lines?.set(target.name, `${progress.keys} of ${progress.all} keys ${progress.step}`);
        onProgress(progress);
      };
      try {
        const log = await factory.log();
        return await migrateStorage(source, target, {
          ...openOptions(factory, invocation),
          env,
          cwd,
          clock,
          log,
          onProgress: show,
        });
      } finally {
        lines?.end();
      }
    },
    signal: invocation.signal,
    warn: warnTo(streams, colours),
    streams,
  };
}

export async function runStorageMigrate(options: StorageMigrateOptions): Promise<void> {
  const { from, to, migrate, signal, warn, streams } = options;
  let last: MigrationProgress | undefined;
  try {
    const { keys, bytes, newRevisions, resumed } = await migrate((progress) => (last = progress));
    if (newRevisions !== undefined) {
      warn(`resourceVersions are others now, and watchers have to list anew: ${newRevisions}`);
    }
    const what = resumed ? "the rest of its copy is there now" : "copied";
    streams.out.write(`${from} ${what}: ${to} holds the same ${keys} keys, ${bytesText(bytes)}\n`);
  } catch (error) {
    if (!signal.aborted) throw error;
    const done = last === undefined ? "nothing is copied yet" : `${last.keys} of ${last.all} keys are ${last.step}`;
    streams.err.write(`interrupted: ${done}; the same command goes on from there\n`);
  }
}
