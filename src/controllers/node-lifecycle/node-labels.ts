/** Labels that repeat others, by an older name. */
const REPEATED = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/** The labels to set so that the older names have the values of the newer ones; none when they do. */
export function repeatedLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const [name, older] of REPEATED) {
    const value = labels[name];
    if (value !== undefined && labels[older] !== value) wrong[older] = value;
  }
  return wrong;
}
