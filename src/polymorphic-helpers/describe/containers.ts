import type {
  Container,
  ContainerPort,
  ContainerStatus,
  EphemeralContainer,
  ResourceRequirements,
  ContainerState,
  HTTPGetAction,
  Probe,
} from "../../api/types/core/v1.js";
import { isStruct, list, number, object, objects, type Received, text, absent } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import { describeEnvironment, describeEnvironmentSources, type FieldValue } from "./environment.js";
import { flag, order, scalar, sortedBy, titleFlag, whole, slice } from "./go-fields.js";
import { goQuote } from "../../base/text/go-quote.js";
import { dateText } from "./dates.js";

type AnyContainer = Container | EphemeralContainer;

export interface ContainersWhat {
  /** "Containers", "Init Containers", ... */
  readonly label: string;
  readonly containers: Received<AnyContainer[]> | null | undefined;
  /** What is known of them, by name; none in a template. */
  readonly statuses?: Received<ContainerStatus[]> | null | undefined;
  readonly fieldValue?: FieldValue;
  /** The name of the list is further in, and then the names of its containers by one space. */
  readonly indent?: string;
}

export function describeContainers(description: DescriptionWriter, what: ContainersWhat): void {
  const { label, statuses, fieldValue, indent = "" } = what;
  const containers = objects(what.containers);
  const byName = new Map(objects(statuses).map((status) => [text(status.name), status]));
  description.write(0, `${indent}${label}:${containers.length === 0 ? " <none>" : ""}\n`);
  for (const container of containers) {
    const name = text(container.name);
    const status = byName.get(name);
    description.write(1, `${indent === "" ? "" : " "}${name}:\n`);
    describeImageAndPorts(description, container, status);
    describeLines(description, "Command", container.command);
    describeLines(description, "Args", container.args);
    if (status !== undefined) describeContainerState(description, status);
    describeResources(description, 2, container.resources);
    describeProbes(description, container);
    describeEnvironmentSources(description, container);
    describeEnvironment(description, container, fieldValue);
    describeMounts(description, container);
  }
}

function describeImageAndPorts(
  description: DescriptionWriter,
  container: Received<AnyContainer>,
  status: Received<ContainerStatus> | undefined,
): void {
  if (status !== undefined) description.write(2, `Container ID:\t${text(status.containerID)}\n`);
  description.write(2, `Image:\t${text(container.image)}\n`);
  if (status !== undefined) description.write(2, `Image ID:\t${text(status.imageID)}\n`);
  for (const [title, field] of [
    ["Port", "containerPort"],
    ["Host Port", "hostPort"],
  ] as const) {
    const ports = objects(container.ports).map((port) => portText(port, field));
    const listed = ports.join(", ");
    if (listed.includes(",")) description.write(2, `${title}s:\t${listed}\n`);
    else description.write(2, `${title}:\t${listed === "" ? "<none>" : listed}\n`);
  }
  const profile = object(container.securityContext).seccompProfile;
  if (isStruct(profile)) {
    description.write(2, `SeccompProfile:\t${text(profile.type)}\n`);
    if (profile.type === "Localhost") description.write(3, `LocalhostProfile:\t${text(profile.localhostProfile)}\n`);
  }
}

function portText(port: Received<ContainerPort>, field: "containerPort" | "hostPort"): string {
  const name = text(port.name);
  return `${number(port[field])}/${text(port.protocol)}${name === "" ? "" : ` (${name})`}`;
}

/** Each word on a line of its own, a word of several lines on several. */
function describeLines(
  description: DescriptionWriter,
  title: string,
  words: Received<string[]> | null | undefined,
): void {
  if (list(words).length === 0) return;
  description.write(2, `${title}:\n`);
  for (const word of list(words)) {
    for (const line of text(word).split("\n")) description.write(3, `${line}\n`);
  }
}

export function describeResources(
  description: DescriptionWriter,
  level: number,
  resources: Received<ResourceRequirements> | null | undefined,
): void {
  for (const [title, field] of [
    ["Limits", "limits"],
    ["Requests", "requests"],
  ] as const) {
    const amounts = Object.entries(object(object(resources)[field])).sort(([a], [b]) => order(a, b));
    if (amounts.length > 0) description.write(level, `${title}:\n`);
    for (const [name, amount] of amounts) description.write(level + 1, `${name}:\t${scalar(amount)}\n`);
  }
}

function describeProbes(description: DescriptionWriter, container: Received<AnyContainer>): void {
  for (const [title, field] of [
    ["Liveness", "livenessProbe"],
    ["Readiness", "readinessProbe"],
    ["Startup", "startupProbe"],
  ] as const) {
    const probe = container[field];
    if (isStruct(probe)) description.write(2, `${title}:\t${probeText(probe)}\n`);
  }
}

function describeMounts(description: DescriptionWriter, container: Received<AnyContainer>): void {
  const mounts = sortedBy(container.volumeMounts, ({ mountPath }) => text(mountPath));
  const none = mounts.length === 0 ? "\t<none>" : "";
  description.write(2, `Mounts:${none}\n`);
  for (const mount of mounts) {
    const access = flag(mount.readOnly) === "true" ? "ro" : "rw";
    const path = text(mount.subPath) === "" ? "" : `,path=${goQuote(text(mount.subPath))}`;
    description.write(3, `${text(mount.mountPath)} from ${text(mount.name)} (${access}${path})\n`);
  }
  const devices = sortedBy(container.volumeDevices, ({ devicePath }) => text(devicePath));
  if (devices.length === 0) return;
  description.write(2, `Devices:${none}\n`);
  for (const device of devices) description.write(3, `${text(device.devicePath)} from ${text(device.name)}\n`);
}

/** What a container is doing, how it ended last, how often it was started again. */
function describeContainerState(description: DescriptionWriter, status: Received<ContainerStatus>): void {
  describeState(description, "State", object(status.state));
  const last = object(status.lastState);
  if (isStruct(last.terminated)) describeState(description, "Last State", last);
  description.write(2, `Ready:\t${titleFlag(status.ready)}\n`);
  description.write(2, `Restart Count:\t${whole(status.restartCount)}\n`);
}

function describeState(description: DescriptionWriter, title: string, state: Received<ContainerState>): void {
  const { running, waiting, terminated } = state;
  if (isStruct(running)) {
    description.write(2, `${title}:\tRunning\n`);
    description.write(3, `Started:\t${dateText(running.startedAt)}\n`);
  } else if (isStruct(waiting) || !isStruct(terminated)) {
    description.write(2, `${title}:\tWaiting\n`);
    const reason = text(object(waiting).reason);
    if (reason !== "") description.write(3, `Reason:\t${reason}\n`);
  } else {
    description.write(2, `${title}:\tTerminated\n`);
    if (text(terminated.reason) !== "") description.write(3, `Reason:\t${text(terminated.reason)}\n`);
    if (text(terminated.message) !== "") description.write(3, `Message:\t${text(terminated.message)}\n`);
    description.write(3, `Exit Code:\t${whole(terminated.exitCode)}\n`);
    if (number(terminated.signal) > 0) description.write(3, `Signal:\t${whole(terminated.signal)}\n`);
    description.write(3, `Started:\t${dateText(terminated.startedAt)}\n`);
    description.write(3, `Finished:\t${dateText(terminated.finishedAt)}\n`);
  }
}

/** "http-get http://:8080/ready delay=0s timeout=1s period=10s successThreshold=1 failureThreshold=3" */
function probeText(probe: Received<Probe>): string {
  const times = `delay=${whole(probe.initialDelaySeconds)}s timeout=${whole(probe.timeoutSeconds)}s period=${whole(probe.periodSeconds)}s`;
  const counts = `successThreshold=${whole(probe.successThreshold)} failureThreshold=${whole(probe.failureThreshold)}`;
  return `${targetText(probe)} ${times} ${counts}`;
}

function targetText({ exec, httpGet, tcpSocket, grpc }: Received<Probe>): string {
  if (!absent(exec)) return `exec ${slice(list(object(exec).command))}`;
  if (!absent(httpGet)) return `http-get ${urlText(object(httpGet))}`;
  if (!absent(tcpSocket)) {
    const { host, port } = object(tcpSocket);
    return `tcp-socket ${text(host)}:${scalar(port)}`;
  }
  if (!absent(grpc)) return `grpc <pod>:${number(object(grpc).port)} ${text(object(grpc).service)}`;
  return "unknown";
}

/** As Go writes the address: a host without a name is left out, a path escaped. */
function urlText({ scheme, host, port, path }: Received<HTTPGetAction>): string {
  const [name, portText] = [text(host), scalar(port)];
  const bracketed = /[:%]/.test(name) ? `[${name}]` : name;
  const authority = portText === "" ? name : `${bracketed}:${portText}`;
  const escaped = escapePath(text(path));
  const slash = escaped !== "" && !escaped.startsWith("/") && authority !== "" ? "/" : "";
  return `${text(scheme).toLowerCase()}://${authority}${slash}${escaped}`;
}

const escapePath = (path: string): string =>
  path === "*" ? path : path.replaceAll(/[^A-Za-z0-9\-_.~$&+,/:;=@]+/gu, percentEncoded);

const percentEncoded = (characters: string): string =>
  [...new TextEncoder().encode(characters)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
