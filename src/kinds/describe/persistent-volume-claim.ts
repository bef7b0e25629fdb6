import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { describeClaim } from "./claim.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { order } from "./go-fields.js";
import { PODS } from "./owned-pods.js";
import { describeColumn } from "./scheduling.js";

const CLAIMS = { group: "", version: "v1", resource: "persistentvolumeclaims" };

export const describePersistentVolumeClaim: Describer = async (namespace, name, description, context) => {
  const claim = await context.reader.get(CLAIMS, namespace, name);
  const pods = await context.reader.list(PODS, claim.metadata?.namespace ?? "");
  const events = await eventsOf(claim, "PersistentVolumeClaim", context);
  describeClaim(description, claim, context.now);
  describeColumn(description, "Used By", usersOf(claim, pods).sort(order));
  const conditions = objects(object(claim.status).conditions);
  if (conditions.length > 0) {
    description.write(0, "Conditions:\n");
    description.write(1, "Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage\n");
    description.write(1, "----\t------\t-----------------\t------------------\t------\t-------\n");
  }
  for (const { type, status, lastProbeTime, lastTransitionTime, reason, message } of conditions) {
    const cells = [text(type), text(status), dateText(lastProbeTime), dateText(lastTransitionTime), text(reason)];
    // The spaces are kubectl's own.
    description.write(1, `${cells.join(" \t")} \t${text(message)}\n`);
  }
  describeEvents(description, events, context);
};

/** The pods that mount a claim, once for each mount, and those that it was made for. */
function usersOf({ metadata = {} }: KubeObject, pods: readonly KubeObject[]): string[] {
  const users = pods.flatMap((pod) =>
    objects(object(pod.spec).volumes)
      .filter((volume) => text(object(volume.persistentVolumeClaim).claimName) === metadata.name)
      .map(() => pod),
  );
  for (const { kind, uid } of metadata.ownerReferences ?? []) {
    const owner = kind === "Pod" ? pods.find((pod) => pod.metadata?.uid === uid) : undefined;
    if (owner !== undefined && !users.includes(owner)) users.push(owner);
  }
  return users.map((pod) => pod.metadata?.name ?? "");
}
