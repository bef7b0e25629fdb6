import type { KubeObject } from "./object.js";

/** A class that can be the default of its kind. */
type Class = Pick<KubeObject, "metadata">;

/** Returns the newest of the classes that have one of the annotations set to "true"; of equally old ones the first by name. */
export function newestDefault<C extends Class>(classes: readonly C[], annotations: readonly string[]): C | undefined {
  const [first] = classes
    .filter(({ metadata }) => annotations.some((key) => metadata?.annotations?.[key] === "true"))
    .toSorted((a, b) => compare(createdAt(b), createdAt(a)) || compare(nameOf(a), nameOf(b)));
  return first;
}

const createdAt = ({ metadata }: Class): string => metadata?.creationTimestamp ?? "";
const nameOf = ({ metadata }: Class): string => metadata?.name ?? "";
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
