import type { Pod } from "../../api/types/core/v1.js";
import { isPodOver } from "../../api/volumes/claims.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { protection } from "../volume-protection/volume-protection.js";
import { whereServed } from "../served-resources.js";

const FINALIZER = "scheduling.k8s.io/podgroup-protection";
/** The index of pods that are not over by the PodGroup that they belong to. */
const INDEX = "pod-group";

/** Adds a finalizer to PodGroups with pods, and removes it from one that is being deleted once none of its pods runs. */
export const podGroupProtection = whereServed(
  ["scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1alpha2"],
  ({ client, manager }: ControllerContext, groupVersion): void => {
    // Of either version the metadata is all that counts.
    const kind = [groupVersion as "scheduling.k8s.io/v1beta1", "PodGroup"] as const;
    const pods = manager.informers.of("v1", "Pod");
    pods.addIndexers({ [INDEX]: (pod: Pod) => (isPodOver(pod) ? [] : groupsOf(pod).map(keyOf)) });
    manager
      .controllerFor(...kind)
      .named("podgroup-protection-controller")
      .watches("v1", "Pod", groupsOf)
      .reconcile(async ({ namespace, name, object: group }) => {
        const due = group === undefined ? "none" : protection(FINALIZER, group);
        if (group === undefined || due === "none") return;
        const isUsed = pods.cache.indexKeys(INDEX, keyOf({ namespace, name })).length > 0;
        if (isUsed !== (due === "add")) return;
        const { finalizers: before = [] } = group.metadata ?? {};
        const finalizers = due === "add" ? [...before, FINALIZER] : before.filter((one) => one !== FINALIZER);
        try {
          const groups = client.of(...kind).namespace(namespace);
          await groups.update({ ...group, metadata: { ...group.metadata, finalizers } });
        } catch (error) {
          // Deleted, or changed since the cache saw it: the change reconciles the object again.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        }
      });
  },
);

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const keyOf = ({ namespace, name }: Key): string => `${namespace}/${name}`;

function groupsOf({ metadata, spec }: Pod): Key[] {
  const name = spec?.schedulingGroup?.podGroupName ?? "";
  return name === "" ? [] : [{ namespace: metadata?.namespace ?? "", name }];
}
