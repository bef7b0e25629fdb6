import type { Container, Pod } from "../types/core/v1.js";

/** The amounts that each container must say, where a quota counts them. */
const DEMANDED = ["cpu", "limits.cpu", "limits.memory", "memory", "requests.cpu", "requests.memory"];

/**
 * What is missing in a pod of the amounts that a quota over `names` demands, in kube-apiserver's words; undefined where nothing is.
 * The containers of a pod that says amounts for itself need none.
 */
export function requiredAmounts({ spec }: Pod, names: ReadonlySet<string>): string | undefined {
  const { requests = {}, limits = {} } = spec?.resources ?? {};
  if (Object.keys({ ...requests, ...limits }).some(isOfPods)) return undefined;
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  const missing = DEMANDED.filter((name) => names.has(name)).flatMap((name) => {
    const without = containers.filter((container) => !saysAmount(container, name));
    const inOrder = [...new Set(without.map((container) => container.name))].sort();
    return inOrder.length === 0 ? [] : [`${name} for: ${inOrder.join(",")}`];
  });
  return missing.length === 0 ? undefined : `must specify ${missing.join("; ")}`;
}

/** The resources that pods may have amounts of as a whole. */
const isOfPods = (name: string): boolean => name === "cpu" || name === "memory" || name.startsWith("hugepages-");

function saysAmount({ resources }: Container, name: string): boolean {
  const [kind, resource] = name.startsWith("limits.")
    ? (["limits", name.slice("limits.".length)] as const)
    : (["requests", name.replace("requests.", "")] as const);
  return resources?.[kind]?.[resource] !== undefined;
}
