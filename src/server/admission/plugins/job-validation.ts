import type { PodGroup } from "../../../api/types/scheduling/v1beta1.js";
import type { Job } from "../../../api/types/batch/v1.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { absent, object, objects as objectsOf, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { handling, type AdmissionContext, type AdmissionPlugin } from "../plugin.js";
import { refused } from "../attributes.js";
import { SCHEDULING } from "./pod-groups.js";

/**
 * Keeps the parallelism of a Job whose pods are scheduled as a gang. It has nothing to do while there are no PodGroups, as in a
 * server that does not serve them.
 */
export const jobValidation: AdmissionPlugin = {
  name: "JobValidation",
  handles: handling(["UPDATE"], "jobs.batch"),
  idle: ({ objects }) => objects.cached.now(SCHEDULING, "podgroups")?.length === 0,
  validate(attributes, context) {
    const job: ReceivedObject<Job> | undefined = attributes.object;
    const old: ReceivedObject<Job> | undefined = attributes.oldObject;
    if (job === undefined || old === undefined) return;
    if (object(job.spec).parallelism === object(old.spec).parallelism) return;
    return groupsOf(old, context).then((groups) => {
      const gang = groups.find(isGang);
      if (gang === undefined) return;
      const named = goQuote(text(gang.metadata?.name));
      throw refused(attributes, `cannot change parallelism for a Job referencing gang-scheduled PodGroup ${named}`);
    });
  },
};

const isGang = (group: ReceivedObject<PodGroup>): boolean => !absent(object(object(group.spec).schedulingPolicy).gang);

/** The group that the Job's pods name; where they name none, those that the Job controls. */
async function groupsOf(
  job: ReceivedObject<Job>,
  { objects }: AdmissionContext,
): Promise<readonly ReceivedObject<PodGroup>[]> {
  const { namespace = "", uid } = job.metadata ?? {};
  const { podGroupName } = object(object(object(object(job.spec).template).spec).schedulingGroup);
  if (!absent(podGroupName)) {
    const group = await objects.cached.get(SCHEDULING, "podgroups", namespace, text(podGroupName));
    return group === undefined ? [] : [group];
  }
  const groups = await objects.cached.list(SCHEDULING, "podgroups", namespace);
  return groups.filter(({ metadata }) =>
    objectsOf(metadata?.ownerReferences).some((owner) => owner.controller === true && owner.uid === uid),
  );
}
