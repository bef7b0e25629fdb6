import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import { claim } from "../owned-pods/claim.js";
import { controlledObjects, controllerOf, managerIn } from "../owned-pods/controller-ref.js";
import { isRolling } from "./fenceposts.js";
import { DEPLOYMENT, DeploymentSync } from "./deployment-sync.js";

const SET = { apiVersion: "apps/v1", kind: "ReplicaSet" } as const;

/** Rolls Deployments out: one ReplicaSet for each template that a Deployment has had, grown and shrunk step by step. */
export function deploymentController(context: ControllerContext): void {
  const { release, client, manager, clock } = context;
  const recorder = context.recorder({ component: "deployment-controller" });
  const deployments = manager.informers.of(DEPLOYMENT.apiVersion, DEPLOYMENT.kind);
  const setInformer = manager.informers.of(SET.apiVersion, SET.kind);
  const sets = controlledObjects(setInformer);
  const podInformer = manager.informers.of("v1", "Pod");
  const pods = controlledObjects(podInformer);

  async function reconcile(namespace: string, name: string, deployment: Deployment): Promise<ReconcileResult> {
    const selector = readSelector(deployment.spec?.selector);
    if (selector === undefined) return;
    const objects = client.of(DEPLOYMENT.apiVersion, DEPLOYMENT.kind).namespace(namespace);
    const setClient = client.of(SET.apiVersion, SET.kind).namespace(namespace);
    const sync = new DeploymentSync(deployment, {
      deployments: objects,
      sets: setClient,
      recorder,
      clock,
      release,
    });
    if (selector.empty) return sync.refuseToSelectEverything();
    const claimed = await claim(sets.candidates(deployment), {
      objects: setClient,
      owner: deployment,
      ownerKind: DEPLOYMENT,
      readOwner: () => objects.get(name),
      selector,
    });
    return sync.run(claimed, (set) => pods.controlledBy(set.metadata?.uid ?? ""));
  }

  const controller = manager
    .controllerFor(DEPLOYMENT.apiVersion, DEPLOYMENT.kind)
    .named("deployment-controller")
    .workers(5)
    .owns(SET.apiVersion, SET.kind)
    .watches(SET.apiVersion, SET.kind, adopters)
    .reads("v1", "Pod")
    .reconcile(async ({ namespace, name, object }) => {
      if (object === undefined) return;
      try {
        return await reconcile(namespace, name, object);
      } catch (error) {
        // The cache was behind: the newer object reconciles the Deployment again.
        if (!isConflict(error) && !isNotFound(error)) throw error;
      }
    });

  /** The Deployments that may adopt a set without a controller. */
  function* adopters(set: ReplicaSet): Generator<{ namespace: string; name: string }> {
    if (controllerOf(set) !== undefined) return;
    for (const one of deployments.lister.namespace(set.metadata?.namespace ?? "").list()) {
      const { namespace = "", name } = one.metadata ?? {};
      if (readSelector(one.spec?.selector)?.matches(set.metadata?.labels) === true) yield { namespace, name };
    }
  }

  podInformer.addHandler({
    deleted(pod: Pod) {
      const set = managerIn(setInformer.lister, SET, pod);
      const deployment = set === undefined ? undefined : managerIn(deployments.lister, DEPLOYMENT, set);
      // One that recreates its pods waits until the last old one is gone.
      if (deployment !== undefined && !isRolling(deployment)) controller.enqueue(objectKey(deployment));
    },
  });
}
