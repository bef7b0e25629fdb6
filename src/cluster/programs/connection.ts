import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import { processTimers } from "./surroundings.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { configFromFile, configFromText, inClusterConfig } from "../../client/config/load-config.js";
import { serverTransport } from "../../client/rest/create-rest-client.js";
import { BucketRateLimiter } from "../../client/workqueue/index.js";
import { pause } from "../../base/time/pause.js";
import type { Transport } from "../../client/transport/transport.js";
import { TransportError } from "../../client/transport/transport-error.js";
import { debuggingTransport } from "../../client/transport/debugging-transport.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import type { ComponentContext } from "../../component/component.js";
import type { ComponentLog } from "../../component/logging/component-log.js";

export interface ConnectionOptions {
  /** A kubeconfig's path, or "". */
  readonly kubeconfig: string;
  /** The server's address in place of the kubeconfig's, or "". */
  readonly master: string;
  readonly userAgent: string;
}

/**
 * The API server that a program works for: of the kubeconfig or the address, else of the pod that the program runs in. Rejects in the words of
 * Kubernetes' programs: "stat PATH: no such file or directory".
 */
export async function readConnection(
  { kubeconfig, master, userAgent }: ConnectionOptions,
  { cwd, env, log }: Pick<ComponentContext, "cwd" | "env" | "log">,
): Promise<ClientConfig> {
  // A program of a control plane has no kubeconfig but the one that it is given.
  const { KUBECONFIG: _, ...others } = env;
  const own = { cwd, env: others, userAgent, server: master };
  if (kubeconfig !== "") {
    await stat(resolve(cwd, kubeconfig)).catch((error: unknown) => {
      throw new PathError("stat", kubeconfig, error);
    });
    return configFromFile(kubeconfig, own);
  }
  if (master !== "") return configFromText("", own);
  log.warn(
    "clientcmd/client_config.go:667",
    "Neither --kubeconfig nor --master was specified.  Using the inClusterConfig.  This might not work.",
  );
  return inClusterConfig({ env, userAgent });
}

/** The rate of requests per second, and the burst above it. */
export interface RequestRate {
  readonly perSecond: number;
  readonly burst: number;
}

export interface ConnectionLimits {
  /** Requests above the rate wait. Left out: there is no limit. */
  readonly rate?: RequestRate | undefined;
  /** Asked before each request is sent, after it has waited; a request that may not be sent rejects. Left out: every request may be sent. */
  readonly mayAct?: () => boolean;
}

/** Where requests are logged from -v=6 on. */
type Logging = Pick<ComponentContext, "log" | "clock">;

/** Opens a transport to the server. Its log has addresses, times and headers without credentials, and no bodies. */
export function openConnection(
  config: ClientConfig,
  { log, clock }: Logging,
  { rate, mayAct = () => true }: ConnectionLimits = {},
): Transport {
  const logging = { log: verboseLog(log), clock, origin: config.server, hidden: HIDDEN };
  const transport = debuggingTransport(serverTransport(config), logging);
  const limiter = rate && new BucketRateLimiter<string>(rate);
  return {
    ...transport,
    async send(request) {
      const milliseconds = limiter?.when(request.path) ?? 0;
      if (milliseconds > 0) await pause(processTimers, milliseconds, request.signal);
      request.signal?.throwIfAborted();
      const { method, path } = request;
      if (!mayAct()) throw new TransportError(TERM_IS_OVER, { method, url: path });
      return transport.send(request);
    },
  };
}

/** What client-go adds below its log. */
const HIDDEN: ReadonlySet<string> = new Set(["accept-encoding"]);

/** The log of a component as client-go's transports write to it. */
const verboseLog = (log: ComponentLog): VerboseLog => ({
  enabled: (level, file) => log.isOn(level, `${file}.go:`),
  info: (level, source, message) => log.info(`transport/${source}`, message, level),
  structured: (level, source, message, values) => log.structured(`transport/${source}`, message, values, level),
});

const TERM_IS_OVER = "the sender's term as the leader is over";

/** Wraps a transport so that one client of several cannot close it: a client closes its transport at its end. */
export const keptOpen = (transport: Transport): Transport => ({ ...transport, close: async () => {} });
