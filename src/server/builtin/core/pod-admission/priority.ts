import { forbidden } from "../../../../machinery/errors/status-error.js";
import { absent, ensureChild, number, object, text } from "../../../../machinery/meta/access.js";
import type { KubeObject } from "../../../../machinery/meta/object.js";
import type { StrategyContext } from "../../../registry/strategy.js";

/** The plugin Priority for a new pod: resolves its class, or the default one. Throws 403 for a class that is not there. */
export async function admitPriority(draft: KubeObject, context: StrategyContext): Promise<void> {
  const spec = ensureChild(draft, "spec");
  const name = text(spec.priorityClassName);
  const classes = await context.objects.list("scheduling.k8s.io", "priorityclasses");
  const chosen =
    name === ""
      ? classes.find((candidate) => candidate.globalDefault === true)
      : classes.find((candidate) => candidate.metadata?.name === name);
  if (name !== "" && chosen === undefined) {
    const message = `no PriorityClass with name ${name} was found`;
    throw forbidden({ group: "", resource: "pods" }, draft.metadata?.name ?? "", message);
  }
  if (chosen !== undefined) spec.priorityClassName = chosen.metadata?.name;
  spec.priority = number(chosen?.value);
  spec.preemptionPolicy ??= text(chosen?.preemptionPolicy) || "PreemptLowerPriority";
}

/** The plugin Priority for a changed pod: what the new one leaves out is the old one's; whether it may differ is validated. */
export function keepPriority(draft: KubeObject, old: KubeObject): void {
  const [spec, before] = [ensureChild(draft, "spec"), object(old.spec)];
  for (const field of ["priority", "preemptionPolicy"]) {
    if (absent(spec[field]) && !absent(before[field])) spec[field] = before[field];
  }
}
