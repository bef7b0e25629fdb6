import type { Clock } from "../../base/time/clock.js";
import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { ByteStream } from "../../machinery/wire/streams/byte-stream.js";
import { parseQuantity, quantityValue } from "../../machinery/text/quantity/quantity.js";
import {
  type ContainerRuntime,
  type ContainerSpec,
  type ContainerStats,
  type LogEntry,
  type ProbeQuestion,
  type ProcessStreams,
  RuntimeError,
  type RuntimeLogOptions,
  type StartedContainer,
} from "../container-runtime.js";
import { StagesReader, type ContainerStages, type StagesOf } from "./stages.js";
import { milliseconds, StagedContainer } from "./staged-container.js";

export interface StagedRuntimeOptions {
  /** The stages of pods that have no annotation of them. */
  readonly stages?: StagesOf;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly reportError: (error: unknown) => void;
}

interface Staged {
  readonly container: StagedContainer;
  readonly spec: ContainerSpec;
}

/** Makes containers act by their stages in place of their images. Another runtime does everything else. */
export class StagedRuntime implements ContainerRuntime {
  readonly #staged = new Map<string, Staged>();
  readonly #stages: StagesReader;

  constructor(
    private readonly inner: ContainerRuntime,
    private readonly options: StagedRuntimeOptions,
  ) {
    this.#stages = new StagesReader(options.stages);
  }

  get version(): string {
    return this.inner.version;
  }

  async run(spec: ContainerSpec, signal?: AbortSignal): Promise<StartedContainer> {
    const stages = await this.#stagesOf(spec);
    if (stages === undefined) return this.inner.run(spec, signal);
    const { clock, timers, reportError } = this.options;
    this.#failPull(spec, stages);
    if (stages.startDelay !== undefined) await pause(timers, milliseconds(stages.startDelay), signal);
    const { runs = Infinity, message = "container process could not be started" } = stages.startFailure ?? { runs: 0 };
    if (spec.attempt < runs) throw new RuntimeError("StartError", message);
    const started = await this.inner.run(runsByStages(stages) ? withoutCommand(spec) : spec, signal);
    const { id } = started;
    const container = new StagedContainer(started, spec.attempt, withinMemory(spec, stages), {
      clock,
      timers,
      reportError,
      signal: (name) => this.inner.signal(id, name),
    });
    this.#staged.set(id, { container, spec });
    return { ...started, exited: container.exited };
  }

  signal(containerId: string, signal: string): Promise<void> {
    const { container } = this.#staged.get(containerId) ?? {};
    return container === undefined ? this.inner.signal(containerId, signal) : container.signal(signal);
  }

  async remove(containerId: string): Promise<void> {
    this.#staged.get(containerId)?.container.dropLog();
    this.#staged.delete(containerId);
    await this.inner.remove(containerId);
  }

  log(containerId: string, options: RuntimeLogOptions): AsyncIterable<LogEntry> {
    return this.#staged.get(containerId)?.container.log(options) ?? this.inner.log(containerId, options);
  }

  async exec(containerId: string, command: readonly string[], streams: ProcessStreams): Promise<number> {
    const { exec } = this.#staged.get(containerId)?.container.stages ?? {};
    const isRunning = exec !== undefined && (await this.inner.stats(containerId)) !== undefined;
    if (exec === undefined || !isRunning) return this.inner.exec(containerId, command, streams);
    const { stdout = "", stderr = "", code = 0 } = exec;
    if (stdout !== "") await streams.stdout?.(Buffer.from(stdout));
    if (stderr !== "") await (streams.stderr ?? streams.stdout)?.(Buffer.from(stderr));
    return code;
  }

  attach(containerId: string, streams: ProcessStreams): Promise<void> {
    return this.inner.attach(containerId, streams);
  }

  dial(podUid: string, port: number): Promise<ByteStream> {
    return this.inner.dial(podUid, port);
  }

  async stopPod(podUid: string): Promise<void> {
    await this.inner.stopPod?.(podUid);
  }

  volumeBytes(podUid: string, volume: string): number | undefined {
    return this.inner.volumeBytes?.(podUid, volume);
  }

  answerProbe(containerId: string, probe: ProbeQuestion): boolean | undefined {
    const { container } = this.#staged.get(containerId) ?? {};
    const { readyAfter } = container?.stages ?? {};
    if (container === undefined || readyAfter === undefined) return this.inner.answerProbe?.(containerId, probe);
    if (probe.kind !== "readiness") return true;
    return readyAfter !== "never" && this.options.clock.now() >= container.startedAt + milliseconds(readyAfter);
  }

  standIn(containerId: string): string | undefined {
    return this.inner.standIn?.(containerId);
  }

  async stats(containerId: string): Promise<ContainerStats | undefined> {
    const stats = await this.inner.stats(containerId);
    const staged = this.#staged.get(containerId);
    if (stats === undefined || staged === undefined) return stats;
    const { usage = {} } = (await this.#stagesOf(staged.spec)) ?? staged.container.stages;
    const seconds = Math.max(0, this.options.clock.now() - staged.container.startedAt) / 1000;
    const cores = usage.cpu === undefined ? undefined : Number(quantityValue(parseQuantity(usage.cpu), -9));
    const memoryBytes = usage.memory === undefined ? stats.memoryBytes : bytesOf(usage.memory);
    const cpu = cores === undefined ? {} : { cpuNanoCores: cores, cpuNanoseconds: Math.round(cores * seconds) };
    const disk = usage["ephemeral-storage"];
    return { ...stats, ...cpu, memoryBytes, ...(disk !== undefined && { filesBytes: bytesOf(disk) }) };
  }

  async #stagesOf({ pod, name }: ContainerSpec): Promise<ContainerStages | undefined> {
    const object = pod.object?.();
    return object === undefined ? undefined : this.#stages.of(object, name);
  }

  #failPull({ image, pod }: ContainerSpec, { pullFailure }: ContainerStages): void {
    if (pullFailure === undefined) return;
    const { for: time, message = `failed to resolve reference "${image}": ${image}: not found` } = pullFailure;
    const { clock } = this.options;
    const begun = Date.parse(pod.object?.().status?.startTime ?? "") || clock.now();
    if (time === undefined || clock.now() < begun + milliseconds(time)) throw new RuntimeError("ErrImagePull", message);
  }
}

/** Whether the stages take the place of the container's command. */
const runsByStages = ({ exit, crashes, readyAfter, stopDelay, logs, logEvery }: ContainerStages): boolean =>
  [exit, crashes, readyAfter, stopDelay, logs, logEvery].some((stage) => stage !== undefined);

function withoutCommand({ command: _command, args: _args, ...spec }: ContainerSpec): ContainerSpec {
  return { ...spec, isStaged: true };
}

/** The stages of a container that ends at once where it uses more memory than its limit. */
function withinMemory({ pod, name }: ContainerSpec, stages: ContainerStages): ContainerStages {
  const { containers = [], initContainers = [] } = pod.object?.().spec ?? {};
  const limit = [...containers, ...initContainers].find((one) => one.name === name)?.resources?.limits?.["memory"];
  const used = stages.usage?.memory;
  if (limit === undefined || used === undefined || bytesOf(used) <= bytesOf(limit)) return stages;
  return { ...stages, exit: { code: OUT_OF_MEMORY, reason: "OOMKilled" } };
}

/** The exit code of a program that SIGKILL ended. */
const OUT_OF_MEMORY = 137;

const bytesOf = (quantity: string | number): number => Number(quantityValue(parseQuantity(quantity)));
