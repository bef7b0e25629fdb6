import type { Container, EphemeralContainer, Pod } from "../api/types/core/v1.js";
import { goQuote } from "../base/text/go-quote.js";
import { withMistyped } from "../base/text/mistyped.js";
import { object, objects, type Received, type ReceivedObject, text } from "../machinery/meta/received.js";

/** The annotation that names the container which commands use when none is given. */
export const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

type Field = "containers" | "initContainers" | "ephemeralContainers";

/** The names of the pod's containers of one kind, in the order of its spec. */
export const containerNames = ({ spec }: ReceivedObject<Pod>, field: Field): readonly string[] =>
  objects(object(spec)[field]).map(({ name }) => text(name));

const FIELDS = ["containers", "initContainers", "ephemeralContainers"] as const;

/** A container of a pod's spec, and the list that it is in. */
export interface FoundContainer {
  readonly field: Field;
  readonly container: Received<Container | EphemeralContainer>;
}

export function findContainer({ spec }: ReceivedObject<Pod>, name: string): FoundContainer | undefined {
  for (const field of FIELDS) {
    const container = objects(object(spec)[field]).find((one) => one.name === name);
    if (container !== undefined) return { field, container };
  }
  return undefined;
}

export const hasContainer = (pod: ReceivedObject<Pod>, name: string): boolean => findContainer(pod, name) !== undefined;

/**
 * Chooses the container that a command enters: the one with the name `name`, else the one in the pod's annotation, else the first;
 * if there are others, `say` gets a line about the choice. Throws in kubectl's words for a name that the pod does not have.
 */
export function chosenContainer(pod: ReceivedObject<Pod>, name: string, say: (line: string) => void): FoundContainer {
  const { name: podName = "", namespace = "", annotations } = pod.metadata ?? {};
  const containers = objects(object(pod.spec).containers);
  const [first] = containers;
  if (first === undefined) throw new Error(`pod ${namespace}/${podName} does not have any containers`);
  const wanted = name || (annotations?.[DEFAULT_CONTAINER] ?? "");
  if (wanted !== "") {
    const found = findContainer(pod, wanted);
    if (found !== undefined) return found;
    throw noSuchContainer(pod, wanted);
  }
  const others = FIELDS.reduce((sum, field) => sum + containerNames(pod, field).length, 0);
  if (others > 1) say(`Defaulted container ${goQuote(text(first.name))} out of: ${allContainerNames(pod)}`);
  return { field: "containers", container: first };
}

/** Throws in kubectl's words for a pod that has ended, because its containers no longer accept sessions. */
export function requireUncompleted({ status }: ReceivedObject<Pod>, act: "exec into" | "attach"): void {
  const phase = text(object(status).phase);
  if (phase !== "Succeeded" && phase !== "Failed") return;
  throw new Error(`cannot ${act} a container in a completed pod; current phase is ${phase}`);
}

/** Makes kubectl's error for a container that the pod does not have. */
export function noSuchContainer(pod: ReceivedObject<Pod>, typed: string): Error {
  const name = pod.metadata?.name ?? "";
  const error = new Error(`container ${typed} is not valid for pod ${name} out of: ${allContainerNames(pod)}`);
  return withMistyped(error, () => ({ typed, known: FIELDS.flatMap((field) => containerNames(pod, field)) }));
}

/** Lists the names of all containers: "app, debugger (ephem), setup (init)". */
export function allContainerNames(pod: ReceivedObject<Pod>): string {
  return [
    ...containerNames(pod, "containers"),
    ...containerNames(pod, "ephemeralContainers").map((name) => `${name} (ephem)`),
    ...containerNames(pod, "initContainers").map((name) => `${name} (init)`),
  ].join(", ");
}
