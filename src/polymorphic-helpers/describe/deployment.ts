import type { Deployment, ReplicaSet } from "../../api/types/apps/v1.js";
import { isStruct, object, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { byCreation, equalTemplates, ownedBy, templateOf } from "../rollout/history.js";
import { describeReasons } from "./workload-status.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { scalar, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { describePodTemplate } from "./pod-template.js";

export const describeDeployment: Describer = async (namespace, name, description, context) => {
  const deployment = await context.reader.get("apps/v1/Deployment", namespace, name);
  const events = await eventsOf(deployment, "Deployment", context);
  const sets = await replicaSetsOf(deployment, context);
  const [spec, status] = [object(deployment.spec), object(deployment.status)];
  const strategy = object(spec.strategy);
  const selector = selectorFromObject(spec.selector);
  describeName(description, deployment);
  description.write(0, `CreationTimestamp:\t${dateText(deployment.metadata?.creationTimestamp)}\n`);
  describeLabelsAndAnnotations(description, deployment);
  description.write(0, `Selector:\t${selector.toString()}\n`);
  const counts = [
    `${whole(spec.replicas)} desired`,
    `${whole(status.updatedReplicas)} updated`,
    `${whole(status.replicas)} total`,
    `${whole(status.availableReplicas)} available`,
    `${whole(status.unavailableReplicas)} unavailable`,
  ];
  description.write(0, `Replicas:\t${counts.join(" | ")}\n`);
  description.write(0, `StrategyType:\t${text(strategy.type)}\n`);
  description.write(0, `MinReadySeconds:\t${whole(spec.minReadySeconds)}\n`);
  const { rollingUpdate } = strategy;
  if (isStruct(rollingUpdate)) {
    const { maxUnavailable, maxSurge } = rollingUpdate;
    const bounds = `${scalar(maxUnavailable, "<nil>")} max unavailable, ${scalar(maxSurge, "<nil>")} max surge`;
    description.write(0, `RollingUpdateStrategy:\t${bounds}\n`);
  }
  describePodTemplate(description, spec.template);
  describeReasons(description, status.conditions);
  if (sets.length > 0) {
    const newest = sets.find((set) => equalTemplates(templateOf(set), templateOf(deployment)));
    description.write(0, `OldReplicaSets:\t${replicaSetsText(sets.filter((set) => set !== newest))}\n`);
    description.write(0, `NewReplicaSet:\t${replicaSetsText(newest === undefined ? [] : [newest])}\n`);
  }
  describeEvents(description, events, context);
};

/** The oldest first; none where they cannot be read. */
async function replicaSetsOf(
  deployment: ReceivedObject<Deployment>,
  { reader }: DescribeContext,
): Promise<readonly ReceivedObject<ReplicaSet>[]> {
  try {
    return (await ownedBy(deployment, reader, "apps/v1/ReplicaSet")).toSorted(byCreation);
  } catch {
    return [];
  }
}

function replicaSetsText(sets: readonly ReceivedObject<ReplicaSet>[]): string {
  const texts = sets.map(
    ({ metadata, spec, status }) =>
      `${metadata?.name ?? ""} (${whole(object(status).replicas)}/${whole(object(spec).replicas)} replicas created)`,
  );
  return texts.length === 0 ? "<none>" : texts.join(", ");
}
