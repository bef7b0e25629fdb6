import type { Command } from "../../cli/command.js";
import { ExitError } from "../../cli/errors.js";
import type { Flags, FlagSpec, FlagType } from "../../component/flags/flag-set.js";
import { FlagError } from "../../component/flags/flag-errors.js";
import { FlagTable } from "../../component/flags/flag-table.js";
import { parseFlags } from "../../component/flags/parse-flags.js";
import { roleHelp } from "./role-help.js";

const KEEPS_NOTHING = "No effect here: the stand-in keeps nothing.";
const without = (type: FlagType, ...names: readonly string[]): readonly FlagSpec[] =>
  names.map((name) => ({ name, type, usage: KEEPS_NOTHING }));

/** The flags of etcd that the stand-in accepts. */
export const etcdFlags: readonly FlagSpec[] = [
  {
    name: "listen-client-urls",
    type: "stringSlice",
    default: "[http://localhost:2379]",
    usage: "Where the health check is answered: http://host:port, several separated by commas.",
  },
  {
    name: "max-request-bytes",
    type: "int",
    default: "1572864",
    usage: "The largest request that etcd takes: kubets in the place of kube-apiserver refuses larger objects.",
  },
  ...without(
    "string",
    "advertise-client-urls",
    "auto-compaction-mode",
    "auto-compaction-retention",
    "backend-batch-interval",
    "backend-batch-limit",
    "data-dir",
    "election-timeout",
    "heartbeat-interval",
    "initial-advertise-peer-urls",
    "initial-cluster",
    "initial-cluster-state",
    "initial-cluster-token",
    "listen-metrics-urls",
    "listen-peer-urls",
    "log-level",
    "log-outputs",
    "logger",
    "max-txn-ops",
    "metrics",
    "name",
    "quota-backend-bytes",
    "snapshot-count",
    "wal-dir",
  ),
  ...without("bool", "force-new-cluster", "pre-vote", "unsafe-no-fsync"),
  { name: "help", short: "h", type: "bool", usage: "Print this help." },
];

const NAME = "etcd";
/** etcd's own, for a command line that it does not understand. */
const USAGE_CODE = 2;

export const etcdHelp = (): string =>
  roleHelp(
    NAME,
    "kubets in the place of etcd, for tests: answers the health check and keeps nothing. kubets in the place of kube-apiserver keeps its objects itself.",
    etcdFlags,
  );

/** The hidden command that the folder of {@link envtestCommand} starts as etcd. */
export function etcdCommand(run = serve): Command {
  return {
    use: `${NAME} [flags]`,
    description: "Answer health checks in the place of etcd.",
    examples: "  {{program}} envtest etcd --help",
    flags: [],
    disableFlagParsing: true,
    handlesSignals: true,
    ownExitCode: true,
    execute: async ({ streams }, { args, signal }) => {
      const flags = flagsOf(args);
      if (flags.bool("help")) streams.out.write(etcdHelp());
      else await run(flags.strings("listen-client-urls"), signal, flags.number("max-request-bytes"));
    },
  };
}

/** Go's flags, which may begin with one dash, and its words. */
function flagsOf(args: readonly string[]): Flags {
  try {
    const twoDashes = args.map((argument) => argument.replace(/^-(?=[a-z]{2})/, "--"));
    return parseFlags(new FlagTable(etcdFlags), twoDashes).flags;
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    const message =
      error.typed === undefined ? error.message : `flag provided but not defined: -${error.typed.replace(/^-+/, "")}`;
    throw new ExitError(USAGE_CODE, `${message}\n`);
  }
}

async function serve(urls: readonly string[], signal: AbortSignal, maxRequestBytes: number): Promise<void> {
  const [{ serveEtcdStandIn }, { untilParentEnds }] = await Promise.all([
    import("../../cluster/envtest/etcd-stand-in.js"),
    import("../../cluster/envtest/until-parent-ends.js"),
  ]);
  await serveEtcdStandIn(urls, untilParentEnds(signal), maxRequestBytes);
}
