import type { PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import { object, objects, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { describeClaim } from "./claim.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { order } from "./go-fields.js";
import { describeColumn } from "./scheduling.js";

export const describePersistentVolumeClaim: Describer = async (namespace, name, description, context) => {
  const claim = await context.reader.get("v1/PersistentVolumeClaim", namespace, name);
  const pods = await context.reader.list("v1/Pod", claim.metadata?.namespace ?? "");
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
function usersOf({ metadata }: ReceivedObject<PersistentVolumeClaim>, pods: readonly ReceivedObject<Pod>[]): string[] {
  const users = pods.flatMap((pod) =>
    objects(object(pod.spec).volumes)
      .filter((volume) => text(object(volume.persistentVolumeClaim).claimName) === metadata?.name)
      .map(() => pod),
  );
  for (const { kind, uid } of objects(metadata?.ownerReferences)) {
    const owner = kind === "Pod" ? pods.find((pod) => pod.metadata?.uid === uid) : undefined;
    if (owner !== undefined && !users.includes(owner)) users.push(owner);
  }
  return users.map((pod) => pod.metadata?.name ?? "");
}
