import type { Command } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeClusterNames } from "./complete-names.js";
import { clusterName, nameArgument } from "./name-argument.js";
import { failPlainly } from "./storage-flag.js";

export function clusterCheckCommand(run = checkCluster): Command {
  return {
    use: "check [NAME]",
    description:
      "Read everything a stopped cluster keeps on disk and say whether it is whole, then forget its history and give back the space that took.\n\n" +
      "Without a NAME it is the only cluster there is. What is damaged is left as it is. The exit code is 1 unless everything that was ever acknowledged is there.",
    examples: "  {{program}} cluster stop dev\n  {{program}} cluster check dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: async (factory, invocation) => {
      const whole = await failPlainly(async () => run(await clusterName(invocation, factory), factory));
      if (!whole) throw silentExit();
    },
  };
}

/** Answers whether nothing is missing. */
async function checkCluster(name: string, { env, cwd, clock, log, streams }: Factory): Promise<boolean> {
  const { checkNamedCluster } = await import("../../cluster/named/index.js");
  const { objects, revision, lost, bytesBefore, bytesAfter } = await checkNamedCluster(name, {
    env,
    cwd,
    clock,
    log: await log(),
  });
  streams.out.write(`cluster "${name}" is sound: ${objects} objects at revision ${revision}\n`);
  streams.out.write(`it takes ${size(bytesAfter)}, ${size(bytesBefore)} before its history was forgotten\n`);
  if (lost === undefined) return true;
  streams.err.write(
    `error: the end of its write-ahead log was missing, and with it acknowledged writes up to revision ${lost}; apply again what you miss\n`,
  );
  return false;
}

function size(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 10_000 ? `${Math.ceil(kibibytes)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}
