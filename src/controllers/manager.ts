import { newestRelease } from "../api/facts/index.js";
import { serverGates } from "../api/gates/feature-gates.js";
import { setMaxListeners } from "node:events";
import type { ControllerName } from "../api/controllers/index.js";
import type { Clock } from "../base/time/clock.js";
import type { Random } from "../base/numbers/random.js";
import type { Timers } from "../base/time/timers.js";
import { kubernetesClient } from "../client/dynamic/kubernetes-client.js";
import { eventBroadcaster } from "../client/events/index.js";
import { type ControllerStatus, describeProblem, Manager, type Problem } from "../client/manager/index.js";
import { surroundingsOf } from "../client/surroundings.js";
import type { Transport } from "../client/transport/transport.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { bootstrapSigner, tokenCleaner } from "./bootstrap-tokens/bootstrap-tokens.js";
import { certificateApprover } from "./certificates/certificate-approver.js";
import { certificateSigner } from "./certificates/certificate-signer.js";
import { certificateRequestCleaner } from "./certificates/request-cleaner.js";
import { clusterRoleAggregation } from "./cluster-role-aggregation/cluster-role-aggregation-controller.js";
import type { ClusterParts, ControllerContext, StartController } from "./context.js";
import { cronJobController } from "./cron-job/cron-job-controller.js";
import { deviceTaintEviction } from "./device-taint-eviction/device-taint-eviction.js";
import { daemonSetController } from "./daemon-set/daemon-set-controller.js";
import { deploymentController } from "./deployment/deployment-controller.js";
import { disruptionController } from "./disruption/disruption-controller.js";
import { mirroringController } from "./endpoint-slice-mirroring/mirroring-controller.js";
import { endpointsController } from "./endpoints/endpoints-controller.js";
import { endpointSliceController } from "./endpoint-slice/endpoint-slice-controller.js";
import { expiredPods } from "./expired-pods/expired-pods.js";
import { garbageCollector } from "./garbage-collector/garbage-collector.js";
import { horizontalPodAutoscalerController } from "./horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.js";
import { jobController } from "./job/job-controller.js";
import { namespaceController } from "./namespace/namespace-controller.js";
import {
  NamespaceObjects,
  namespaceObjectsController,
  preparedNamespaces,
  rootCaPublisher,
  defaultServiceAccounts,
} from "./namespace-objects/namespace-objects.js";
import { podGroupProtection } from "./pod-group-protection/pod-group-protection.js";
import { untilDone } from "./repeat.js";
import { nodeIpamController } from "./node-ipam/node-ipam-controller.js";
import { nodeLifecycleController } from "./node-lifecycle/node-lifecycle-controller.js";
import { podGarbageCollector } from "./pod-garbage-collector/pod-garbage-collector.js";
import { replicaSetController, replicationController } from "./replica-set/replica-controller.js";
import { policyStatusController } from "./policy-status/policy-status-controller.js";
import { attachDetachController } from "./attach-detach/attach-detach-controller.js";
import { attributesClassProtection } from "./attributes-class-protection/attributes-class-protection.js";
import { ephemeralVolumeController } from "./ephemeral-volume/ephemeral-volume-controller.js";
import { volumeExpander } from "./volume-expander/volume-expander.js";
import { persistentVolumeBinder } from "./persistent-volume-binder/persistent-volume-binder.js";
import { resourceClaimController } from "./resource-claim/resource-claim-controller.js";
import { resourceQuotaController } from "./resource-quota/resource-quota-controller.js";
import { legacyTokenCleaner, legacyTokenTracking } from "./legacy-tokens/legacy-tokens.js";
import { ServedResources } from "./served-resources.js";
import { serviceAccountTokens } from "./service-account-token/service-account-tokens.js";
import { clusterIpRepair } from "./service-allocation/cluster-ip-repair.js";
import { nodePortRepair } from "./service-allocation/node-port-repair.js";
import { serviceCidrs } from "./service-cidr/service-cidr-controller.js";
import { serviceLoadBalancerController } from "./service-load-balancer/service-load-balancer-controller.js";
import { statefulSetController } from "./stateful-set/stateful-set-controller.js";
import { storageVersionGarbageCollector } from "./storage-version-garbage-collector/storage-version-garbage-collector.js";
import { storageVersionMigrator } from "./storage-version-migrator/storage-version-migrator.js";
import { systemObjects } from "./system-objects/system-objects.js";
import { isUsualFault } from "../client/reflector/list-watch.js";
import { authenticationTrust } from "./authentication-trust/authentication-trust.js";
import { taintEvictionController } from "./taint-eviction/taint-eviction-controller.js";
import { ttlAfterFinished } from "./ttl-after-finished/ttl-after-finished.js";
import { ttlController } from "./ttl/ttl-controller.js";
import { claimProtection, volumeProtection } from "./volume-protection/volume-protection.js";
import { WorkCounts } from "./work-counts.js";

/** The program of Kubernetes that runs a controller. */
export type ControllerProgram = "kube-apiserver" | "kube-controller-manager";

/**
 * The controllers, in the order in which they prepare a cluster. The others are kube-controller-manager's, and each can be switched off
 * by its name.
 */
const CONTROLLERS: readonly (readonly [ControllerName | ControllerProgram, StartController])[] = [
  ["kube-apiserver", systemObjects],
  ["serviceaccount-controller", defaultServiceAccounts],
  ["root-ca-certificate-publisher-controller", rootCaPublisher],
  ["kube-apiserver", preparedNamespaces],
  ["kube-controller-manager", namespaceObjectsController],
  ["service-cidr-controller", serviceCidrs],
  ["kube-apiserver", clusterIpRepair],
  ["kube-apiserver", nodePortRepair],
  ["kube-apiserver", legacyTokenTracking],
  ["kube-apiserver", authenticationTrust],
  ["serviceaccount-token-controller", serviceAccountTokens],
  ["legacy-serviceaccount-token-cleaner-controller", legacyTokenCleaner],
  ["namespace-controller", namespaceController],
  ["garbage-collector-controller", garbageCollector],
  ["deployment-controller", deploymentController],
  ["replicaset-controller", replicaSetController],
  ["replicationcontroller-controller", replicationController],
  ["statefulset-controller", statefulSetController],
  ["daemonset-controller", daemonSetController],
  ["job-controller", jobController],
  ["cronjob-controller", cronJobController],
  ["ttl-after-finished-controller", ttlAfterFinished],
  ["endpoints-controller", endpointsController],
  ["endpointslice-controller", endpointSliceController],
  ["endpointslice-mirroring-controller", mirroringController],
  ["disruption-controller", disruptionController],
  ["horizontal-pod-autoscaler-controller", horizontalPodAutoscalerController],
  ["node-ipam-controller", nodeIpamController],
  ["service-lb-controller", serviceLoadBalancerController],
  ["node-lifecycle-controller", nodeLifecycleController],
  ["taint-eviction-controller", taintEvictionController],
  ["pod-garbage-collector-controller", expiredPods],
  ["pod-garbage-collector-controller", podGarbageCollector],
  ["ephemeral-volume-controller", ephemeralVolumeController],
  ["persistentvolume-binder-controller", persistentVolumeBinder],
  ["persistentvolume-expander-controller", volumeExpander],
  ["persistentvolume-attach-detach-controller", attachDetachController],
  ["resourcequota-controller", resourceQuotaController],
  ["persistentvolumeclaim-protection-controller", claimProtection],
  ["persistentvolume-protection-controller", volumeProtection],
  ["ttl-controller", ttlController],
  ["volumeattributesclass-protection-controller", attributesClassProtection],
  ["podgroup-protection-controller", podGroupProtection],
  ["resourceclaim-controller", resourceClaimController],
  ["device-taint-eviction-controller", deviceTaintEviction],
  ["bootstrap-signer-controller", bootstrapSigner],
  ["token-cleaner-controller", tokenCleaner],
  ["certificatesigningrequest-approving-controller", certificateApprover],
  ["certificatesigningrequest-signing-controller", certificateSigner],
  ["certificatesigningrequest-cleaner-controller", certificateRequestCleaner],
  ["clusterrole-aggregation-controller", clusterRoleAggregation],
  ["validatingadmissionpolicy-status-controller", policyStatusController],
  ["storageversion-garbage-collector-controller", storageVersionGarbageCollector],
  ["storage-version-migrator-controller", storageVersionMigrator],
];

/**
 * What they give every namespace is known to each server, also where the controllers themselves run in another one: a namespace is
 * answered when it has that.
 */
const OF_NAMESPACES: ReadonlySet<ControllerName | ControllerProgram> = new Set([
  "serviceaccount-controller",
  "root-ca-certificate-publisher-controller",
]);

/** Managed fields name it, whether one manager does the work of both programs or not. */
const USER_AGENT = "kubets-controller-manager";

export interface ControllersConfig extends ClusterParts {
  /**
   * Only what this program of Kubernetes runs: a server that shares its storage runs kube-apiserver's always and kube-controller-manager's
   * while it leads. Default: both, over the same caches.
   */
  readonly program?: ControllerProgram;
  /** Which of kube-controller-manager's run. */
  readonly enabled: ReadonlySet<ControllerName>;
  /** To the API, as a user who may do everything. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Varies how long watches last, and delays. */
  readonly random?: Random;
  readonly reportError?: (error: unknown) => void;
  /** Calls `listener` after each change of what the server serves, until the returned function is called. */
  readonly onApiChange?: (listener: () => void) => () => void;
  /** As {@link ControllerContext.whenOccupied}. Default: every resource may have objects. */
  readonly whenOccupied?: ControllerContext["whenOccupied"];
}

export interface Controllers {
  /**
   * Resolves when what every namespace has is there for the namespaces there were at the start, and services can get
   * addresses and ports.
   */
  readonly settled: Promise<void>;
  /** Resolves when a namespace has what every namespace has. */
  prepared(namespace: string): Promise<void>;
  /** What their queues do. */
  status(): readonly ControllerStatus[];
  /** What single controllers count of their work. */
  readonly counts: WorkCounts;
  /** How many ResourceClaims they asked for, by "<success or failure> <whether with admin access>". Empty before Kubernetes 1.37. */
  claimCreates(): ReadonlyMap<string, number>;
  /** Resolves when nothing of them runs any more. */
  stop(): Promise<void>;
}

/** Starts the enabled controllers; they use the API like any other client. */
export function startControllers(config: ControllersConfig): Controllers {
  const { clock, timers, random, transport } = config;
  const surroundings = surroundingsOf({ clock, timers, ...(random && { random }) });
  const stopping = new AbortController();
  const { signal } = stopping;
  // Every watch and every wait listens.
  setMaxListeners(0, signal);
  const report = (error: unknown): void => {
    if (!signal.aborted) config.reportError?.(error);
  };
  const client = kubernetesClient(
    { transport: () => transport },
    { ...surroundings, headers: { "user-agent": config.program === "kube-apiserver" ? config.program : USER_AGENT } },
  );
  // Thousands of pods at once have more events than are worth to be kept: those that find no room are no fault.
  const events = eventBroadcaster({ client, ...surroundings, onError: report, onDropped: () => {} });
  const manager = new Manager(client, {
    ...surroundings,
    transform: withoutManagedFields,
    whenOccupied: config.whenOccupied ?? atOnce,
    ...(config.workers && { workers: config.workers }),
    onProblem(problem) {
      if (problem.type === "informer-fault" && isUsualFault(problem.fault.error)) return;
      report(new Error(describeProblem(problem), { cause: errorOf(problem) }));
    },
  });
  const served = new ServedResources(client.rest, clock);
  const listeners: (() => void)[] = [() => served.invalidate()];
  const release = config.release ?? newestRelease;
  const claimCreates = new Map<string, number>();
  const counts = new WorkCounts();
  const context: ControllerContext = {
    release,
    gates: serverGates(release.emulated, config.featureGates),
    cluster: config,
    client,
    manager,
    served,
    namespaceObjects: new NamespaceObjects(client),
    clock,
    timers,
    random: surroundings.random,
    signal,
    recorder: (source) => events.recorder(source),
    counts,
    countClaim(succeeded, adminAccess) {
      // K37-149: before 1.37 the metric had another name, which is not there.
      if (!release.atLeast("1.37")) return;
      const labels = `${succeeded ? "success" : "failure"} ${adminAccess}`;
      claimCreates.set(labels, (claimCreates.get(labels) ?? 0) + 1);
    },
    report,
    onApiChange: (listener) => void listeners.push(listener),
    whenOccupied: config.whenOccupied ?? atOnce,
  };
  const work = CONTROLLERS.filter(([name]) => runs(name, config)).map(([, start]) => start(context) ?? {});
  const unsubscribe = config.onApiChange?.(() => {
    for (const listener of listeners) listener();
  });
  const settled = (async () => {
    for (const { prepare } of work) if (prepare !== undefined) await untilDone(prepare, context);
  })();
  const running = settled.then(async () => {
    if (!signal.aborted) await Promise.all([manager.run(signal), ...work.map(({ run }) => run?.())]);
  });
  return {
    settled,
    prepared: (namespace) => context.namespaceObjects.prepare(namespace),
    status: () => manager.status(),
    counts,
    claimCreates: () => claimCreates,
    async stop() {
      unsubscribe?.();
      stopping.abort();
      await running;
      await events.close();
      await client.close();
    },
  };
}

function runs(
  name: ControllerName | ControllerProgram,
  { program, enabled }: Pick<ControllersConfig, "program" | "enabled">,
): boolean {
  if (name === "kube-apiserver" || name === "kube-controller-manager") return program === undefined || program === name;
  return enabled.has(name) && (program !== "kube-apiserver" || OF_NAMESPACES.has(name));
}

const atOnce: ControllerContext["whenOccupied"] = (_resource, listener) => {
  listener();
  return () => {};
};

function errorOf(problem: Problem): unknown {
  if (problem.type === "reconcile-running") return undefined;
  return problem.type === "informer-fault" ? problem.fault.error : problem.error;
}

/** A pod's managed fields take as much memory as the rest of it, and an update without them leaves them as they are. */
function withoutManagedFields(object: KubeObject): KubeObject {
  delete object.metadata?.managedFields;
  return object;
}
