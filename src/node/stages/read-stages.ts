import { own } from "../../base/collections/own.js";
import type { Pod } from "../../api/types/core/v1.js";
import { Lru } from "../../base/collections/lru.js";
import { inOrder } from "../../base/async/turns.js";
import { formatFieldErrors } from "../../machinery/errors/field-error.js";
import { RuntimeError } from "../container-runtime.js";
import { type ContainerStages, type PodStages, STAGES_ANNOTATION, type StagesOf } from "./stages.js";

/** How many annotations are kept as they were parsed. */
const KEPT = 256;
const LONGEST_KEPT = 16 * 1024;
const PATH = `metadata.annotations[${STAGES_ANNOTATION}]`;

/** Reads the stages of pods: their annotation, else what a function says of them. */
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
