import type { Pod } from "../../api/types/core/v1.js";
import { own } from "../../base/collections/own.js";
import { Lru } from "../../base/collections/lru.js";
import { inOrder } from "../../base/async/turns.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import { RuntimeError } from "../container-runtime.js";

/**
 * The behaviour of a container in place of its image. All of it may be left out; durations are texts as Go writes them: "1m30s",
 * "500ms". A container that exits, crashes, logs, becomes ready or stops by its stages does not run its command.
 */
export interface ContainerStages {
  /** How long the container is created before it starts. */
  readonly startDelay?: string;
  /** The image cannot be pulled, for so long after the pod's start; for good where `for` is left out. */
  readonly pullFailure?: { readonly for?: string; readonly message?: string };
  /** The first `runs` of the container cannot start; none can where `runs` is left out. */
  readonly startFailure?: { readonly runs?: number; readonly message?: string };
  /** The first `runs` of the container end like this. */
  readonly crashes?: ExitStage & { readonly runs: number };
  /** How each run ends that is not among the `crashes`. Left out: it runs until it is stopped. */
  readonly exit?: ExitStage;
  /** When readiness probes begin to succeed, after the start. "never": they fail. Startup and liveness probes then succeed. */
  readonly readyAfter?: string;
  /** How long the container runs on after SIGTERM. "never": until SIGKILL. */
  readonly stopDelay?: string;
  /**
   * What it uses while it runs, as quantities: { cpu: "250m", memory: "64Mi" }. With more memory than its limit it is OOMKilled as soon as it
   * starts; with more ephemeral storage its pod is evicted.
   */
  readonly usage?: {
    readonly cpu?: string;
    readonly memory?: string;
    readonly "ephemeral-storage"?: string;
  };
  /** Lines that it writes when it starts, in place of its program's. */
  readonly logs?: readonly string[];
  /** A line that it writes again and again. */
  readonly logEvery?: { readonly period: string; readonly line: string };
  /** What every program does that a client runs in it. */
  readonly exec?: { readonly stdout?: string; readonly stderr?: string; readonly code?: number };
}

export interface ExitStage {
  /** How long after the start. Default: at once. */
  readonly after?: string;
  /** Default 0, and 1 for a crash. */
  readonly code?: number;
  /** As the status shows it: "OOMKilled". Default: "Completed" or "Error", by the code. */
  readonly reason?: string;
  /** The termination message. */
  readonly message?: string;
}

/** The stages of a pod's containers by name; those of "*" are for all other containers. */
export type PodStages = Readonly<Record<string, ContainerStages>>;

/**
 * Returns the stages of a pod; undefined where its containers behave as their images. It is called again while a container runs,
 * for its usage.
 */
export type StagesOf = (pod: Pod) => PodStages | undefined;

/** The annotation of a pod that holds its stages, as JSON or YAML. */
export const STAGES_ANNOTATION = "kubets.dev/stages";

/** How many annotations are kept as they were parsed. */
const KEPT = 256;
const LONGEST_KEPT = 16 * 1024;
const PATH = `metadata.annotations[${STAGES_ANNOTATION}]`;

/** Reads the stages of pods: from their annotation, else from a function. */
export class StagesReader {
  readonly #parsed = new Lru<string, PodStages>(KEPT);

  constructor(private readonly stagesOf: StagesOf | undefined) {}

  /** The stages of a container. Throws a {@link RuntimeError} of reason "CreateContainerError" that names each field which is wrong. */
  async of(pod: Pod, container: string): Promise<ContainerStages | undefined> {
    const annotation = pod.metadata?.annotations?.[STAGES_ANNOTATION];
    const stages = annotation === undefined ? await this.#given(pod) : await this.#read(annotation);
    return own(stages, container) ?? stages?.["*"];
  }

  async #given(pod: Pod): Promise<PodStages | undefined> {
    const stages = this.stagesOf?.(pod);
    if (stages !== undefined) await check(stages, "stages");
    return stages;
  }

  async #read(text: string): Promise<PodStages> {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    const stages = (await parse(text)) as PodStages;
    await check(stages, PATH);
    if (text.length <= LONGEST_KEPT) this.#parsed.set(text, stages);
    return stages;
  }
}

async function parse(text: string): Promise<unknown> {
  try {
    if (text.trimStart().startsWith("{")) return JSON.parse(text);
    const { parseYaml } = await inOrder(import("../../machinery/text/yaml/read.js"));
    return parseYaml(text);
  } catch (error) {
    throw new RuntimeError("CreateContainerError", `${PATH}: ${(error as Error).message}`);
  }
}

async function check(stages: unknown, path: string): Promise<void> {
  const { validateStages } = await inOrder(import("./validate-stages.js"));
  const errors = validateStages(stages, path);
  if (errors.length > 0) throw new RuntimeError("CreateContainerError", formatFieldErrors(errors));
}
