import { inOrder } from "../../base/async/turns.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ApiSnapshot } from "../../server/api-registry/api-registry.js";
import { bootstrapObjects } from "../../server/builtin/bootstrap.js";
import { forkRandom } from "../../base/numbers/random.js";
import { CustomResources } from "../../server/extensions/custom-resources.js";
import { statusWriter } from "../../server/generic/status-writer.js";
import { createMissing, createOrAdjust } from "../../server/generic/create-missing.js";
import { reconcilePolicy } from "../../server/generic/reconcile-policy.js";
import type { Listener } from "../../server/generic/secure-listener.js";
import type { Server } from "../../server/generic/server.js";
import type { CompositionParts } from "../composition.js";
import { apiServicesOf } from "./aggregator-part.js";
import { openNodePorts } from "../given-setup.js";
import { isShared } from "../open-storage.js";
import type { ServerEndpoints } from "../server-endpoints.js";
import { servesKind } from "../startable-controllers.js";
import { defaultServiceCidr, kubernetesEndpoints, systemNamespaces } from "../system-objects.js";
import type { ControlPlanePart, ControlPlanePlan } from "./plan.js";

const DEFINITIONS = { group: "apiextensions.k8s.io", version: "v1", resource: "customresourcedefinitions" };

export const systemNamespacesPart: ControlPlanePart = {
  name: "start-system-namespaces-controller",
  start: ({ registry }) => createMissing(registry.current, systemNamespaces()),
};

export const serviceCidrPart = ({ serviceCidr }: ControlPlanePlan): ControlPlanePart => ({
  name: "start-kubernetes-service-cidr-controller",
  start: ({ registry }) => createMissing(registry.current, [defaultServiceCidr(serviceCidr)]),
});

/** Keeps the Service kubernetes, and the addresses of the servers that run. */
export class KubernetesServicePart implements ControlPlanePart {
  readonly name = "bootstrap-controller";
  #endpoints: ServerEndpoints | undefined;

  constructor(private readonly plan: ControlPlanePlan) {}

  async start({ registry }: Server, listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    const { given, options } = this.plan;
    const address = this.plan.addressOf(listener);
    const service = this.plan.serviceOf(listener);
    if (given !== undefined && given.serviceNodePort > 0) await openNodePorts(registry, given);
    if (given?.keepsEndpoints === false) return createOrAdjust(registry.current, [service]);
    if (!isShared(options)) {
      await createOrAdjust(registry.current, [service, ...kubernetesEndpoints([address])]);
      return;
    }
    await createOrAdjust(registry.current, [service]);
    const { keepServerEndpoints } = await inOrder(import("../server-endpoints.js"));
    const { timers, reportError } = parts;
    const own = listener === undefined ? undefined : address;
    this.#endpoints = await keepServerEndpoints({ registry, timers, address: own, reportError });
  }

  async stop(): Promise<void> {
    await this.#endpoints?.stop();
  }
}

export const rolesPart = ({ options: { runtimeConfig = {} } }: ControlPlanePlan): ControlPlanePart => ({
  name: "rbac/bootstrap-roles",
  start: ({ registry, release }) => bootstrap(registry.current, bootstrapObjects(release, runtimeConfig)),
});

/** Creates the objects of a fresh cluster that are missing. Existing roles and bindings get back the rules and subjects that they lack. */
async function bootstrap(api: ApiSnapshot, objects: readonly KubeObject[]): Promise<void> {
  const isPolicy = ({ apiVersion = "" }: KubeObject): boolean => apiVersion.startsWith("rbac.authorization.k8s.io/");
  await reconcilePolicy(api, objects.filter(isPolicy));
  const isSchema = ({ kind }: KubeObject): boolean => kind === "FlowSchema";
  await createMissing(
    api,
    objects.filter((object) => !isPolicy(object) && !isSchema(object)),
  );
  // Whether its priority level exists is written into a schema when it is created.
  await createMissing(api, objects.filter(isSchema));
}

/** Serves the custom resources that CustomResourceDefinitions define. */
export class CustomResourcesPart implements ControlPlanePart {
  readonly name = "start-apiextensions-controllers";
  #resources: CustomResources | undefined;

  async start(server: Server, _listener: Listener | undefined, parts: CompositionParts): Promise<void> {
    if (!servesKind(server.registry.current)("apiextensions.k8s.io/v1", "CustomResourceDefinition")) return;
    const { clock, timers, random, reportError } = parts;
    this.#resources = new CustomResources({
      registry: server.registry,
      webhooks: server.webhooks,
      measuring: server.measuring,
      clock,
      timers,
      writeApiService: (apiService) => apiServicesOf(server, parts).update(apiService),
      write: statusWriter(DEFINITIONS, server.loopback(), { clock, timers, random: forkRandom(random, "extensions") }),
      reportError,
    });
    await this.#resources.start();
  }

  /** The aggregator tells that a client has changed or deleted an APIService of the group. */
  apiServiceChanged(group: string): void {
    this.#resources?.apiServiceChanged(group);
  }

  async stop(): Promise<void> {
    await this.#resources?.stop();
  }
}
