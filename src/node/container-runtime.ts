import type { Pod } from "../api/types/core/v1.js";
import type { ByteStream } from "../machinery/wire/streams/byte-stream.js";
import type { TerminalSize } from "../machinery/wire/streams/remote-command.js";

/**
 * What runs containers for a node: the seam that Kubernetes has as the CRI. The node agent starts and stops containers by it, the
 * kubelet's HTTP API logs, enters and dials them. Containers are known by the id that {@link ContainerRuntime.run} gave them until
 * they are removed. Each function rejects with a {@link RuntimeError} for what the runtime refuses.
 */
export interface ContainerRuntime {
  /** As a Node's status.nodeInfo.containerRuntimeVersion: "containerd://2.1.4". Its scheme is that of container ids. */
  readonly version: string;
  /**
   * Creates and starts a container. Rejects with reason "ErrImagePull", "FailedMount", "CreateContainerConfigError",
   * "CreateContainerError", "StartError" or the like; then there is none. An abort of `signal` ends waiting: the pod is to be stopped.
   */
  run(container: ContainerSpec, signal?: AbortSignal): Promise<StartedContainer>;
  /** Sends a signal to the container's first process: "SIGTERM", "SIGKILL". One that has ended takes no signal and no harm. */
  signal(containerId: string, signal: string): Promise<void>;
  /** Forgets a container that has ended, with its log and its files. */
  remove(containerId: string): Promise<void>;
  /** The log from its beginning, or what `options` choose of it. Ends with the container's end where it follows. */
  log(containerId: string, options: RuntimeLogOptions): AsyncIterable<LogEntry>;
  /**
   * Runs a further program in a container and resolves with its exit code when it has ended and its output is written. An abort of
   * `streams.signal` ends the program as the loss of its terminal does.
   */
  exec(containerId: string, command: readonly string[], streams: ProcessStreams): Promise<number>;
  /**
   * Joins the streams of the container's first process; resolves when that has ended, or when `streams.signal` aborts, which
   * leaves the process running. Input reaches it only where the spec has `stdin`.
   */
  attach(containerId: string, streams: ProcessStreams): Promise<void>;
  /** Connects to a port of a pod, as to localhost inside it. Rejects where nothing listens. */
  dial(podUid: string, port: number): Promise<ByteStream>;
  /** What a running container uses; undefined where the runtime does not know. */
  stats(containerId: string): Promise<ContainerStats | undefined>;
  /** No container of the pod runs again: its volumes of the kind "pod" are dropped. May be called twice. */
  stopPod?(podUid: string): Promise<void>;
  /** How many bytes a pod's volume of the kind "pod" holds; undefined where the runtime does not know. */
  volumeBytes?(podUid: string, volume: string): number | undefined;
  /** Whether a probe of a running container succeeds, where the runtime knows; undefined: the agent asks the container. */
  answerProbe?(containerId: string, probe: ProbeQuestion): boolean | undefined;
  /** What stands in for the program of a container, a phrase that begins with the verb; undefined where its program runs. */
  standIn?(containerId: string): string | undefined;
}

/** A probe's question to a container. A hook asks whether it counts as done although the container cannot do it. */
export interface ProbeQuestion {
  readonly kind: "startup" | "readiness" | "liveness" | "hook";
  /** The port that it connects to; absent for a command. */
  readonly port?: number;
}

/** The specification of a container. The agent has resolved everything that the pod refers to. */
export interface ContainerSpec {
  readonly pod: PodIdentity;
  readonly name: string;
  /** How often the container was started before. */
  readonly attempt: number;
  readonly image: string;
  /** Something else says what the container does: the runtime only keeps it until a signal. */
  readonly isStaged?: boolean;
  /** In place of the image's entrypoint. */
  readonly command?: readonly string[];
  /** In place of the image's arguments. */
  readonly args?: readonly string[];
  /** A byte of a value that is no UTF-8 is a lone surrogate, U+DC80 to U+DCFF. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDir?: string;
  /** The container's limits as its spec has them now. Left out: there are none. */
  readonly limits?: () => ResourceLimits;
  /** In the pod's order. Of nested ones the deeper is seen, whichever comes first. */
  readonly mounts: readonly VolumeMount[];
  /** Whether input may be attached, and whether it ends with the first client that was attached. */
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
  readonly tty: boolean;
  /** Where what the program wrote of its end is read from, "/dev/termination-log". */
  readonly terminationMessagePath: string;
}

/** The mount of a pod's volume in a container. */
export interface VolumeMount {
  /** The volume's name in the pod. */
  readonly name: string;
  /** Absolute. */
  readonly path: string;
  /** What of the volume is seen: a file, or a folder, which is made where it is missing. Empty: all of it. */
  readonly subPath: string;
  readonly readOnly: boolean;
  /** The same object for all mounts of the volume in a container. */
  readonly volume: Volume;
}

/** The source of a volume's bytes. */
export type Volume = FilesVolume | PodVolume | PersistentVolume | HostVolume;

/** Files of ConfigMaps, Secrets, the downward API and tokens; always mounted read-only. */
export interface FilesVolume {
  readonly kind: "files";
  /** By their paths in the volume, when a program may read them: a token is asked for with the first call. */
  readonly files: () => Promise<ReadonlyMap<string, VolumeFile>>;
}

export interface VolumeFile {
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** A volume of the pod that all its containers share: an emptyDir. */
export interface PodVolume {
  readonly kind: "pod";
  /** How many bytes fit. Left out: as many as there is room for. */
  readonly capacity?: number;
}

/** A volume that all pods on all nodes which mount it share, now and later. */
export interface PersistentVolume {
  readonly kind: "persistent";
  /** Of the PersistentVolume. */
  readonly uid: string;
  /** How many bytes fit. */
  readonly capacity: number;
}

/** A file or folder of the node. */
export interface HostVolume {
  readonly kind: "host";
  /** Absolute. */
  readonly path: string;
  /** As a pod's spec has it: "", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket", "CharDevice", "BlockDevice". */
  readonly type: string;
}

/** Limits of a container, in bytes; a limit that is absent is not set. */
export interface ResourceLimits {
  readonly memoryBytes?: number;
}

export interface PodIdentity {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly hostname: string;
  readonly ip: string;
  /** The pod as the API has it now. Absent where no agent runs the container. */
  readonly object?: () => Pod;
}

export interface StartedContainer {
  /** Without a scheme. */
  readonly id: string;
  /** The image's id, "docker.io/library/nginx@sha256:...". */
  readonly imageId: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Resolves when the first process has ended. Never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** What people should know of it, a sentence for the event of its start. */
  readonly note?: string;
}

export interface ContainerExit {
  readonly exitCode: number;
  /** Milliseconds since the epoch. */
  readonly finishedAt: number;
  /** As the container's status has it: "OOMKilled". Default: "Completed" for code 0, else "Error". */
  readonly reason?: string;
  /** What the program wrote to its termination log. */
  readonly message?: string;
  /** Why the pod is to be evicted: the runtime has ended the container because its node has no room left for it. */
  readonly eviction?: string;
}

/** The streams of a program that a client has entered. What is left out is not connected. */
export interface ProcessStreams {
  readonly stdin?: AsyncIterable<Uint8Array>;
  /** Resolves when more may be written; the program waits for it. Rejects once the client is gone. */
  readonly stdout?: (chunk: Uint8Array) => Promise<void>;
  /** Never given with a terminal, which has one output. */
  readonly stderr?: (chunk: Uint8Array) => Promise<void>;
  readonly tty: boolean;
  /** The first is the terminal's size at the start. */
  readonly sizes?: AsyncIterable<TerminalSize>;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

export interface RuntimeLogOptions {
  /** Only so many of the last lines, of those that are there. */
  readonly tailLines?: number;
  /** Only what was written at this time or later, in milliseconds since the epoch. */
  readonly since?: number;
  /** Goes on until the container has ended. */
  readonly follow: boolean;
  readonly stream?: "stdout" | "stderr";
  readonly signal: AbortSignal;
}

/** One log line with its newline; the last line of a container that was killed may lack it. */
export interface LogEntry {
  /** Nanoseconds since the epoch. */
  readonly time: bigint;
  readonly stream: "stdout" | "stderr";
  readonly line: Uint8Array;
}

export interface ContainerStats {
  /** Processor time since the start. */
  readonly cpuNanoseconds: number;
  /** Processor time per second, lately. Default 0. */
  readonly cpuNanoCores?: number;
  readonly memoryBytes: number;
  readonly filesBytes: number;
  readonly logsBytes: number;
}

/** Thrown when the runtime refuses a request. The message is the runtime's; clients see it. */
export class RuntimeError extends Error {
  override readonly name = "RuntimeError";

  constructor(
    /** As a container status has it: "StartError", "ErrImagePull", "NotFound". */
    readonly reason: string,
    message: string,
  ) {
    super(message);
  }
}
