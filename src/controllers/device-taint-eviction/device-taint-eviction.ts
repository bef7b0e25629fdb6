import type { Pod, PodCondition } from "../../api/types/core/v1.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatTime } from "../../machinery/meta/time.js";
import type { ControllerContext } from "../context.js";
import { isPodDone, namesOfClaims } from "../resource-claim/pod-claims.js";
import { evictionTime, taintsIn } from "./device-taints.js";

const NAME = "device-taint-eviction-controller";

/** Deletes pods whose devices got a NoExecute taint that their claims do not tolerate. Only slices taint devices here. */
export function deviceTaintEviction(context: ControllerContext): void {
  const { client, manager, clock } = context;
  const claims = manager.informers.of("resource.k8s.io/v1", "ResourceClaim");
  const slices = manager.informers.of("resource.k8s.io/v1", "ResourceSlice");
  const recorder = context.recorder({ component: NAME });
  const users = (all: Iterable<{ status?: { reservedFor?: { name: string }[] }; metadata?: { namespace?: string } }>) =>
    [...all].flatMap(({ metadata, status }) =>
      (status?.reservedFor ?? []).map(({ name }) => ({ namespace: metadata?.namespace ?? "", name })),
    );

  manager
    .controllerFor("v1", "Pod", { when: ({ spec }) => (spec?.resourceClaims ?? []).length > 0 })
    .named(NAME)
    .watches("resource.k8s.io/v1", "ResourceClaim", (claim) => users([claim]))
    .watches("resource.k8s.io/v1", "ResourceSlice", () => users(claims.cache.values()))
    .reconcile(async ({ namespace, object: pod }) => {
      if (pod === undefined || isPodDone(pod)) return;
      const used = namesOfClaims(pod).flatMap((name) => claims.cache.get(`${namespace}/${name}`) ?? []);
      if (used.length === 0) return;
      const now = clock.now();
      const due = evictionTime(pod, used, taintsIn([...slices.cache.values()]), now);
      if (due === undefined) return;
      if (due > now) return { requeueAfterMilliseconds: due - now };
      await evict(pod);
    });

  async function evict(pod: Pod): Promise<void> {
    const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
    const pods = client.of("v1", "Pod").namespace(namespace);
    recorder.event(pod, "Normal", "DeviceTaintManagerEviction", "Marking for deletion");
    const condition: PodCondition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "DeletionByDeviceTaintManager",
      message: "Device Taint manager: deleting due to NoExecute taint",
      lastTransitionTime: formatTime(clock.now()),
    };
    try {
      await pods.patchStatus(name, { metadata: { uid }, status: { conditions: [condition] } }, { type: "strategic" });
      await pods.delete(name, { preconditions: { uid } });
    } catch (error) {
      // Gone, or another pod of the name.
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}
