import { type Release, releaseOf } from "../../api/facts/index.js";
import { resolve } from "node:path";
import { stopwatchOf } from "../../base/time/timers.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Component, ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import type { SchedulerOptions } from "../../scheduler/options.js";
import { type SchedulerMeasuring, SchedulerMetrics } from "../../scheduler/scheduler-metrics.js";
import { startScheduler } from "../../scheduler/start-scheduler.js";
import { aborted } from "../../base/async/until-aborted.js";
import { keptOpen, openConnection, readConnection } from "../programs/connection.js";
import { checkElection, electionSettings } from "../programs/election-settings.js";
import { faultsOf, securePortFaults } from "../programs/flag-faults.js";
import { isOfLogs } from "../apiserver/feature-gates.js";
import { changedGates } from "../programs/changed-gates.js";
import { openHealthPort } from "../programs/health-port.js";
import { metricsFaults, openProgramMetrics } from "../programs/program-metrics.js";
import { prepareLeadership } from "../programs/lead.js";
import { readServedKinds } from "../programs/served-kinds.js";
import { processRandom, processTimers } from "../programs/surroundings.js";
import { KUBE_SCHEDULER, OF_FILE, schedulerSections } from "./flags.js";
import { readSchedulerConfiguration, type SchedulerConfiguration } from "./scheduler-configuration.js";

/** kube-scheduler for any API server. `version` is printed by --version. */
export const kubeScheduler = (program: string, version: string): Component => ({
  name: KUBE_SCHEDULER,
  program,
  version,
  description:
    "The scheduler of Kubernetes 1.36, in the place of kube-scheduler. It binds the pods of any API server to nodes.",
  sections: schedulerSections(),
  changedGates,
  // What the file of --config says of the election counts as well, and is checked with it.
  validate: (flags, { cwd }) => [
    ...securePortFaults(flags),
    ...metricsFaults(flags, cwd),
    ...(flags.string("config") === "" ? faultsOf(() => checkElection(electionSettings(flags, true))) : []),
  ],
  run,
});

async function run(flags: Flags, context: ComponentContext): Promise<void> {
  const { log, clock, signal } = context;
  for (const gate of changedGates(flags).filter((one) => !isOfLogs(one)))
    log.warn("featuregate/feature_gate.go:328", `--feature-gates: ${gate} has no effect here`);
  const given = await configurationOf(flags, context);
  const settings = electionSettings(flags, true, given.election);
  const config = await readConnection(
    { kubeconfig: given.kubeconfig, master: flags.string("master"), userAgent: KUBE_SCHEDULER },
    context,
  );
  const leads = (): boolean => leadership.leads();
  const metrics = await openProgramMetrics(flags, context, { lease: settings.enabled ? settings.name : "", leads });
  const limits = { rate: given.rate, mayAct: () => leadership.mayAct() };
  const transport = metrics.counted(openConnection(config, context, limits), config);
  const election = metrics.counted(openConnection(config, context), config);
  const release = await releaseOf();
  const measuring: SchedulerMeasuring = {
    on: new SchedulerMetrics(metrics.table, stopwatchOf(processTimers)(), release),
  };
  metrics.table.onRead(() => measuring.on?.show(measuring));
  let isSyncing = false;
  const onSync = (syncing: boolean): void => {
    isSyncing = syncing;
  };
  const work = (ending: AbortSignal): Promise<void> =>
    schedule(given.scheduler, { ...context, release, transport, onSync, measuring }, ending);
  const leadership = prepareLeadership({
    program: KUBE_SCHEDULER,
    settings,
    transport: election,
    clock,
    log,
    signal,
    work,
  });
  const ready = {
    name: "sched-handler-sync",
    async check() {
      // A scheduler that waits for its term is ready to take it.
      if (isSyncing) throw new Error("waiting for handlers to sync");
    },
  };
  const port = await openHealthPort(
    { program: KUBE_SCHEDULER, checks: () => [leadership.check ?? PING], readiness: () => [ready], metrics },
    flags,
    context,
  );
  try {
    await leadership.run();
    if (signal.aborted) log.structured("app/server.go:288", "Requested to terminate, exiting", {});
  } finally {
    await port.close();
    await Promise.all([transport.close(), election.close()]);
  }
}

const PING = { name: "ping", check: async () => {} };

/** What --config says, or the flags in its place. */
async function configurationOf(
  flags: Flags,
  { cwd, log }: Pick<ComponentContext, "cwd" | "log">,
): Promise<SchedulerConfiguration> {
  const path = flags.string("config");
  if (path === "") {
    const isLimited = flags.changed("kube-api-qps") || flags.changed("kube-api-burst");
    const rate = { perSecond: flags.number("kube-api-qps"), burst: flags.number("kube-api-burst") };
    return {
      scheduler: {},
      election: {},
      kubeconfig: flags.string("kubeconfig"),
      rate: isLimited ? rate : undefined,
      withoutEffect: [],
    };
  }
  for (const name of OF_FILE) {
    if (flags.changed(name))
      log.warn("options/options.go:232", `--${name} has no effect: --config is given, whose file says it`);
  }
  const read = await readSchedulerConfiguration(resolve(cwd, path));
  for (const field of read.withoutEffect) log.warn("options/options.go:240", `--config: ${field} has no effect here`);
  return read;
}

interface Parts extends Pick<ComponentContext, "clock" | "log"> {
  readonly transport: Transport;
  /** Called when the scheduler begins to read what there is, and when it knows that. */
  readonly onSync: (isSyncing: boolean) => void;
  readonly measuring: SchedulerMeasuring;
  readonly release: Release;
}

/** Schedules pods until `ending` aborts. Rejects for options that cannot be right. */
async function schedule(options: SchedulerOptions, parts: Parts, ending: AbortSignal): Promise<void> {
  const { clock, log, transport, onSync, measuring, release } = parts;
  const timers = processTimers;
  const report = (error: unknown): void => log.error("scheduler/schedule_one.go:1045", "Unhandled Error", error);
  const client = kubernetesClient({ transport: () => keptOpen(transport) }, { clock, timers });
  const serves = await readServedKinds({ client, clock, timers, signal: ending, report });
  await client.close();
  if (serves === undefined) return;
  onSync(true);
  const skipped = new Set<string>();
  const scheduler = startScheduler(options, {
    transport,
    clock,
    timers,
    random: processRandom,
    reportError: report,
    release,
    measuring,
    serves(apiVersion, kind) {
      const name = `${apiVersion} ${kind}`;
      if (serves(apiVersion, kind)) return true;
      if (!skipped.has(name))
        log.warn(
          "scheduler/eventhandlers.go:420",
          `Skipping ${kind} of ${apiVersion}: the API server does not serve it`,
        );
      skipped.add(name);
      return false;
    },
  });
  log.structured("app/server.go:210", "Starting Kubernetes Scheduler", {});
  void scheduler.ready.then(() => onSync(false));
  await aborted(ending);
  await scheduler.stop();
}
