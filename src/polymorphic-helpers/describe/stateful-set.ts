import type { StatefulSetUpdateStrategy } from "../../api/types/apps/v1.js";
import { absent, isStruct, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { describeClaimTemplates } from "./claim.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { scalar, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { podsStatus } from "./workload-status.js";
import { describePodTemplate } from "./pod-template.js";

export const describeStatefulSet: Describer = async (namespace, name, description, context) => {
  const set = await context.reader.get("apps/v1/StatefulSet", namespace, name);
  const [spec, status] = [object(set.spec), object(set.status)];
  const selector = selectorFromObject(spec.selector);
  const pods = await podsStatus(set, selector, context);
  const events = await eventsOf(set, "StatefulSet", context);
  describeName(description, set);
  description.write(0, `CreationTimestamp:\t${dateText(set.metadata?.creationTimestamp)}\n`);
  description.write(0, `Selector:\t${selector.toString()}\n`);
  describeLabelsAndAnnotations(description, set);
  if (text(spec.serviceName) !== "") description.write(0, `Service Name:\t${text(spec.serviceName)}\n`);
  const management = text(spec.podManagementPolicy);
  if (management !== "") description.write(0, `Pod Management Policy:\t${management}\n`);
  description.write(0, `Replicas:\t${whole(spec.replicas)} desired | ${whole(status.replicas)} total\n`);
  describeStrategy(description, object(spec.updateStrategy));
  const retention = spec.persistentVolumeClaimRetentionPolicy;
  if (isStruct(retention)) {
    description.write(0, "Persistent Volume Claim Retention Policy:\n");
    description.write(1, `WhenDeleted:\t${text(retention.whenDeleted)}\n`);
    description.write(1, `WhenScaled:\t${text(retention.whenScaled)}\n`);
  }
  description.write(0, `Pods Status:\t${pods}\n`);
  describePodTemplate(description, spec.template);
  describeClaimTemplates(description, objects(spec.volumeClaimTemplates));
  describeEvents(description, events, context);
};

/** Without a partition, kubectl does not show how many may be unavailable. */
function describeStrategy(
  description: Description,
  { type, rollingUpdate }: Received<StatefulSetUpdateStrategy>,
): void {
  description.write(0, `Update Strategy:\t${text(type)}\n`);
  if (!isStruct(rollingUpdate)) return;
  const { partition, maxUnavailable } = rollingUpdate;
  if (absent(partition)) return;
  description.write(1, `Partition:\t${whole(partition)}\n`);
  if (!absent(maxUnavailable)) description.write(1, `MaxUnavailable:\t${scalar(maxUnavailable)}\n`);
}
