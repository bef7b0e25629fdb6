import { createPrivateKey } from "node:crypto";
import { join } from "node:path";
import { deferred } from "../base/async/deferred.js";
import { inOrder } from "../base/async/turns.js";
import { enabledControllers } from "../api/controllers/index.js";
import type { RuntimeConfig } from "../api/facts/index.js";
import type { Node } from "../api/types/core/v1.js";
import { type Ipv4Prefix, parseIpv4Prefix } from "../base/numbers/ipv4-prefix.js";
import type { ManualClock } from "../base/time/manual-clock.js";
import { once } from "../base/async/once.js";
import { forkRandom, isReproducible, type Random } from "../base/numbers/random.js";
import type { SignClient } from "../controllers/certificates/certificate-signer.js";
import type { MetricsSource } from "../controllers/horizontal-pod-autoscaler/metrics-source.js";
import { NetworkFailure } from "../client/transport/go-network-error.js";
import { type Controllers, startControllers } from "../controllers/manager.js";
import { signingKey, signToken } from "../machinery/crypto/jwt/jws.js";
import type { GroupResource } from "../machinery/errors/status-error.js";
import type { JsonObject } from "../machinery/meta/json.js";
import { bootstrapObjects } from "../server/builtin/bootstrap.js";
import { OpenCharges } from "../server/registry/open-charges.js";
import { nodePortRegistry } from "../server/builtin/core/services/node-port-registry.js";
import { builtinRecords } from "../server/builtin/index.js";
import { recordId, type ResourceRecord } from "../server/endpoints/resource-record.js";
import { CustomResources } from "../server/extensions/custom-resources.js";
import { definitionWriter } from "../server/extensions/definition-writer.js";
import { createMissing, createOrAdjust } from "../server/generic/create-missing.js";
import { reconcilePolicy } from "../server/generic/reconcile-policy.js";
import type { ApiRegistry, ApiSnapshot } from "../server/api-registry/api-registry.js";
import type { Listener } from "../server/generic/secure-listener.js";
import type { Server } from "../server/generic/server.js";
import type { ClusterNetwork } from "../server/kubelet/cluster-network.js";
import type { Fence } from "../server/generic/transport/in-process.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { ImageScript } from "../node/scripted/images/image-script.js";
import type { ImageScriptText } from "../node/scripted/images/text-script.js";
import type { AllowedForward, Forward } from "../base/forward.js";
import type { PodForwards } from "../node/scripted/network/pod-forwards.js";
import type { StagesOf } from "../node/stages/stages.js";
import type { SchedulerOptions } from "../scheduler/options.js";
import { type StartedScheduler, startSchedulerWhenNeeded } from "./scheduler-when-needed.js";
import type { Strategy } from "../server/registry/strategy.js";
import type { TokenIssuer } from "../server/request/token-issuer.js";
import { CA_NAME, type ClusterPki } from "./pki/cluster-pki.js";
import { keyMaker } from "./pki/key-maker.js";
import { composeServer } from "./compose-server.js";
import type { BootStep, Composition, CompositionParts, GivenServing } from "./composition.js";
import type { ClusterClock } from "./cluster-clock.js";
import type { UsageParts } from "./metrics-api/cluster-usage.js";
import { HOST } from "./open-socket.js";
import type { RunningServer } from "./running-server.js";
import { checkServerName } from "./server-name.js";
import type { ServerNodes } from "./nodes/server-nodes.js";
import type { ServerOptions } from "./options/server-options.js";
import type { SharedServer } from "./shared-server.js";
import { checkNodes } from "./nodes/check-nodes.js";
import { nodeHosts } from "./nodes/node-addresses.js";
import type { LocalNodes, NodeNetwork, NodeOptions } from "./nodes/start-nodes.js";
import type { LeftNodesParts } from "./nodes/remove-node.js";
import type {
  Election,
  ElectedProgram,
  ElectionParts,
  LeaderElectionOptions,
  LeadershipEvent,
} from "./leader-election.js";
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

export interface ClusterOptions extends ServerOptions {
  /**
   * As kube-apiserver's --runtime-config: "resource.k8s.io/v1beta1", "api/beta" or "api/all" to on or off. By default the
   * stable versions are served. "apiextensions.k8s.io/v1beta1", which 1.36 has removed, is served where it is named.
   */
  readonly runtimeConfig?: RuntimeConfig;
  /**
   * Which controllers run, as kube-controller-manager's --controllers: "*" all but those that are off by default
   * ("bootstrap-signer-controller", "token-cleaner-controller"), "name" that one, "-name" not that one; a list
   * without "*" runs what it names and nothing else. False: none, for suites that bring their own; what Kubernetes has
   * inside kube-apiserver runs all the same. Default ["*"].
   */
  readonly controllers?: false | readonly string[];
  /**
   * Nodes that run pods in this process: a list, or how many ("node-1", "node-2", ...; on an etcd "SERVER-node-1", ...). Default: none, and
   * pods wait for a node from outside.
   */
  readonly nodes?: number | readonly NodeOptions[];
  /**
   * Who this server is among those that share its etcd: its nodes' names begin with it, and it takes them back when it starts again. Default:
   * the name that {@link dataDir} holds for the port, else one of host name and port, which the folder holds from now on.
   */
  readonly serverName?: string;
  /**
   * What the containers of a pod do in place of their images: when they start, fail, exit, become ready and stop, what they use and
   * write. A pod's annotation kubets.dev/stages comes first.
   */
  readonly stages?: StagesOf;
  /**
   * Whether a container whose program is not there stands in for its image: it starts, says so in its log, answers on its ports and passes
   * its probes. Else it cannot start. A pod's annotation kubets.dev/images ("stand-in", "strict") comes first. Default true.
   */
  readonly standIn?: boolean;
  /**
   * What containers of some images run: scripts of the small shell by patterns of image names, as a list or as the path of a YAML file that has
   * one. The first that fits counts; {@link stages} and a node's images come before it. Default: none but those that kubets has for images
   * that charts cannot do without.
   */
  readonly imageScripts?: string | readonly ImageScriptText[];
  /**
   * Ports of pods that lead to programs of this machine, for Services, port-forward, proxies, webhooks and probes too: a webhook under
   * development runs in an editor while the cluster believes that it is a pod. A start rejects with a ForwardSyntaxError.
   */
  readonly forward?: readonly Forward[];
  /** Addresses of this machine that a pod's annotation kubets.dev/forward may lead its ports to: "127.0.0.1:3000-3999". Default: none. */
  readonly allowForward?: readonly AllowedForward[];
  /**
   * A block of IPv4 addresses, "172.20.255.0/24", that Services of type LoadBalancer get an address of. Nothing listens there. "": they get
   * none, and stay pending. Default: "203.0.113.0/24" where there are {@link nodes}, else none.
   */
  readonly loadBalancerAddresses?: string;
  /**
   * How long a node may be silent before it counts as lost, in milliseconds. Default: kube-controller-manager's, 50,000. The cluster's own nodes
   * give a sign of life at least three times in it.
   */
  readonly nodeMonitorGracePeriod?: number;
  /** Custom and external metrics, which horizontal pod autoscalers scale by. */
  readonly metrics?: MetricsSource;
  /** How the scheduler is set up, as in kube-scheduler's configuration. False: there is none. Default: kube-scheduler's defaults. */
  readonly scheduler?: false | SchedulerOptions;
  /**
   * Whether controllers and scheduler of one server work at a time, where servers share a storage ("etcd"), by the Leases
   * kube-system/kube-controller-manager and kube-system/kube-scheduler. What Kubernetes has inside kube-apiserver runs in every server.
   * Default true. Storage that belongs to one process ("memory", "disk") needs no election, and there is none.
   */
  readonly leaderElect?: boolean | LeaderElectionOptions;
  /** Told when this server waits to lead, begins to, and no longer does, and each request that it sends as the leader. */
  readonly onLeadership?: (event: LeadershipEvent) => void;
}

/** A running control plane. */
export type Cluster = RunningServer;

/** A running control plane whose time is driven. */
export interface DrivenCluster extends Cluster {
  readonly clock: ClusterClock;
}

/** What kube-apiserver has flags for and a cluster decides by itself. */
export interface GivenSetup {
  readonly serving: GivenServing;
  /** The address that the endpoints of the Service "kubernetes" name. */
  readonly advertisedAddress: string;
  /** The port that they name. Undefined: the one that the server listens on. */
  readonly advertisedPort?: number | undefined;
  /** Whether the server keeps these endpoints. */
  readonly keepsEndpoints: boolean;
  /** Where cluster IPs come from: an IPv4 block, "10.0.0.0/24". */
  readonly serviceCidr: string;
  /** The node port of the Service "kubernetes"; 0 for none. */
  readonly serviceNodePort: number;
  /** Where services get node ports from, both ends included. */
  readonly nodePorts: { readonly first: number; readonly last: number };
  /** How the server reaches kubelets. */
  readonly kubelets: Pick<ClusterNetwork, "kubeletClient" | "kubeletVerification"> & {
    readonly addressTypes: readonly string[];
  };
  /** Returns the built-in resources as the flags have them. */
  readonly adaptRecords: (records: readonly ResourceRecord[]) => readonly ResourceRecord[];
  readonly tokenIssuer: TokenIssuer;
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
  const loadBalancerAddresses = blockOf(options.loadBalancerAddresses ?? (hasNodes ? LOAD_BALANCERS : ""));
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
        const config = {
          enabled,
          clock,
          timers,
          // The controllers draw from a fork: how long a watch lasts must not change which uids objects get.
          random: forkRandom(random, "controllers"),
          caCertificate: serverCa,
          authentication,
          kubernetesService: serviceOf(listener),
          serviceCidr: defaultServiceCidr(serviceCidr),
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

/** Makes node ports of the given range available, for the first service of them. */
async function openNodePorts(registry: ApiRegistry, { nodePorts }: GivenSetup): Promise<void> {
  const stored = nodePortRegistry(registry, nodePorts);
  const { ports, version } = await stored.read();
  await stored.write(ports, version);
}

function kubeletsOf({ kubelets: { addressTypes, ...parts } }: GivenSetup): ClusterNetwork {
  return { kubeletAddressTypes: addressTypes, ...parts };
}

type NodesNetwork = NonNullable<Composition["network"]> & Pick<NodeNetwork, "dial" | "isOwn">;

/** The way to the nodes of this process, where there are no others. */
function networkOfProcess(isOwn: (host: string) => boolean, nodes: () => LocalNodes | undefined): NodesNetwork {
  return {
    isOwn,
    dial(host, port) {
      if (!isOwn(host)) return undefined;
      const started = nodes();
      if (started !== undefined) return started.dial(host, port);
      const reason = "connection refused: the nodes of this process have not started";
      return Promise.reject(new NetworkFailure(`dial tcp ${host}:${port}: connect: ${reason}`, "ECONNREFUSED"));
    },
    addressOf: (hostname) => nodes()?.addressOf(hostname),
  };
}

/** The way to the nodes of all servers of a storage. */
function networkOfAll(all: () => ServerNodes | undefined, nodes: () => LocalNodes | undefined): NodesNetwork {
  return {
    isOwn: (host) => all()?.isOwn(host) === true,
    dial: (host, port) => nodes()?.dial(host, port) ?? all()?.dial(host, port),
    addressOf: (hostname) => all()?.addressOf(hostname),
    agentOf: (node) => all()?.agentOf(node),
  };
}

/** Where marks of pods outlive the process. Servers of a storage may share their data folder, so that each has a file of its own. */
function marksFileOf({ storage = "memory", dataDir }: ClusterOptions, server: string | undefined): string | undefined {
  if (storage === "memory" || dataDir === undefined) return undefined;
  return join(dataDir, server === undefined ? "pods-that-run.txt" : `pods-that-run-${server}.txt`);
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

/** Throws for a table with a fault: before anything is opened. */
async function givenScripts({ imageScripts }: ClusterOptions): Promise<readonly ImageScript[]> {
  if (imageScripts === undefined) return [];
  const { openImageScripts } = await inOrder(import("./image-scripts.js"));
  return openImageScripts(imageScripts);
}

/** Undefined where no node could have a pod that leads out. */
async function forwardsOf({ forward = [], allowForward = [] }: ClusterOptions): Promise<PodForwards | undefined> {
  if (forward.length === 0 && allowForward.length === 0) return undefined;
  const { PodForwards: Made } = await inOrder(import("../node/scripted/network/pod-forwards.js"));
  return new Made(forward, allowForward);
}

function nodesOf(nodes: number | readonly NodeOptions[]): readonly NodeOptions[] {
  if (typeof nodes !== "number") return nodes;
  return Array.from({ length: nodes }, (_, index) => ({ name: `node-${index + 1}` }));
}

/** A block for documentation (RFC 5737), which no network has. */
const LOAD_BALANCERS = "203.0.113.0/24";

function blockOf(text: string): Ipv4Prefix | undefined {
  const block = text === "" ? undefined : parseIpv4Prefix(text);
  if (text !== "" && block === undefined) {
    throw new Error(
      `loadBalancerAddresses is ${JSON.stringify(text)}; give a block of IPv4 addresses, "172.20.255.0/24"`,
    );
  }
  return block;
}

function clientSigner({ ca }: ClusterPki, random: Random): SignClient {
  return async (request, validity) => {
    const [{ signClientRequest }, { issuerOf }] = await inOrder(
      Promise.all([import("./pki/sign-request.js"), import("./pki/certificate.js")]),
    );
    return signClientRequest(
      request,
      { ...validity, serial: random.bytes(16) },
      issuerOf(ca, CA_NAME, keyMaker(random)),
    );
  };
}

const ISSUER = "https://kubernetes.default.svc.cluster.local";

function tokenIssuer({ serviceAccountKey }: ClusterPki, random: Random | undefined): TokenIssuer {
  const reproducible = random !== undefined && isReproducible(random);
  const key = { ...signingKey(createPrivateKey(serviceAccountKey)), reproducible };
  return { url: ISSUER, audiences: [ISSUER], key };
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
