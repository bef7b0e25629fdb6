import { releaseOf } from "../../api/facts/index.js";
import { DEFAULT_VERSION } from "../../machinery/served-versions.js";
import { type ControllerName, enabledControllers } from "../../api/controllers/index.js";
import { pause } from "../../base/time/pause.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Component, ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { showClaims, showQueues } from "../../component/metrics/queue-metrics.js";
import { type Controllers, startControllers } from "../../controllers/manager.js";
import { missingKinds } from "../../controllers/required-kinds.js";
import { aborted } from "../../base/async/until-aborted.js";
import { keptOpen, openConnection, readConnection } from "../programs/connection.js";
import { checkElection, electionSettings } from "../programs/election-settings.js";
import { faultsOf, securePortFaults } from "../programs/flag-faults.js";
import { isOfLogs } from "../apiserver/feature-gates.js";
import { changedGates } from "../programs/changed-gates.js";
import { openHealthPort } from "../programs/health-port.js";
import { metricsFaults, openProgramMetrics } from "../programs/program-metrics.js";
import { prepareLeadership } from "../programs/lead.js";
import { followServedKinds, readServedKinds, type Serves } from "../programs/served-kinds.js";
import { processRandom, processTimers } from "../programs/surroundings.js";
import { type GivenParts, readClusterParts } from "./cluster-parts.js";
import { controllerManagerSections } from "./flags.js";
import { CONTROLLER_MANAGER, OBEYED_GATES, RELEASES_LEASE } from "./generic-section.js";

/** kube-controller-manager for any API server. `version` is printed by --version. */
export const controllerManager = (program: string, version: string): Component => ({
  name: CONTROLLER_MANAGER,
  program,
  version,
  description: `The controllers of Kubernetes ${DEFAULT_VERSION}, in the place of kube-controller-manager. They bring the objects of any API server to the state that their specs describe.`,
  sections: controllerManagerSections(),
  changedGates,
  validate: (flags, { cwd }) => [
    ...securePortFaults(flags),
    ...metricsFaults(flags, cwd),
    ...faultsOf(
      () => enabledControllers(flags.strings("controllers")),
      () => checkElection(electionSettings(flags, false)),
    ),
  ],
  run,
});

async function run(flags: Flags, context: ComponentContext): Promise<void> {
  const { log, clock, signal } = context;
  // Throws for names there are none of.
  const enabled = enabledControllers(flags.strings("controllers"));
  const gates = changedGates(flags);
  for (const gate of gates) {
    if (!OBEYED_GATES.some((name) => gate.startsWith(`${name}=`)) && !isOfLogs(gate))
      log.warn("featuregate/feature_gate.go:328", `--feature-gates: ${gate} has no effect here`);
  }
  const settings = electionSettings(flags, gates.includes(`${RELEASES_LEASE}=true`));
  const config = await readConnection(
    { kubeconfig: flags.string("kubeconfig"), master: flags.string("master"), userAgent: CONTROLLER_MANAGER },
    context,
  );
  const given = await readClusterParts(flags, config, context);
  const leads = (): boolean => leadership.leads();
  const metrics = await openProgramMetrics(flags, context, { lease: settings.enabled ? settings.name : "", leads });
  const limits = { rate: rateOf(flags), mayAct: () => leadership.mayAct() };
  const transport = metrics.counted(openConnection(config, context, limits), config);
  const election = metrics.counted(openConnection(config, context), config);
  const running = new Set<ControllerName>();
  let counted: Counted | undefined;
  metrics.table.onRead(() => {
    showQueues(metrics.table, counted?.status() ?? []);
    showClaims(metrics.table, counted?.claimCreates() ?? new Map());
    counted?.counts.showIn(metrics.table);
  });
  const work = (ending: AbortSignal): Promise<void> =>
    runControllers(
      { ...context, flags, gates, enabled, given, transport, running, onStart: (started) => (counted = started) },
      ending,
    );
  const leadership = prepareLeadership({
    program: CONTROLLER_MANAGER,
    settings,
    transport: election,
    clock,
    log,
    signal,
    work,
  });
  const ofController = (name: string) => ({ name, check: async () => {} });
  const port = await openHealthPort(
    {
      program: CONTROLLER_MANAGER,
      checks: () => [...(leadership.check === undefined ? [] : [leadership.check]), ...[...running].map(ofController)],
      readiness: () => [],
      metrics,
    },
    flags,
    context,
  );
  try {
    await leadership.run();
    if (signal.aborted) log.structured("app/controllermanager.go:344", "Requested to terminate, exiting", {});
  } finally {
    await port.close();
    await Promise.all([transport.close(), election.close()]);
  }
}

function rateOf(flags: Flags): { readonly perSecond: number; readonly burst: number } | undefined {
  if (!flags.changed("kube-api-qps") && !flags.changed("kube-api-burst")) return undefined;
  return { perSecond: flags.number("kube-api-qps"), burst: flags.number("kube-api-burst") };
}

interface Work extends Pick<ComponentContext, "clock" | "log"> {
  readonly flags: Flags;
  /** Those that differ from their default, as "NAME=true". */
  readonly gates: readonly string[];
  readonly enabled: ReadonlySet<ControllerName>;
  readonly given: GivenParts;
  readonly transport: Transport;
  /** Filled with the controllers that run. */
  readonly running: Set<ControllerName>;
  readonly onStart: (started: Counted) => void;
}

/** What says what the controllers do. */
type Counted = Pick<Controllers, "status" | "claimCreates" | "counts">;

/** Runs the controllers until `ending` aborts, and ends them within --controller-shutdown-timeout. */
async function runControllers(work: Work, ending: AbortSignal): Promise<void> {
  const { clock, log, flags, gates, enabled, given, transport, running, onStart } = work;
  const timers = processTimers;
  const report = (error: unknown): void => log.error("app/controllermanager.go:612", "Unhandled Error", error);
  const client = kubernetesClient({ transport: () => transport }, { clock, timers });
  const discovery = { client, clock, timers, signal: ending, report };
  const listeners = new Set<() => void>();
  const serves = await readServedKinds(discovery);
  if (serves === undefined) return client.close();
  for (const name of startable({ ...work, given }, enabled, serves)) running.add(name);
  const controllers = startControllers({
    ...given.parts,
    release: await releaseOf(),
    featureGates: Object.fromEntries(gates.map((gate) => [gate.split("=")[0] ?? "", gate.endsWith("=true")])),
    program: CONTROLLER_MANAGER,
    enabled: running,
    transport: keptOpen(transport),
    clock,
    timers,
    random: processRandom,
    reportError: report,
    onApiChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  });
  onStart(controllers);
  const following = followServedKinds(discovery, () => {
    for (const changed of listeners) changed();
  });
  await aborted(ending);
  running.clear();
  const limit = new AbortController();
  const stopped = Promise.all([controllers.stop(), following]).then(() => limit.abort());
  await pause(timers, flags.duration("controller-shutdown-timeout"), limit.signal);
  if (!limit.signal.aborted)
    log.warn("app/controllermanager.go:700", "Controllers did not stop within --controller-shutdown-timeout");
  else await stopped;
  await client.close();
}

/** The controllers that can run, and log lines of those that cannot. */
function startable(
  { log, given }: Pick<Work, "log" | "given">,
  enabled: ReadonlySet<ControllerName>,
  serves: Serves,
): readonly ControllerName[] {
  return [...enabled].filter((name) => {
    const reason = given.disabled.get(name);
    if (reason !== undefined) {
      log.structured("app/controllermanager.go:640", "Controller is disabled", { controller: name, reason });
      return false;
    }
    const missing = missingKinds(name, serves);
    if (missing.length > 0) {
      const kinds = missing.map(([apiVersion, kind]) => `${kind} of ${apiVersion}`).join(", ");
      const why = `the API server does not serve ${kinds}`;
      log.warn("app/controllermanager.go:660", "Skipping controller", { controller: name, reason: why });
      return false;
    }
    log.structured("app/controllermanager.go:666", "Starting controller", { controller: name });
    return true;
  });
}
