// One object as Kubernetes 1.20 and 1.36 show it.

/** The paths at which `now` (1.36) differs from `then` (1.20), but for what `now` has more. */
export function differences(then: unknown, now: unknown, path = ""): string[] {
  // 1.36 has no selfLink.
  if (path === "metadata.selfLink") return [];
  if (typeof then !== "object" || then === null || typeof now !== "object" || now === null) {
    // A time that is not set is left out since 1.36.
    const same = Object.is(then, now) || (then === null && path.endsWith(".metadata.creationTimestamp"));
    return same ? [] : [`${path}: ${JSON.stringify(then)} became ${JSON.stringify(now)}`];
  }
  const nows = now as Record<string, unknown>;
  return Object.entries(then).flatMap(([key, value]) =>
    differences(value, nows[key], path === "" ? key : `${path}.${key}`),
  );
}

/** The paths that `now` has more. */
export function additions(then: unknown, now: unknown, path = ""): string[] {
  if (typeof now !== "object" || now === null) return [];
  if (typeof then !== "object" || then === null) return [path];
  const thens = then as Record<string, unknown>;
  return Object.entries(now).flatMap(([key, value]) => {
    const at = path === "" ? key : `${path}.${key}`;
    return key in thens ? additions(thens[key], value, at) : [at];
  });
}
