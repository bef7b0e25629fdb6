import { deferred } from "../base/async/deferred.js";
import { inOrder } from "../base/async/turns.js";
import { enabledControllers } from "../api/controllers/index.js";
import type { Node } from "../api/types/core/v1.js";
import type { ManualClock } from "../base/time/manual-clock.js";
import { once } from "../base/async/once.js";
import { forkRandom } from "../base/numbers/random.js";
import { type Controllers, startControllers } from "../controllers/manager.js";
import { signToken } from "../machinery/crypto/jwt/jws.js";
import type { GroupResource } from "../machinery/errors/status-error.js";
import type { JsonObject } from "../machinery/meta/json.js";
import { bootstrapObjects } from "../server/builtin/bootstrap.js";
import { OpenCharges } from "../server/registry/open-charges.js";
import { nodePortRegistry } from "../server/builtin/core/services/node-ports.js";
import { builtinRecords } from "../server/builtin/index.js";
import { recordId, type ResourceRecord } from "../server/endpoints/resource-record.js";
import { CustomResources } from "../server/extensions/custom-resources.js";
import { definitionWriter } from "../server/extensions/definition-writer.js";
import { createMissing, createOrAdjust } from "../server/generic/create-missing.js";
import { reconcilePolicy } from "../server/generic/reconcile-policy.js";
import type { ApiSnapshot } from "../server/api-registry/api-registry.js";
import type { Listener } from "../server/generic/secure-listener.js";
import type { Server } from "../server/generic/server.js";
import type { Fence } from "../server/generic/transport/in-process.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { type StartedScheduler, startSchedulerWhenNeeded } from "./scheduler-when-needed.js";
import type { Strategy } from "../server/registry/strategy.js";
import type { ClusterPki } from "./pki/cluster-pki.js";
import { clientSigner, tokenIssuer } from "./pki/signers.js";
import { composeServer } from "./compose-server.js";
import type { BootStep, CompositionParts } from "./composition.js";
import type { ClusterClock } from "./cluster-clock.js";
import type { UsageParts } from "./metrics-api/cluster-usage.js";
import { type GivenSetup, kubeletsOf, openNodePorts } from "./given-setup.js";
import { HOST } from "./open-socket.js";
import type { RunningServer } from "./running-server.js";
import {
  type ClusterOptions,
  forwardsOf,
  givenScripts,
  loadBalancersOf,
  marksFileOf,
  nodesOf,
} from "./options/cluster-options.js";
import { networkOfAll, networkOfProcess, checkNodes, nodeHosts } from "./nodes/nodes-network.js";
import { checkServerName } from "./server-name.js";
import type { SharedServer } from "./shared-server.js";
import { servesKind, startableControllers } from "./startable-controllers.js";
import type { LocalNodes, NodeOptions } from "./nodes/start-nodes.js";
import type { LeftNodesParts } from "./nodes/remove-node.js";
import type { Election, ElectedProgram, ElectionParts } from "./leader-election.js";
import { electionHasNoEffect, isShared } from "./open-storage.js";
import type { ServerEndpoints } from "./server-endpoints.js";
import {
  defaultServiceCidr,
  kubernetesEndpoints,
  kubernetesService,
  POD_RANGE,
  SERVICE_CIDR,
  type ServerAddress,
  systemNamespaces,
} from "./system-objects.js";

type ElectedParts = Pick<ElectionParts, "clock" | "timers" | "start" | "reportError">;

/** A running control plane. */
export type Cluster = RunningServer;

/** A running control plane whose time is driven. */
export interface DrivenCluster extends Cluster {
  readonly clock: ClusterClock;
}

/**
 * Starts a cluster; when it resolves, the API answers and the system's namespaces are there. Rejects before anything is opened
 * for a controller or an admission plugin that there is none of.
 */
export function startCluster(options: ClusterOptions & { readonly clock: ManualClock }): Promise<DrivenCluster>;
export function startCluster(options?: ClusterOptions): Promise<Cluster>;
export function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  return startControlPlane(options);
}

/** The same, as flags of kube-apiserver set it up. */
export async function startControlPlane(options: ClusterOptions, given?: GivenSetup): Promise<Cluster> {
  const { controllers: wanted = ["*"], runtimeConfig = {} } = options;
  const enabled = enabledControllers(wanted === false ? [] : wanted);
  const { scheduler: schedulerOptions, serverName } = options;
  // The names of a shared storage's nodes are known once the server has its own.
  let nodes = nodesOf(options.nodes ?? []);
  checkNodes(nodes);
  const forwards = await forwardsOf(options);
  if (forwards !== undefined && nodes.length === 0)
    options.onWarning?.(
      "forward and allowForward have no effect: the cluster has no nodes of its own, whose pods could lead out",
    );
  // What stands for kube-apiserver has no nodes, and is no server among others.
  const onShared = isShared(options) && given === undefined;
  if (serverName !== undefined) checkServerName(serverName, onShared);
  const hasNodes = nodes.length > 0;
  // Its storage may hold Nodes of an earlier start, which no other server runs.
  const isKept = options.storage === "disk" && given === undefined;
  const isOwn = onShared ? undefined : nodeHosts(nodes.map(({ name }) => name));
  let shared: SharedServer | undefined;
  const loadBalancerAddresses = loadBalancersOf(options, hasNodes);
  const imageScripts = await givenScripts(options);
  const elects = isShared(options) && options.leaderElect !== false;
  if (!isShared(options) && (options.leaderElect ?? false) !== false) options.onWarning?.(electionHasNoEffect(options));
  const elections: Election[] = [];
  let controllers: Controllers | undefined;
  let endpoints: ServerEndpoints | undefined;
  let formerNodes: { stop(): Promise<void> } | undefined;
  let customResources: CustomResources | undefined;
  let localNodes: LocalNodes | undefined;
  let scheduler: StartedScheduler | undefined;
  const podsMayStart = deferred<void>();
  const { dataDir } = options;
  const serviceCidr = given?.serviceCidr ?? SERVICE_CIDR;
  const issuerOfTokens = (pki: ClusterPki) => given?.tokenIssuer ?? tokenIssuer(pki, options.random);
  const addressOf = (listener: Listener | undefined): ServerAddress => ({
    ip: given?.advertisedAddress ?? HOST,
    port: given?.advertisedPort ?? listener?.port ?? 6443,
  });
  const serviceOf = (listener: Listener | undefined): KubeObject =>
    kubernetesService(addressOf(listener).port, serviceCidr, given?.serviceNodePort);
  /** Runs a program while this server leads. Resolves when that has begun, or another server leads. */
  const runElected = async (program: ElectedProgram, server: Server, parts: ElectedParts): Promise<void> => {
    const { standForElection } = await inOrder(import("./leader-election.js"));
    const { leaderElect, onLeadership = () => {} } = options;
    const election = standForElection({
      program,
      transport: server.loopback(),
      durations: typeof leaderElect === "object" ? leaderElect : {},
      onEvent: onLeadership,
      ...parts,
    });
    elections.push(election);
    await election.decided;
  };
  const network =
    isOwn === undefined
      ? networkOfAll(
          () => shared?.nodes,
          () => localNodes,
        )
      : networkOfProcess(isOwn, () => localNodes);
  /** What is done before the API is served, by the names kube-apiserver has for it where it does the same. */
  const steps = ({
    pki,
    serverCa,
    clock,
    timers,
    random,
    reportError,
    kubeletClient,
    verifiers,
    authentication,
  }: CompositionParts): readonly BootStep[] => [
    ...(onShared
      ? [
          {
            name: "claim-server-name",
            async run(server: Server, listener: Listener | undefined) {
              const { SharedServer: Opened } = await inOrder(import("./shared-server.js"));
              shared = new Opened({
                given: serverName,
                dataDir,
                wantedPort: options.port === false ? 0 : (options.port ?? 0),
                listens: listener && { host: HOST, port: listener.port },
                server,
                pki,
                kubeletClient,
                clock,
                timers,
                random: forkRandom(random, "shared"),
                verifiers,
                onWarning: options.onWarning ?? (() => {}),
                reportError,
              });
              if (typeof options.nodes === "number") nodes = shared.numbered(options.nodes);
            },
          },
        ]
      : []),
    {
      name: "start-system-namespaces-controller",
      run: ({ registry }) => createMissing(registry.current, systemNamespaces()),
    },
    {
      name: "start-kubernetes-service-cidr-controller",
      run: ({ registry }) => createMissing(registry.current, [defaultServiceCidr(serviceCidr)]),
    },
    {
      name: "bootstrap-controller",
      async run({ registry }, listener) {
        const address = addressOf(listener);
        const service = serviceOf(listener);
        if (given !== undefined && given.serviceNodePort > 0) await openNodePorts(registry, given);
        if (given?.keepsEndpoints === false) return createOrAdjust(registry.current, [service]);
        if (!isShared(options)) {
          await createOrAdjust(registry.current, [service, ...kubernetesEndpoints([address])]);
          return;
        }
        await createOrAdjust(registry.current, [service]);
        const { keepServerEndpoints } = await inOrder(import("./server-endpoints.js"));
        const own = listener === undefined ? undefined : address;
        endpoints = await keepServerEndpoints({ registry, timers, address: own, reportError });
      },
    },
    {
      name: "rbac/bootstrap-roles",
      run: ({ registry }) => bootstrap(registry.current, bootstrapObjects(runtimeConfig)),
    },
    {
      name: "start-apiextensions-controllers",
      async run(server) {
        if (!servesKind(server.registry.current)("apiextensions.k8s.io/v1", "CustomResourceDefinition")) return;
        customResources = new CustomResources({
          registry: server.registry,
          webhooks: server.webhooks,
          clock,
          timers,
          write: definitionWriter(server.loopback(), { clock, timers, random: forkRandom(random, "extensions") }),
          reportError,
        });
        await customResources.start();
      },
    },
    {
      name: "start-controllers",
      async run(server, listener) {
        const tokenKey = once(() => issuerOfTokens(pki).key);
        const api = server.registry.current;
        const hasServiceCidrs = servesKind(api)("networking.k8s.io/v1", "ServiceCIDR");
        const config = {
          enabled: startableControllers(enabled, api, options.onWarning),
          clock,
          timers,
          // The controllers draw from a fork: how long a watch lasts must not change which uids objects get.
          random: forkRandom(random, "controllers"),
          caCertificate: serverCa,
          authentication,
          kubernetesService: serviceOf(listener),
          ...(hasServiceCidrs && { serviceCidr: defaultServiceCidr(serviceCidr) }),
          nodePorts: nodePortRegistry(server.registry, given?.nodePorts),
          openCharges: new OpenCharges(server.registry, clock),
          // Another server's kubelet ends the pods of its nodes itself.
          hasKubelet: (name: string) => nodes.some((node) => node.name === name) || shared?.nodes.has(name) === true,
          hasVolumes: hasNodes,
          ...(hasNodes && { podRange: POD_RANGE }),
          ...(loadBalancerAddresses && { loadBalancerAddresses }),
          ...(options.nodeMonitorGracePeriod !== undefined && {
            nodeMonitorGracePeriod: options.nodeMonitorGracePeriod,
          }),
          signClient: clientSigner(pki, random),
          signToken: (claims: JsonObject) => signToken(claims, tokenKey()),
          ...(options.metrics && { metrics: options.metrics }),
          reportError,
          onApiChange: (changed: () => void) => server.registry.onChange(changed),
          whenOccupied: (resource: GroupResource, listener: () => void) =>
            server.registry.whenOccupied(resource, listener),
        };
        const own = elects ? { program: "kube-apiserver" as const } : {};
        controllers = startControllers({ ...config, ...own, transport: server.loopback() });
        await controllers.settled;
        if (enabled.size === 0) return;
        if (!elects) {
          formerNodes = shared?.removeFormerNodes(server.loopback());
          return;
        }
        await runElected("kube-controller-manager", server, {
          clock,
          timers,
          reportError,
          start(fence) {
            const transport = server.loopback(fence);
            const elected = startControllers({ ...config, program: "kube-controller-manager", transport });
            const former = shared?.removeFormerNodes(transport);
            return {
              settled: elected.settled,
              async stop() {
                await Promise.all([elected.stop(), former?.stop()]);
              },
            };
          },
        });
      },
    },
    ...(schedulerOptions === false
      ? []
      : [
          {
            name: "start-scheduler",
            async run(server: Server) {
              const own = { clock, timers, random: forkRandom(random, "scheduler"), reportError };
              const start = (fence?: Fence): Promise<StartedScheduler> =>
                startSchedulerWhenNeeded(schedulerOptions, {
                  ...own,
                  transport: server.loopback(fence),
                  serves: servesKind(server.registry.current),
                  whenOccupied: (resource, listener) => server.registry.whenOccupied(resource, listener),
                });
              if (elects) await runElected("kube-scheduler", server, { clock, timers, reportError, start });
              else scheduler = await start();
            },
          },
        ]),
    ...(!hasNodes && !onShared && !isKept
      ? []
      : [
          {
            name: "start-nodes",
            async run(server: Server, listener: Listener | undefined) {
              // Ids of containers must not change which uids objects get.
              const own = { clock, timers, random: forkRandom(random, "nodes") };
              if (isKept) await removeNodesBut(nodes, server, { ...own, reportError });
              const claimed = await shared?.claim(nodes);
              const others = shared && { nodes: shared.nodes, objects: server.registry.access };
              if (!hasNodes && !onShared) return;
              if (!hasNodes) return serveMetrics(server, { local: undefined, others }, () => clock.now());
              const { startNodes } = await inOrder(import("./nodes/start-nodes.js"));
              const transport = server.loopback();
              const staged = {
                standIn: options.standIn ?? true,
                ...(options.stages && { stages: options.stages }),
                imageScripts,
              };
              const { authorization, tokens } = server;
              localNodes = await startNodes(nodes, {
                transport,
                ...own,
                ...staged,
                forwards,
                authorization,
                tokens,
                pki,
                reportError,
                ready: podsMayStart.promise,
                nodeMonitorGracePeriod: options.nodeMonitorGracePeriod,
                marksFile: marksFileOf(options, shared?.name),
                network: { ...network, api: listener && { host: HOST, port: listener.port } },
                shared: claimed,
              });
              const local = { nodes: localNodes, names: nodes.map(({ name }) => name) };
              await serveMetrics(server, { local, others }, () => clock.now());
            },
          },
        ]),
  ];
  return composeServer(options, {
    serving: given?.serving,
    runtimeConfig,
    records: furnishingNamespaces(given?.adaptRecords(builtinRecords) ?? builtinRecords, () => controllers),
    authorization: {},
    serviceAccounts: issuerOfTokens,
    steps,
    network: given === undefined ? network : { ...network, ...kubeletsOf(given) },
    // Where hooks follow, they may wait for pods.
    afterSteps: () => podsMayStart.resolve(),
    async preShutdown() {
      await Promise.all([
        endpoints?.stop(),
        ...elections.map((election) => election.stop()),
        scheduler?.stop(),
        localNodes?.stop(),
        controllers?.stop(),
        formerNodes?.stop(),
        customResources?.stop(),
      ]);
      await shared?.close();
    },
  });
}

/** Removes the Nodes that earlier starts on the same storage had and this one does not have, with their pods. */
async function removeNodesBut(
  kept: readonly NodeOptions[],
  server: Server,
  parts: Omit<LeftNodesParts, "transport">,
): Promise<void> {
  const names = new Set(kept.map(({ name }) => name));
  const stored = await server.registry.access.list("", "nodes");
  const left = stored.filter(({ metadata }) => !names.has(metadata?.name ?? "")) as readonly Node[];
  if (left.length === 0) return;
  const { removeNodesLeft } = await inOrder(import("./nodes/remove-node.js"));
  await removeNodesLeft(left, { ...parts, transport: server.loopback() });
}

/** Serves metrics.k8s.io of the nodes. */
async function serveMetrics({ registry }: Server, parts: UsageParts, now: () => number): Promise<void> {
  const [{ metricsResources, removeEarlierApiService }, { clusterUsage }] = await inOrder(
    Promise.all([import("./metrics-api/metrics-resources.js"), import("./metrics-api/cluster-usage.js")]),
  );
  const source = clusterUsage(parts);
  const metrics = registry.installer({ owner: "the metrics API" });
  metrics.install(...metricsResources({ source, access: registry.access, now }));
  await removeEarlierApiService(registry);
}

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

/**
 * A new namespace is answered when it has what every namespace has, so that the next request may count on its default
 * ServiceAccount.
 */
function furnishingNamespaces(
  records: readonly ResourceRecord[],
  controllers: () => Controllers | undefined,
): readonly ResourceRecord[] {
  const afterCreate: Strategy["afterCreate"] = async ({ metadata }) => controllers()?.prepared(metadata?.name ?? "");
  return records.map((record) =>
    recordId(record) === "/namespaces" ? { ...record, strategy: { ...record.strategy, afterCreate } } : record,
  );
}
