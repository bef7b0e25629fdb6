import type { Command } from "../../cli/command.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { completeClusterNames } from "./complete-names.js";
import { nameArgument, type ShownCluster, shownCluster } from "./name-argument.js";
import { failPlainly } from "./storage-flag.js";

export function clusterStatusCommand(run = showStatus): Command {
  return {
    use: "status [NAME]",
    description:
      "Show whether a named cluster runs, where it answers and where it keeps its data; of one that runs, its nodes and pods, what is wrong with them, how many containers stand in for their images, and which webhooks are not called for that. Without a NAME it is the only cluster there is, or of several the one of the current context; the others are named below.\n\nThe exit code is 1 unless it runs.",
    examples: "  {{program}} cluster status dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: async (factory, invocation) => {
      const running = await failPlainly(async () => run(await shownCluster(invocation, factory), factory));
      if (!running) throw silentExit();
    },
  };
}

async function showStatus(
  { name, others }: ShownCluster,
  { env, cwd, clock, log, streams, look }: Factory,
): Promise<boolean> {
  const [{ clusterStatus, readHealth }, { healthRows, problemLines, statusLines, webhookLines }] = await Promise.all([
    import("../../cluster/named/index.js"),
    import("./status-table.js"),
  ]);
  const around = { env, cwd, clock, log: await log() };
  const status = await clusterStatus(name, around);
  const { state, context, record } = status;
  const health = state === "Running" ? await readHealth(status, around) : undefined;
  const rows: readonly (readonly [string, string])[] = [
    ["Name", name],
    ["State", state],
    ["Server", record.url],
    ["Context", context],
    ["Storage", record.storage],
    ["Data", record.dataDir],
    ["Process", state === "Stopped" ? "<none>" : String(record.pid)],
    ["Started", record.startedAt],
    ...(health === undefined ? [] : healthRows(health)),
    ...(others.length === 0 ? [] : [["Others", others.join(", ")] as const]),
  ];
  const lines = [
    ...statusLines(rows, look),
    ...webhookLines(health?.standIns.webhooks ?? [], look),
    ...problemLines(health?.problems ?? [], look),
  ];
  for (const line of lines) streams.out.write(`${line}\n`);
  return state === "Running";
}
