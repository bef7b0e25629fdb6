import { type CheckedPod, containersOf } from "../control.js";
import { containersNamed, distinct, quoted } from "../wording.js";

/** What is said of the capabilities that containers add beyond the allowed ones; undefined for none. */
export function forbiddenAdditions(pod: CheckedPod, allowed: ReadonlySet<string>): string | undefined {
  const adding = containersOf(pod).flatMap(({ name, securityContext }) => {
    const capabilities = (securityContext?.capabilities?.add ?? []).filter((one) => !allowed.has(one));
    return capabilities.length === 0 ? [] : [{ name, capabilities }];
  });
  if (adding.length === 0) return undefined;
  const containers = containersNamed(adding.map(({ name }) => name));
  const capabilities = quoted(distinct(adding.flatMap((one) => one.capabilities)));
  return `${containers} must not include ${capabilities} in securityContext.capabilities.add`;
}
