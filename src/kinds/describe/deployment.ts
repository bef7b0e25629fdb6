import { isFields, object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../../machinery/validation/labels.js";
import { byCreation, equalTemplates, ownedBy, templateOf } from "../rollout/history.js";
import { describeReasons } from "./conditions.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { scalar, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./heading.js";
import { describePodTemplate } from "./pod-template.js";

const DEPLOYMENTS = { group: "apps", version: "v1", resource: "deployments" };

export const describeDeployment: Describer = async (namespace, name, description, context) => {
  const deployment = await context.reader.get(DEPLOYMENTS, namespace, name);
  const events = await eventsOf(deployment, "Deployment", context);
  const sets = await replicaSetsOf(deployment, context);
  const [spec, status] = [object(deployment.spec), object(deployment.status)];
  const strategy = object(spec.strategy);
  const selector = selectorFromObject(spec.selector as LabelSelectorObject | undefined);
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
  if (isFields(rollingUpdate)) {
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
async function replicaSetsOf(deployment: KubeObject, { reader }: DescribeContext): Promise<readonly KubeObject[]> {
  try {
    return (await ownedBy(deployment, reader, "replicasets")).toSorted(byCreation);
  } catch {
    return [];
  }
}

function replicaSetsText(sets: readonly KubeObject[]): string {
  const texts = sets.map(
    ({ metadata, spec, status }) =>
      `${metadata?.name ?? ""} (${whole(object(status).replicas)}/${whole(object(spec).replicas)} replicas created)`,
  );
  return texts.length === 0 ? "<none>" : texts.join(", ");
}
