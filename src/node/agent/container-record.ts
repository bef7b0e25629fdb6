import type {
  Container,
  ContainerStateTerminated,
  ContainerStateWaiting,
  ContainerStatus,
  EphemeralContainer,
  VolumeMount,
  VolumeMountStatus,
  Pod,
} from "../../api/types/core/v1.js";
import {
  type FieldsOf,
  absent,
  object,
  objects,
  type Received,
  text,
  number,
  type ReceivedObject,
} from "../../machinery/meta/received.js";
import { formatTime } from "../../machinery/meta/time.js";
import type { ContainerExit, StartedContainer } from "../container-runtime.js";
import { RestartBackoff } from "./restart-backoff.js";

type ContainerKind = "init" | "main" | "ephemeral";

/** A container's state, as its status has it. */
export type ContainerState =
  | { readonly waiting: { readonly reason: string; readonly message?: string } }
  | { readonly running: { readonly startedAt: string } }
  | { readonly terminated: Received<ContainerStateTerminated> & { readonly exitCode: number } };

const REMOVED = {
  reason: "RestartingAllContainers",
  message: "The container is removed because RestartAllContainers in place",
} satisfies FieldsOf<ContainerStateTerminated>;

/** The state of one container of a pod, as the agent tracks it. */
export class ContainerRecord {
  state: ContainerState;
  /** How it ended before. */
  last: ContainerState | undefined;
  restartCount = 0;
  id = "";
  imageId = "";
  ready = false;
  /** It runs, its postStart hook is done and its startup probe has succeeded. */
  hasStarted = false;
  running: StartedContainer | undefined;
  /** It runs again when it has ended, whatever its policy is: its spec has changed. */
  mustRestart = false;
  backoff = new RestartBackoff();
  /** Without a scheme: the container before this one, whose log is kept. */
  previousId = "";

  constructor(
    /** As it is to run from its next start on. */
    public spec: Received<Container | EphemeralContainer>,
    readonly kind: ContainerKind,
    reason: string,
    private readonly scheme: string,
  ) {
    this.state = { waiting: { reason } };
  }

  get name(): string {
    return text(this.spec.name);
  }

  /** The part of the pod that its events are about. */
  get fieldPath(): string {
    const list = this.kind === "main" ? "containers" : `${this.kind}Containers`;
    return `spec.${list}{${this.name}}`;
  }

  /** The runtime's id, without a scheme; "" before the first start. */
  get runtimeId(): string {
    return this.id.slice(this.scheme.length);
  }

  /** An init container that runs beside the pod's containers. */
  get isSidecar(): boolean {
    return this.kind === "init" && text(this.spec.restartPolicy) === "Always";
  }

  get exitCode(): number | undefined {
    return "terminated" in this.state ? this.state.terminated.exitCode : undefined;
  }

  wait(reason: string, message?: string): void {
    if ("terminated" in this.state) this.last = this.state;
    this.state = {
      waiting: { reason, ...(message !== undefined && ({ message } satisfies FieldsOf<ContainerStateWaiting>)) },
    };
    this.ready = false;
  }

  started(container: StartedContainer): void {
    this.running = container;
    this.previousId = this.runtimeId;
    this.id = `${this.scheme}${container.id}`;
    this.imageId = container.imageId;
    this.state = { running: { startedAt: formatTime(container.startedAt) } };
  }

  /** It is gone with all containers of the pod, which run again. */
  removedToRestart(): void {
    this.last = { terminated: { exitCode: 137, ...REMOVED, startedAt: null, finishedAt: null } };
    this.state = { waiting: REMOVED };
    this.ready = false;
    this.restartCount += 1;
  }

  ended({ exitCode, finishedAt, reason, message }: ContainerExit): void {
    const startedAt = "running" in this.state ? this.state.running.startedAt : formatTime(finishedAt);
    this.running = undefined;
    this.hasStarted = false;
    this.ready = false;
    this.state = {
      terminated: {
        exitCode,
        reason: reason ?? (exitCode === 0 ? "Completed" : "Error"),
        ...(message !== undefined && ({ message } satisfies FieldsOf<ContainerStateTerminated>)),
        startedAt,
        finishedAt: formatTime(finishedAt),
        containerID: this.id,
      },
    };
  }

  /** It could not be started. */
  failed(reason: string, message: string, now: number): void {
    this.ready = false;
    this.state = {
      terminated: { exitCode: 128, reason, message, startedAt: "1970-01-01T00:00:00Z", finishedAt: formatTime(now) },
    };
  }

  /** As the pod's status has it. `share` shortens a message to the container's share. */
  status(share: (message: string) => string): Received<ContainerStatus> {
    const isRunning = "running" in this.state;
    const resources = object(this.spec.resources);
    const { requests } = resources;
    const mounts = objects(this.spec.volumeMounts);
    return {
      name: this.name,
      state: shortened(this.state, share),
      lastState: this.last === undefined ? {} : shortened(this.last, share),
      ready: this.ready,
      restartCount: this.restartCount,
      image: text(this.spec.image),
      imageID: this.imageId,
      ...(this.id !== "" && ({ containerID: this.id } satisfies FieldsOf<ContainerStatus>)),
      ...(this.kind !== "ephemeral" && ({ started: isRunning && this.hasStarted } satisfies FieldsOf<ContainerStatus>)),
      ...(this.kind !== "ephemeral" &&
        !absent(requests) &&
        ({ allocatedResources: requests } satisfies FieldsOf<ContainerStatus>)),
      ...(this.kind !== "ephemeral" &&
        Object.keys(resources).length > 0 &&
        ({ resources } satisfies FieldsOf<ContainerStatus>)),
      ...(mounts.length > 0 && ({ volumeMounts: mounts.map(mountStatus) } satisfies FieldsOf<ContainerStatus>)),
    };
  }
}

function shortened(state: ContainerState, share: (message: string) => string): ContainerState {
  const message = "terminated" in state ? text(state.terminated.message) : "";
  if (!("terminated" in state) || message === "") return state;
  return { terminated: { ...state.terminated, message: share(message) } };
}

function mountStatus({ name, mountPath, readOnly }: Received<VolumeMount>): Received<VolumeMountStatus> {
  const isReadOnly = readOnly === true;
  return {
    name: text(name),
    mountPath: text(mountPath),
    ...(isReadOnly && ({ readOnly: true, recursiveReadOnly: "Disabled" } satisfies Received<VolumeMountStatus>)),
  };
}

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

/** Creates the record of one container. After a restart of the node all containers of the pod are new. */
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
