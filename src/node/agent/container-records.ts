import type { Container, EphemeralContainer, Pod } from "../../api/types/core/v1.js";
import { number, object, objects, type Received, type ReceivedObject, text } from "../../machinery/meta/received.js";
import { type ContainerKind, ContainerRecord } from "./container-record.js";

/** The fields of a pod's spec and of its status that have the containers of a kind. */
const FIELDS = {
  init: ["initContainers", "initContainerStatuses"],
  main: ["containers", "containerStatuses"],
  ephemeral: ["ephemeralContainers", "ephemeralContainerStatuses"],
} as const;

/** The containers of a kind, each waiting for `reason`. `runtimeVersion` is as a runtime shows it: "containerd://2.1.4". */
export const containerRecords = (
  pod: ReceivedObject<Pod>,
  kind: ContainerKind,
  reason: string,
  runtimeVersion: string,
): readonly ContainerRecord[] =>
  objects(object(pod.spec)[FIELDS[kind][0]]).map((spec) => containerRecord(pod, spec, kind, reason, runtimeVersion));

/** One of them. After a restart of the node the containers of the pod are new ones. */
export function containerRecord(
  pod: ReceivedObject<Pod>,
  spec: Received<Container | EphemeralContainer>,
  kind: ContainerKind,
  reason: string,
  runtimeVersion: string,
): ContainerRecord {
  const record = new ContainerRecord(spec, kind, reason, runtimeVersion.replace(/\/\/.*$/, "//"));
  const known = objects(object(pod.status)[FIELDS[kind][1]]).find((one) => text(one.name) === record.name);
  if (known !== undefined && text(known.containerID) !== "") record.restartCount = number(known.restartCount) + 1;
  return record;
}
