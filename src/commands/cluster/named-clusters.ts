import { isStorageUrl, redactedUrl } from "../../component/storage-url.js";
import { type Command, type Completer, Directive } from "../../cli/command.js";
import { usageError, silentExit } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import { failPlainly } from "./storage-flag.js";
import { nameArgument, type ShownCluster, shownCluster, clusterName } from "./name-argument.js";

export function clusterListCommand(run = listClusters): Command {
  return {
    use: "list",
    aliases: ["ls"],
    description: "List the named clusters with their state and address.",
    examples: "  {{program}} cluster list",
    flags: [],
    validateArgs: (invocation) => {
      if (invocation.args.length > 0)
        throw usageError(invocation, `list takes no names, got ${invocation.args.join(" ")}`);
    },
    execute: async (factory) => failPlainly(() => run(factory)),
  };
}

async function listClusters({ env, cwd, clock, log, streams, look }: Factory): Promise<void> {
  const { listNamedClusters } = await import("../../cluster/named/index.js");
  const clusters = await listNamedClusters({ env, cwd, clock, log: await log() });
  if (clusters.length === 0) {
    streams.err.write("No clusters; make one with: kubets cluster start\n");
    return;
  }
  const [{ TabWriter }, { headingCells, rowCells, tableColumns }] = await Promise.all([
    import("../../printers/tab-writer.js"),
    import("../../printers/look.js"),
  ]);
  const headings = ["NAME", "STATE", "SERVER", "STORAGE"];
  const table = new TabWriter((text) => streams.out.write(text), { measure: look.measure, fit: look.fit });
  table.write.table?.(tableColumns(headings, true));
  table.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const { name, state, record } of clusters) {
    const cells = [name, state, record?.url ?? "<unknown>", storageCell(record)];
    table.write(`${rowCells(look, headings, cells).join("\t")}\n`);
  }
  table.flush();
}

/** Without the password that a URL may have. */
function storageCell(record: { readonly storage: string } | undefined): string {
  const storage = record?.storage ?? "<unknown>";
  return isStorageUrl(storage) ? redactedUrl(storage) : storage;
}

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
    ["Storage", storageCell(record)],
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
  streams.out.write(`cluster "${name}" has no damage: ${objects} objects at revision ${revision}\n`);
  streams.out.write(
    `it takes ${size(bytesAfter)} on disk; with its history, which is removed now, it took ${size(bytesBefore)}\n`,
  );
  if (lost === undefined) return true;
  streams.err.write(
    `error: the end of its write-ahead log was missing, and with it acknowledged writes up to revision ${lost}; apply again what is missing\n`,
  );
  return false;
}

function size(bytes: number): string {
  const kibibytes = bytes / 1024;
  return kibibytes < 10_000 ? `${Math.ceil(kibibytes)} KiB` : `${(kibibytes / 1024).toFixed(1)} MiB`;
}

export function clusterStopCommand(run = stopCluster): Command {
  return {
    use: "stop [NAME]",
    description:
      "Stop a named cluster. What it keeps on disk is there again at the next start. Without a NAME it is the only cluster there is.",
    examples: "  {{program}} cluster stop\n  {{program}} cluster stop dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: (factory, invocation) => failPlainly(async () => run(await clusterName(invocation, factory), factory)),
  };
}

async function stopCluster(name: string, { env, cwd, clock, log, streams }: Factory): Promise<void> {
  const { stopNamedCluster } = await import("../../cluster/named/index.js");
  const stopped = await stopNamedCluster(name, { env, cwd, clock, log: await log() });
  streams.out.write(stopped ? `cluster "${name}" stopped\n` : `cluster "${name}" was not running\n`);
}

export function clusterDeleteCommand(run = deleteCluster): Command {
  return {
    use: "delete [NAME]",
    description:
      "Stop a named cluster, remove what it kept, and take its context and those of its users out of the kubeconfig. Where that was the current one, the context is current again that was before the cluster's start, if it is still there. Without a NAME it is the only cluster there is.",
    examples: "  {{program}} cluster delete dev",
    flags: [],
    validateArgs: nameArgument,
    completeArgs: completeClusterNames,
    execute: (factory, invocation) => failPlainly(async () => run(await clusterName(invocation, factory), factory)),
  };
}

async function deleteCluster(name: string, { env, cwd, clock, log, streams }: Factory): Promise<void> {
  const { deleteNamedCluster } = await import("../../cluster/named/index.js");
  const current = await deleteNamedCluster(name, { env, cwd, clock, log: await log() });
  streams.out.write(`cluster "${name}" deleted\n`);
  if (current !== undefined) {
    streams.out.write(`context "${current.context}" is current again in ${current.file}\n`);
  }
}

/** Completes the names of the existing clusters, as the first operand. */
export const completeClusterNames: Completer = async (factory, invocation, toComplete) => {
  if (invocation.args.length > 0) return { candidates: [], directive: Directive.NoFileComp };
  const { clusterNames } = await import("../../cluster/named/index.js");
  const names = await clusterNames({ env: factory.env, cwd: factory.cwd });
  return {
    candidates: names.filter((name) => name.startsWith(toComplete)),
    directive: Directive.NoFileComp,
  };
};
