import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import { forkRandom } from "../../base/numbers/random.js";
import { stopwatchOf } from "../../base/time/timers.js";
import { type Controllers, startControllers } from "../../controllers/manager.js";
import { signToken } from "../../machinery/crypto/jwt/jws.js";
import type { GroupResource } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { MetricTable } from "../../machinery/metrics/metric-table.js";
import type { SchedulerMeasuring } from "../../scheduler/scheduler-metrics.js";
import type { SchedulerOptions } from "../../scheduler/options.js";
import { nodePortRegistry } from "../../server/builtin/core/services/node-ports.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import type { Server } from "../../server/generic/server.js";
import type { Fence } from "../../server/generic/transport/in-process.js";
import { OpenCharges } from "../../server/registry/open-charges.js";
import type { CompositionParts } from "../composition.js";
import type { ElectedProgram, Election, ElectionParts } from "../leader-election.js";
import { clientSigner } from "../pki/signers.js";
import { type StartedScheduler, startSchedulerWhenNeeded } from "../scheduler-when-needed.js";
import { servesKind, startableControllers } from "../startable-controllers.js";
import { defaultServiceCidr, POD_RANGE } from "../system-objects.js";
import type { SharedServerPart } from "./node-parts.js";
import type { ControlPlanePart, ControlPlanePlan } from "./plan.js";

type ElectedParts = Pick<ElectionParts, "clock" | "timers" | "start" | "reportError">;

/** The elections that a server takes part in. */
export class Elections {
  readonly #running: Election[] = [];

  constructor(private readonly plan: ControlPlanePlan) {}

  /** Runs a program while this server leads. Resolves when that has begun, or another server leads. */
  async run(program: ElectedProgram, server: Server, parts: ElectedParts): Promise<void> {
    const { standForElection } = await inOrder(import("../leader-election.js"));
    const { leaderElect, onLeadership = () => {} } = this.plan.options;
    let leads = false;
    server.measuring.addSource((table) =>
      table.onRead(async () => {
        const { showLeader } = await inOrder(import("../../component/metrics/queue-metrics.js"));
        showLeader(table, program, leads);
      }),
    );
    const election = standForElection({
      program,
      transport: server.loopback(),
      durations: typeof leaderElect === "object" ? leaderElect : {},
      onEvent(event) {
        if (event.type === "began" || event.type === "ended") leads = event.type === "began";
        onLeadership(event);
      },
      ...parts,
    });
    this.#running.push(election);
    await election.decided;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((election) => election.stop()));
  }
}

/** The controllers of kube-apiserver, which every server runs, and those of kube-controller-manager, which run where the server leads. */
export class ControllersPart implements ControlPlanePart {
  readonly name = "start-controllers";
  #own: Controllers | undefined;
  /** Those of kube-controller-manager, in the terms of this server. */
  #elected: Controllers | undefined;
  #formerNodes: { stop(): Promise<void> } | undefined;

  constructor(
    private readonly plan: ControlPlanePlan,
    private readonly elections: Elections,
    private readonly shared: SharedServerPart,
  ) {}

  /** Resolves when a new namespace has what every namespace has. */
  async prepared(namespace: string): Promise<void> {
    await this.#own?.prepared(namespace);
  }

  async start(server: Server, listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { elects, controllers } = this.plan;
    const config = this.#config(server, listener, parts);
    const own = elects ? { program: "kube-apiserver" as const } : {};
    this.#own = startControllers({ ...config, ...own, transport: server.loopback() });
    server.measuring.addSource((table) => this.#addMetrics(table));
    await this.#own.settled;
    if (controllers.size === 0) return;
    if (!elects) {
      this.#formerNodes = this.shared.server?.removeFormerNodes(server.loopback());
      return;
    }
    const { clock, timers, reportError } = parts;
    const start = (fence: Fence): Pick<Controllers, "settled" | "stop"> => this.#startElected(server, config, fence);
    await this.elections.run("kube-controller-manager", server, { clock, timers, reportError, start });
  }

  #startElected(server: Server, config: ControllersConfig, fence: Fence): Pick<Controllers, "settled" | "stop"> {
    const transport = server.loopback(fence);
    const elected = startControllers({ ...config, program: "kube-controller-manager", transport });
    this.#elected = elected;
    const former = this.shared.server?.removeFormerNodes(transport);
    return {
      settled: elected.settled,
      async stop() {
        await Promise.all([elected.stop(), former?.stop()]);
      },
    };
  }

  #addMetrics(table: MetricTable): void {
    table.onRead(async () => {
      // Loaded when the metrics are first read.
      const { showClaims, showQueues } = await inOrder(import("../../component/metrics/queue-metrics.js"));
      const running = [this.#own, this.#elected].filter((controllers) => controllers !== undefined);
      showQueues(
        table,
        running.flatMap((controllers) => controllers.status()),
      );
      // Those of kube-controller-manager run in one of them.
      for (const controllers of running) {
        showClaims(table, controllers.claimCreates());
        controllers.counts.showIn(table);
      }
    });
  }

  #config(server: Server, listener: Listener | undefined, parts: CompositionParts) {
    const { plan, shared } = this;
    const { options, given, hasNodes, loadBalancerAddresses, serviceCidr } = plan;
    const { pki, serverCa, clock, timers, random, reportError, authentication } = parts;
    const tokenKey = once(() => plan.issuerOfTokens(pki).key);
    const api = server.registry.current;
    const hasServiceCidrs = servesKind(api)("networking.k8s.io/v1", "ServiceCIDR");
    return {
      release: server.release,
      featureGates: { ...options.featureGates },
      enabled: startableControllers(plan.controllers, api, options.onWarning),
      clock,
      timers,
      // The controllers draw from a fork: how long a watch lasts must not change which uids objects get.
      random: forkRandom(random, "controllers"),
      caCertificate: serverCa,
      authentication,
      kubernetesService: plan.serviceOf(listener),
      ...(hasServiceCidrs && { serviceCidr: defaultServiceCidr(serviceCidr) }),
      nodePorts: nodePortRegistry(server.registry, given?.nodePorts),
      openCharges: new OpenCharges(server.registry, clock),
      // Another server's kubelet ends the pods of its nodes itself.
      hasKubelet: (name: string) =>
        plan.nodes.some((node) => node.name === name) || shared.server?.nodes.has(name) === true,
      hasVolumes: hasNodes,
      ...(hasNodes && { podRange: POD_RANGE }),
      ...(loadBalancerAddresses && { loadBalancerAddresses }),
      ...(options.nodeMonitorGracePeriod !== undefined && { nodeMonitorGracePeriod: options.nodeMonitorGracePeriod }),
      signClient: clientSigner(pki, random),
      signToken: (claims: JsonObject) => signToken(claims, tokenKey()),
      ...(options.metrics && { metrics: options.metrics }),
      reportError,
      onApiChange: (changed: () => void) => server.registry.onChange(changed),
      whenOccupied: (resource: GroupResource, told: () => void) => server.registry.whenOccupied(resource, told),
    };
  }

  async stop(): Promise<void> {
    await Promise.all([this.#own?.stop(), this.#formerNodes?.stop()]);
  }
}

type ControllersConfig = Omit<Parameters<typeof startControllers>[0], "transport" | "program">;

/** Starts the scheduler where the server leads. */
export class SchedulerPart implements ControlPlanePart {
  readonly name = "start-scheduler";
  #own: StartedScheduler | undefined;

  constructor(
    private readonly plan: ControlPlanePlan,
    private readonly elections: Elections,
    private readonly options: SchedulerOptions | undefined,
  ) {}

  async start(server: Server, _listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { clock, timers, reportError } = parts;
    const random = forkRandom(parts.random, "scheduler");
    const measuring: SchedulerMeasuring = {};
    server.measuring.addSource((table) =>
      table.onRead(async () => {
        const { SchedulerMetrics } = await inOrder(import("../../scheduler/scheduler-metrics.js"));
        measuring.on ??= new SchedulerMetrics(table, stopwatchOf(timers)(), server.release);
        measuring.on.show(measuring);
      }),
    );
    const start = (fence?: Fence): Promise<StartedScheduler> =>
      startSchedulerWhenNeeded(this.options, {
        clock,
        timers,
        random,
        reportError,
        release: server.release,
        measuring,
        transport: server.loopback(fence),
        serves: servesKind(server.registry.current),
        whenOccupied: (resource, told) => server.registry.whenOccupied(resource, told),
      });
    if (this.plan.elects) await this.elections.run("kube-scheduler", server, { clock, timers, reportError, start });
    else this.#own = await start();
  }

  async stop(): Promise<void> {
    await this.#own?.stop();
  }
}
