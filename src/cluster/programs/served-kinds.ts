import { createHash } from "node:crypto";
import { untilAborted } from "../../base/async/until-aborted.js";
import type { Clock } from "../../base/time/clock.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { ServedResources } from "../../controllers/served-resources.js";

/** Whether a server has a kind: ("apps/v1", "Deployment"). */
export type Serves = (apiVersion: string, kind: string) => boolean;

export interface ServedKindsParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Receives why discovery failed; it is tried again. */
  readonly report: (error: unknown) => void;
}

const RETRY_MS = 2000;
/** Kubernetes' controllers look at discovery as often. */
const PERIOD_MS = 30_000;

/**
 * Reads the kinds that the server serves, and retries until it answers. Kinds of a group version that discovery could not read
 * count as served. Undefined when the signal aborts first.
 */
export async function readServedKinds(parts: ServedKindsParts): Promise<Serves | undefined> {
  const { client, clock, timers, signal, report } = parts;
  const discovery = new ServedResources(client.rest, clock);
  while (!signal.aborted) {
    try {
      const { resources, failed } = await untilAborted(discovery.all(), signal);
      const served = new Set(resources.map(({ apiVersion, kind }) => `${apiVersion}/${kind}`));
      return (apiVersion, kind) => served.has(`${apiVersion}/${kind}`) || failed.has(apiVersion);
    } catch (error) {
      if (signal.aborted) return undefined;
      report(error);
      await pause(timers, RETRY_MS, signal);
    }
  }
  return undefined;
}

/** Calls `changed` after each change of the kinds that the server serves, which it reads every 30 seconds. Ends when the signal aborts. */
export async function followServedKinds(parts: ServedKindsParts, changed: () => void): Promise<void> {
  const { client, clock, timers, signal, report } = parts;
  const discovery = new ServedResources(client.rest, clock);
  let known: string | undefined;
  while (!signal.aborted) {
    try {
      const { resources } = await untilAborted(discovery.all(), signal);
      discovery.invalidate();
      const digest = createHash("sha256").update(JSON.stringify(resources)).digest("base64");
      if (known !== undefined && known !== digest) changed();
      known = digest;
    } catch (error) {
      if (!signal.aborted) report(error);
    }
    await pause(timers, PERIOD_MS, signal);
  }
}
