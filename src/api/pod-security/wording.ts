/** `"a", "b"`, as the names and values stand. */
export const quoted = (texts: readonly string[]): string => texts.map((text) => `"${text}"`).join(", ");

export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `containers "a", "b"` */
export const containersNamed = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** `pod and container "a"`: what sets a field to a value that is not allowed; "" for nothing. */
export function setters(pod: boolean, containers: readonly string[]): string {
  const all = pod ? ["pod"] : [];
  if (containers.length > 0) all.push(containersNamed(containers));
  return all.join(" and ");
}

/** Each text once, in order. */
export const distinct = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted();
