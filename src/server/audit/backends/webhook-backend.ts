import { errorMessage } from "../../../base/text/error-message.js";
import { configFromFile } from "../../../client/config/load-config.js";
import type { RunTimed, TimedWork } from "../../../machinery/tracing/request-span.js";
import type { RetryBackoff } from "../../../client/retry/retry-on-conflict.js";
import { KubeconfigWebhook, type KubeconfigWebhookOptions } from "../../webhook/kubeconfig-webhook.js";
import type { AuditBackend, ReportLost } from "./audit-backend.js";

export interface WebhookBackendOptions extends KubeconfigWebhookOptions {
  readonly configFile: string;
  /** The first pause between tries, in milliseconds. */
  readonly initialBackoff: number;
  readonly lost: ReportLost;
  /** Runs each call. Default: nothing measures them. */
  readonly timed?: RunTimed | undefined;
}

/** Every failure may pass: what is not sent is lost. */
const BACKOFF: Omit<RetryBackoff, "duration"> = { steps: 5, factor: 1.5, jitter: 0.2 };

/** Posts events as an EventList to the server that a kubeconfig names. Rejects for a kubeconfig that cannot be read. */
export async function openWebhookBackend(options: WebhookBackendOptions): Promise<AuditBackend> {
  const { configFile, initialBackoff: duration, env, lost, timed } = options;
  let webhook: KubeconfigWebhook;
  try {
    const config = await configFromFile(configFile, { env });
    webhook = new KubeconfigWebhook(config, {
      ...options,
      backoff: { ...BACKOFF, duration },
      isTransient: () => true,
    });
  } catch (error) {
    throw new Error(`initializing audit webhook: ${errorMessage(error)}`, { cause: error });
  }
  const closing = new AbortController();
  return {
    async process(events) {
      const items = events.map(({ json }) => `{${json.slice(KIND.length)}`).join(",");
      const list = `{"kind":"EventList","apiVersion":"audit.k8s.io/v1","metadata":{},"items":[${items}]}\n`;
      try {
        const around = timed && (<T>(send: () => Promise<T>) => timed(callWith(events.length), send));
        await webhook.post(Buffer.from(list), { retriesUntil: closing.signal, around });
        return true;
      } catch (error) {
        lost("webhook", error, events);
        return false;
      }
    },
    async close() {
      // Each call under way is the last try.
      closing.abort();
      webhook.retire();
    },
  };
}

/** An item of a list does not say its kind. */
const KIND = '{"kind":"Event","apiVersion":"audit.k8s.io/v1",';

/** A call as the log of slow work has it, with kube-apiserver's allowance: 50 ms for the request and 25 ms for each event. */
export const callWith = (count: number): TimedWork => ({
  name: "Call Audit Events webhook",
  fields: { name: "webhook", "event-count": count },
  threshold: 50 + 25 * count,
});
