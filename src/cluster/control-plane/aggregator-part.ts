import { isDeepStrictEqual } from "node:util";
import { bootstrapApiServices } from "../../api/bootstrap/api-services.js";
import { forkRandom } from "../../base/numbers/random.js";
import { uuid } from "../../base/numbers/uuid.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { AggregationWhenNeeded } from "../../server/aggregator/aggregation-when-needed.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import type { Server } from "../../server/generic/server.js";
import { statusWriter } from "../../server/generic/status-writer.js";
import type { CompositionParts } from "../composition.js";
import type { ControlPlanePart, ControlPlanePlan } from "./plan.js";

const API_SERVICES = { group: "apiregistration.k8s.io", version: "v1", resource: "apiservices" };

/** What the aggregator tells the part that keeps the APIServices of definitions. */
interface ApiServiceKeeper {
  apiServiceChanged(group: string): void;
}

/** Passes requests for the APIs of other servers on to them. */
export class AggregatorPart implements ControlPlanePart {
  readonly name = "start-kube-aggregator-informers";
  readonly aggregation: AggregationWhenNeeded;

  constructor(
    private readonly plan: ControlPlanePlan,
    private readonly definitions: ApiServiceKeeper,
  ) {
    const { given } = plan;
    this.aggregation = new AggregationWhenNeeded({ rejectsRedirects: given?.aggregator.rejectsRedirects ?? true });
  }

  async start(server: Server, _listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { clock, timers, random, reportError, frontProxy } = parts;
    const given = this.plan.given?.aggregator;
    given?.frontProxy?.watch(timers, reportError);
    await this.aggregation.start({
      ...server.services,
      id: uuid(forkRandom(random, "aggregator id")),
      registry: server.registry,
      clock,
      timers,
      identity: given === undefined ? frontProxy : given.frontProxy?.identity,
      writeStatus: statusWriter(API_SERVICES, server.loopback(), {
        clock,
        timers,
        random: forkRandom(random, "aggregator"),
      }),
      onApiService: (group) => this.definitions.apiServiceChanged(group),
      onChange: () => server.registry.changedElsewhere(),
      reportError,
      measuring: server.measuring,
    });
    // Another server that starts on the same storage may do the same.
    await this.#restoreOwn(server, parts).catch(reportError);
  }

  /**
   * An administrator may point the APIService of a built-in group version to a service, until the next start: kube-apiserver's label "onstart".
   * This is that start.
   */
  async #restoreOwn(server: Server, parts: CompositionParts): Promise<void> {
    const wanted = new Map(
      bootstrapApiServices(server.release, this.plan.options.runtimeConfig).map((one) => [
        one.metadata?.name ?? "",
        one["spec"],
      ]),
    );
    for (const one of this.aggregation.apiServices.values()) {
      const spec = wanted.get(one.metadata?.name ?? "");
      const isManaged = one.metadata?.labels?.["kube-aggregator.kubernetes.io/automanaged"] === "onstart";
      if (spec === undefined || !isManaged || isDeepStrictEqual(one["spec"], spec)) continue;
      await apiServicesOf(server, parts).update({ ...one, spec });
    }
  }

  stop(): Promise<void> {
    this.aggregation.stop();
    this.plan.given?.aggregator.frontProxy?.close();
    return Promise.resolve();
  }
}

/** A client of the APIServices for the server's own parts. */
export const apiServicesOf = (server: Server, { clock, timers }: CompositionParts): ResourceClient =>
  kubernetesClient(
    { transport: () => server.loopback() },
    { clock, timers, headers: { "user-agent": "kube-apiserver" } },
  ).resource(API_SERVICES);
