import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../../client/events/index.js";
import { isLeadershipLost, LeaderElector } from "../../client/leaderelection/index.js";
import type { Transport } from "../../client/transport/transport.js";
import type { ComponentContext } from "../../component/component.js";
import type { HealthCheck } from "../../server/endpoints/non-resource/health.js";
import { processTimers } from "./surroundings.js";

/** The settings with which a program competes for its Lease. Durations are milliseconds. */
export interface ElectionSettings {
  readonly enabled: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** Whether a program that is told to end gives the Lease up, so that another one leads at once. */
  readonly releases: boolean;
}

export interface LeadOptions extends Pick<ComponentContext, "clock" | "log" | "signal"> {
  readonly program: string;
  readonly settings: ElectionSettings;
  /** To the API server, for the Lease and its events. */
  readonly transport: Transport;
  /** Works until its signal aborts. Resolves when nothing of the work runs any more. */
  readonly work: (signal: AbortSignal) => Promise<void>;
}

/** The leadership of this process, if it takes part in an election. */
export interface Leadership {
  /** Fails when the process does not lead any more. Undefined without an election. */
  readonly check: HealthCheck | undefined;
  /** Whether this process leads an election now. */
  leads(): boolean;
  /** Whether this process leads now, or need not lead: measured at the call, because a process may have stood still. */
  mayAct(): boolean;
  /** Ends with the signal. Rejects with "leaderelection lost" when another process may lead, and with what the work throws. */
  run(): Promise<void>;
}

/** Prepares an election. Throws for durations that do not fit each other. */
export function prepareLeadership(options: LeadOptions): Leadership {
  const { settings, signal, work } = options;
  return settings.enabled
    ? electedWork(options)
    : { check: undefined, leads: () => false, mayAct: () => true, run: () => work(signal) };
}

function electedWork({ program, settings, transport, clock, log, signal, work }: LeadOptions): Leadership {
  const { namespace, name, leaseDuration, renewDeadline, retryPeriod, releases } = settings;
  const lock = `${namespace}/${name}`;
  const fault = (error: unknown): void =>
    log.error("leaderelection/leaderelection.go:452", `Error with lease lock ${lock}`, error);
  const surroundings = { clock, timers: processTimers };
  const client = kubernetesClient(
    { transport: () => transport },
    { ...surroundings, headers: { "user-agent": `${program}/leader-election` } },
  );
  const events = eventBroadcaster({ client, ...surroundings, onError: fault, onDropped: () => {} });
  let hasLed = false;
  const elector = new LeaderElector({
    client,
    lease: { namespace, name },
    leaseDuration,
    renewDeadline,
    retryPeriod,
    releaseOnCancel: releases,
    ...surroundings,
    events: events.recorder({ component: program }),
    onStartedLeading(ending) {
      hasLed = true;
      log.structured("leaderelection/leaderelection.go:281", "Successfully acquired lease", { lock });
      return work(ending);
    },
    onNewLeader(holder) {
      if (holder !== elector.identity)
        log.structured("leaderelection/leaderelection.go:299", "New leader elected", { leader: holder }, 1);
    },
    onError: fault,
  });
  const check = {
    name: "leaderElection",
    async check() {
      if (hasLed && !elector.isLeader()) throw new Error("failed election to renew leadership on lease");
    },
  };
  const run = async (): Promise<void> => {
    log.structured("leaderelection/leaderelection.go:258", "Attempting to acquire leader lease...", { lock });
    try {
      await elector.run(signal);
    } catch (error) {
      if (isLeadershipLost(error)) throw new Error("leaderelection lost", { cause: error });
      throw error;
    } finally {
      await events.close();
      await client.close();
    }
  };
  const leads = (): boolean => elector.isLeader();
  return { check, leads, mayAct: leads, run };
}
