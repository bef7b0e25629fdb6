import type { ControllerName } from "../api/controllers/index.js";
import { missingKinds, type RequiredKind } from "../controllers/required-kinds.js";
import type { ApiSnapshot } from "../server/api-registry/api-registry.js";

/** Whether the server serves a kind now: ("policy/v1", "PodDisruptionBudget"). */
export const servesKind =
  ({ served }: ApiSnapshot) =>
  (apiVersion: string, kind: string): boolean =>
    served.resources.some((one) => one.groupVersion === apiVersion && one.kind === kind);

/** Returns the controllers whose kinds the server serves. Warns about each of the others, unless its group versions are off by default. */
export function startableControllers(
  enabled: ReadonlySet<ControllerName>,
  api: ApiSnapshot,
  onWarning: (warning: string) => void = () => {},
): ReadonlySet<ControllerName> {
  const serves = servesKind(api);
  const byDefault = new Set(api.served.release.servedGroupVersions());
  const startable = new Set<ControllerName>();
  for (const name of enabled) {
    const missing = missingKinds(name, serves);
    if (missing.length === 0) startable.add(name);
    else if (missing.some(([apiVersion]) => byDefault.has(apiVersion))) onWarning(notStarted(name, missing));
  }
  return startable;
}

const notStarted = (name: ControllerName, missing: readonly RequiredKind[]): string =>
  `${name} is not started: the server does not serve ${missing.map(([apiVersion, kind]) => `${kind} of ${apiVersion}`).join(", ")}`;
