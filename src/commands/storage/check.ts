import { inertLine } from "../../base/text/inert-text.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory } from "../../cli/connect/factory.js";
import { silentExit, usageError } from "../../cli/errors.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import { bytesText, decryptionFlag, fromFlags, openOptions, readFrom } from "./storage-flags.js";

type CheckedStorage = import("../../cluster/stored/index.js").CheckedStorage;

export interface StorageCheckOptions {
  readonly name: string;
  readonly check: (onFault: (key: string, fault: string) => void) => Promise<CheckedStorage>;
  readonly streams: Pick<Factory["streams"], "out" | "err">;
}

export function storageCheckCommand(run = runStorageCheck): Command {
  return {
    use: "check --from=STORAGE",
    description: `Read every value of a storage, and name those that cannot be decoded, whose fields do not fit their kind, or whose key is not that of their namespace and name. Nothing is changed.

The exit code is 1 where something is wrong.`,
    examples: "  {{program}} storage check --from=cluster:dev",
    flags: [...fromFlags, decryptionFlag],
    handlesSignals: true,
    validateArgs: (invocation) => {
      if (invocation.args.length > 0)
        throw usageError(invocation, "check takes no arguments: name the storage by --from");
    },
    execute: async (factory, invocation) => {
      if (!(await run(await complete(factory, invocation)))) throw silentExit();
    },
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<StorageCheckOptions> {
  const storage = await readFrom(factory, invocation);
  const { checkStorage } = await import("../../cluster/stored/index.js");
  return {
    name: storage.name,
    async check(onFault) {
      const lines = await openLiveLines(factory);
      try {
        return await checkStorage(storage, {
          ...openOptions(factory, invocation),
          onFault(key, fault) {
            lines?.clear();
            onFault(key, fault);
          },
          onProgress: (keys) => lines?.set(storage.name, `${keys} keys read`),
        });
      } finally {
        lines?.end();
      }
    },
    streams: factory.streams,
  };
}

/** Checks a storage, prints its faults, and resolves with whether there are none. */
export async function runStorageCheck({ name, check, streams }: StorageCheckOptions): Promise<boolean> {
  const { keys, bytes, revision, faults } = await check((key, fault) =>
    streams.err.write(`error: ${inertLine(key)}: ${inertLine(fault)}\n`),
  );
  const what = faults === 0 ? "no damage" : `${faults} faulty ${faults === 1 ? "key" : "keys"}`;
  streams.out.write(`${name} has ${what}: ${keys} keys, ${bytesText(bytes)}, at revision ${revision}\n`);
  return faults === 0;
}
