import type { PodSpec, Container, Pod, ResourceList, ResourceRequirements } from "../../../api/types/core/v1.js";
import {
  type FieldsOf,
  absent,
  object,
  objects,
  type OrAbsent,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { Resize } from "../change-containers.js";
import type { ContainerRecord } from "../container-record.js";
import type { PodContext } from "../pod-context.js";

/** Records a pod's resizes as events. Source: the kubelet's allocation manager and pkg/kubelet/events. */
export class ResizeEvents {
  /** The resize that was started last, until it is completed. */
  #started: { readonly generation: number; readonly restarting: readonly ContainerRecord[] } | undefined;

  constructor(private readonly context: Pick<PodContext, "parts" | "pod">) {}

  /** To be called with what became of each new spec. */
  changed({ isWanted, pending }: Resize, records: readonly ContainerRecord[]): void {
    if (!isWanted) return;
    if (pending !== undefined) {
      this.#record("Warning", "ResizeInfeasible", `Pod resize ${pending.reason ?? ""}`, pending.message ?? "");
      return;
    }
    this.#record("Normal", "ResizeStarted", "Pod resize started");
    this.#started = { generation: this.#generation, restarting: records.filter(({ mustRestart }) => mustRestart) };
    this.settle();
  }

  /** Says that a resize is completed, once the containers that restart for it run again. To be called after changes of containers. */
  settle(): void {
    if (this.#started === undefined) return;
    const { generation, restarting } = this.#started;
    if (restarting.some(({ mustRestart, running }) => mustRestart || running === undefined)) return;
    this.#started = undefined;
    // A later spec has a generation of its own.
    if (generation === this.#generation) this.#record("Normal", "ResizeCompleted", "Pod resize completed");
  }

  get #generation(): number {
    return this.context.pod().metadata?.generation ?? 0;
  }

  #record(type: "Normal" | "Warning", reason: string, message: string, error = ""): void {
    const pod = this.context.pod();
    this.context.parts.event(pod, type, reason, `${message}: ${JSON.stringify(summaryOf(pod, error))}`);
  }
}

/** The resources that the spec asks for, with the fields in Go's order. */
function summaryOf({ spec, metadata }: ReceivedObject<Pod>, error: string): JsonObject {
  const { initContainers, containers } = object(spec);
  const wanted = (list: OrAbsent<Received<Container[]>>): JsonObject[] =>
    objects(list).map(
      ({ name, resources }) =>
        ({ name: text(name), resources: requirementsOf(object(resources)) }) satisfies FieldsOf<Container>,
    );
  const init = wanted(initContainers);
  return {
    ...(init.length > 0 && ({ initContainers: init } satisfies FieldsOf<PodSpec>)),
    containers: wanted(containers),
    generation: metadata?.generation ?? 0,
    ...(error !== "" && { error }),
  };
}

function requirementsOf({ limits, requests, claims }: Received<ResourceRequirements>): JsonObject {
  return {
    ...(!absent(limits) && ({ limits: inNameOrder(limits) } satisfies FieldsOf<ResourceRequirements>)),
    ...(!absent(requests) && ({ requests: inNameOrder(requests) } satisfies FieldsOf<ResourceRequirements>)),
    ...(!absent(claims) && ({ claims: claims as JsonValue } satisfies FieldsOf<ResourceRequirements>)),
  };
}

const inNameOrder = (amounts: Received<ResourceList>): JsonObject =>
  Object.fromEntries(
    Object.entries(object(amounts) as JsonObject).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
