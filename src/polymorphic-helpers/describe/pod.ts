import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import type { Pod, PodSpec, PodStatus } from "../../api/types/core/v1.js";
import {
  type FieldsOf,
  absent,
  isStruct,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { qosClass } from "../../api/pods/qos-class.js";
import { describeContainers, describeResources } from "./containers.js";
import { dateText } from "./dates.js";
import type { DescribeContext, Describer } from "./describer.js";
import type { Description } from "./description.js";
import type { FieldValue } from "./environment.js";
import { describeEvents, eventsOf, since } from "./events.js";
import { texts, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName, describeLabels } from "./labels.js";
import { controllerText } from "./workload-status.js";
import { describeSchedulingGroup, describeTolerations, describeTopologySpread } from "./scheduling.js";
import { describeVolumes } from "./volumes.js";

/** What a pod of a file on a node is known by to the kubelet that runs it: its events are about that uid. */
const MIRROR = "kubernetes.io/config.mirror";

export const describePod: Describer = async (namespace, name, description, context) => {
  const pod = await context.reader.get("v1/Pod", namespace, name);
  const mirrored = pod.metadata?.annotations?.[MIRROR];
  const known =
    mirrored === undefined
      ? pod
      : ({
          ...pod,
          metadata: { ...pod.metadata, uid: mirrored } satisfies FieldsOf<ObjectMeta>,
        } satisfies FieldsOf<ApiObject>);
  const events = await eventsOf(known, "", context);
  const [spec, status] = [object(pod.spec), object(pod.status)];
  describePlace(description, pod, spec, status);
  describeState(description, pod, context);
  if (isStruct(spec.resources)) {
    description.write(0, "Resources:\n");
    describeResources(description, 1, spec.resources);
  }
  describeAllContainers(description, pod, spec, status);
  describeConditions(description, spec, status);
  describeVolumes(description, spec.volumes);
  description.write(0, `QoS Class:\t${text(status.qosClass) || qosClass(spec)}\n`);
  describeLabels(description, "Node-Selectors", texts(spec.nodeSelector));
  describeTolerations(description, "Tolerations", spec.tolerations);
  describeTopologySpread(description, spec.topologySpreadConstraints);
  describeSchedulingGroup(description, spec.schedulingGroup);
  describeEvents(description, events, context);
};

/** Who it is, and where it runs. */
function describePlace(
  description: Description,
  pod: ReceivedObject<Pod>,
  spec: Received<PodSpec>,
  status: Received<PodStatus>,
): void {
  describeName(description, pod);
  if (!absent(spec.priority)) description.write(0, `Priority:\t${whole(spec.priority)}\n`);
  for (const [title, field] of [
    ["Priority Class Name", "priorityClassName"],
    ["Runtime Class Name", "runtimeClassName"],
    ["Service Account", "serviceAccountName"],
  ] as const) {
    if (text(spec[field]) !== "") description.write(0, `${title}:\t${text(spec[field])}\n`);
  }
  const node = text(spec.nodeName);
  description.write(0, `Node:\t${node === "" ? "<none>" : `${node}/${text(status.hostIP)}`}\n`);
  if (!absent(status.startTime)) description.write(0, `Start Time:\t${dateText(status.startTime)}\n`);
  describeLabelsAndAnnotations(description, pod);
}

/** How far it has come, and how it can be reached. */
function describeState(description: Description, pod: ReceivedObject<Pod>, { now }: DescribeContext): void {
  const [{ deletionTimestamp, deletionGracePeriodSeconds }, status] = [object(pod.metadata), object(pod.status)];
  const phase = text(status.phase);
  if (!absent(deletionTimestamp) && phase !== "Failed" && phase !== "Succeeded") {
    description.write(0, `Status:\tTerminating (lasts ${since(deletionTimestamp, now)})\n`);
    description.write(0, `Termination Grace Period:\t${whole(deletionGracePeriodSeconds)}s\n`);
  } else description.write(0, `Status:\t${phase}\n`);
  if (text(status.reason) !== "") description.write(0, `Reason:\t${text(status.reason)}\n`);
  if (text(status.message) !== "") description.write(0, `Message:\t${text(status.message)}\n`);
  const profile = object(object(pod.spec).securityContext).seccompProfile;
  if (isStruct(profile)) {
    description.write(0, `SeccompProfile:\t${text(profile.type)}\n`);
    if (profile.type === "Localhost") description.write(0, `LocalhostProfile:\t${text(profile.localhostProfile)}\n`);
  }
  description.write(0, `IP:\t${text(status.podIP)}\n`);
  const addresses = objects(status.podIPs);
  description.write(0, `IPs:${addresses.length === 0 ? "\t<none>" : ""}\n`);
  for (const { ip } of addresses) description.write(1, `IP:\t${text(ip)}\n`);
  const controller = controllerText(pod);
  if (controller !== undefined) description.write(0, `Controlled By:\t${controller}\n`);
  const nominated = text(status.nominatedNodeName);
  if (nominated !== "") description.write(0, `NominatedNodeName:\t${nominated}\n`);
}

function describeAllContainers(
  description: Description,
  { metadata }: ReceivedObject<Pod>,
  spec: Received<PodSpec>,
  status: Received<PodStatus>,
): void {
  // kubectl knows no other fields by name; a cluster's own version is the only one.
  const known: Readonly<Record<string, string | undefined>> = {
    "metadata.name": metadata?.name,
    "metadata.namespace": metadata?.namespace,
  };
  const fieldValue: FieldValue = ({ fieldPath }) => known[text(fieldPath)] ?? "";
  for (const [label, containers, statuses] of [
    ["Init Containers", spec.initContainers, status.initContainerStatuses],
    ["Containers", spec.containers, status.containerStatuses],
    ["Ephemeral Containers", spec.ephemeralContainers, status.ephemeralContainerStatuses],
  ] as const) {
    if (label !== "Containers" && objects(containers).length === 0) continue;
    describeContainers(description, { label, containers, statuses, fieldValue });
  }
}

function describeConditions(description: Description, spec: Received<PodSpec>, status: Received<PodStatus>): void {
  const conditions = objects(status.conditions);
  const table = (
    title: string,
    rows: readonly (readonly [type: OrAbsent<string>, status: OrAbsent<string>])[],
  ): void => {
    if (rows.length === 0) return;
    description.write(0, `${title}:\n  Type\tStatus\n`);
    for (const [type, state] of rows) description.write(1, `${text(type)} \t${text(state)} \n`);
  };
  table(
    "Readiness Gates",
    objects(spec.readinessGates).map(({ conditionType }) => {
      const met = conditions.find(({ type }) => type === conditionType);
      return [conditionType, met === undefined ? "<none>" : met.status];
    }),
  );
  table(
    "Conditions",
    conditions.map(({ type, status: state }) => [type, state]),
  );
}
