import type { Release } from "../../api/facts/index.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import type { Random } from "../../base/numbers/random.js";
import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import type { Measuring } from "../../server/metrics/measures.js";
import type { ServerMetrics } from "../../server/metrics/server-metrics.js";
import type { Handler } from "../../server/request/api-request.js";
import type { ServerPaths } from "../../server/generic/server-config.js";
import type { StoredResources } from "./stored-resources.js";
import type { MonitoringOptions } from "./monitoring-options.js";

/** The facts about a server that its monitoring uses. */
export interface MonitoredServer {
  /** Whether it has authorizers: only then it shows profiles, flags and logs. */
  readonly asksForRights: boolean;
  /** The paths of its index. */
  listed(): readonly string[];
  /** The resources that are served. */
  served(): readonly { readonly group: string; readonly name: string }[];
  /** As {@link ServerMetrics} has them. */
  readonly apiServices?: () => ReadonlyMap<string, boolean>;
}

export interface MonitoringParts {
  readonly release: Release;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Of the process, which profiles and its own metrics are of. */
  readonly process: { readonly clock: Clock; readonly timers: Timers };
  readonly random: Random;
  readonly stored: StoredResources;
  readonly measuring: Measuring;
}

/**
 * The paths at which operators read a server's metrics, status and profiles. Each module is loaded on the first request for it.
 * Metrics count from the first time that they are read, or from the start where the options say so.
 */
export class Monitoring implements ServerPaths {
  readonly #options: MonitoringOptions;
  readonly #parts: MonitoringParts;
  readonly #started: number;
  #server: MonitoredServer = { asksForRights: false, listed: () => [], served: () => [] };

  constructor(options: MonitoringOptions, parts: MonitoringParts) {
    this.#options = options;
    this.#parts = parts;
    this.#started = parts.process.clock.now();
  }

  /** Takes the server, which is made later. Resolves when it counts, where it counts from the start. */
  async open(server: MonitoredServer): Promise<void> {
    this.#server = server;
    this.#parts.stored.follow(() => server.served());
    if (this.#options.countsFromStart === true) await this.metrics();
    else if (this.#options.allowedLabelsFile !== undefined) {
      // A manifest with a fault keeps the server from starting.
      const { readAllowedLabels } = await inOrder(import("./allowed-labels.js"));
      await readAllowedLabels(this.#options.allowedLabelsFile);
    }
  }

  readonly metrics: () => Promise<ServerMetrics> = once(async () => {
    const { openServerMetrics } = await inOrder(import("./open-server-metrics.js"));
    const metrics = await openServerMetrics(this.#options, this.#parts, this.#server);
    this.#parts.measuring.start(metrics, metrics.table);
    return metrics;
  });

  get listed(): readonly string[] {
    const all = ["/metrics", "/metrics/slis"];
    if (!this.#server.asksForRights) return all;
    all.push("/statusz");
    if (this.#options.flags !== undefined) all.push("/flagz");
    if (this.#options.logsFolder !== undefined) all.push("/logs");
    return all;
  }

  find(path: string): Handler | undefined {
    if (path === "/metrics") return this.#metrics;
    if (path === "/metrics/slis") return this.#slis;
    if (!this.#server.asksForRights) return undefined;
    if (path === "/statusz") return this.#statusz;
    const { flags, profiling = true, setVerbosity, logsFolder } = this.#options;
    if (path === "/flagz") return flags && this.#flagz;
    if (isBelow(path, "/debug/pprof")) return profiling ? this.#profile : undefined;
    if (isBelow(path, "/debug/flags")) return profiling && setVerbosity !== undefined ? this.#debugFlag : undefined;
    return logsFolder !== undefined && isBelow(path, "/logs") ? this.#logs : undefined;
  }

  readonly #metrics: Handler = async (request) => {
    const { respondMetrics } = await inOrder(import("../../server/metrics/respond-metrics.js"));
    await respondMetrics(request, (await this.metrics()).table);
  };

  readonly #slis: Handler = async (request) => {
    const { respondMetrics } = await inOrder(import("../../server/metrics/respond-metrics.js"));
    await respondMetrics(request, (await this.metrics()).slis);
  };

  readonly #statusz: Handler = async (request) => {
    const { respondStatusz } = await inOrder(import("../../server/debug/z-pages.js"));
    const { process, release } = this.#parts;
    const paths = [...this.#server.listed(), "/version"];
    const times = { started: this.#started, now: process.clock.now() };
    const { version: binary, emulated } = release;
    await respondStatusz(request, { component: COMPONENT, binary, emulated, ...times, paths, random: this.#random });
  };

  readonly #flagz: Handler = async (request) => {
    const { respondFlagz } = await inOrder(import("../../server/debug/z-pages.js"));
    await respondFlagz(request, COMPONENT, this.#options.flags ?? new Map(), this.#random);
  };

  readonly #profile: Handler = async (request) => {
    const { respondProfile } = await inOrder(import("../../server/debug/profiles.js"));
    await respondProfile(request, this.#parts.process);
  };

  readonly #debugFlag: Handler = async (request) => {
    const { respondDebugFlag } = await inOrder(import("../../server/debug/debug-flags.js"));
    await respondDebugFlag(request, this.#options.setVerbosity ?? (() => {}));
  };

  readonly #logs: Handler = async (request) => {
    const { respondLogs } = await inOrder(import("../../server/debug/log-files.js"));
    await respondLogs(request, this.#options.logsFolder ?? "");
  };

  readonly #random = (below: number): number => randomBelow(this.#parts.random, below);
}

/** What every server on k8s.io/apiserver calls itself there. */
const COMPONENT = "apiserver";

const isBelow = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);
