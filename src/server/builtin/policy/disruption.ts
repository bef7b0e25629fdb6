import type {
  PodDisruptionBudget,
  PodDisruptionBudgetSpec,
  PodDisruptionBudgetStatus,
} from "../../../api/types/policy/v1.js";
import { type Draft, number, object, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { Release } from "../../../api/facts/release.js";
import { allowedCondition, withAllowedCondition } from "../../../api/disruption/budgets.js";
import { forbidden, notFound, StatusError, tooManyRequests } from "../../../machinery/errors/status-error.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { selectorFromObject } from "../../../machinery/selectors/api-label-selector.js";
import type { LabelSelectorObject } from "../../../machinery/validation/labels.js";
import type { ServedResource } from "../../endpoints/served-resource.js";
import { copyObject } from "../../registry/copy.js";
import { timestamp } from "../../registry/metadata.js";
import { ADMITTED } from "../../registry/resource.js";
import type { RequestScope } from "../../registry/scope.js";
import { Warnings } from "../../request/api-request.js";

/** More approved evictions than that, which the controller has not seen yet, are too many. */
const MOST_DISRUPTED = 2000;

/** The budgets whose selectors match a pod. `budgets` is the resource at policy/v1. */
export async function budgetsOf(budgets: ServedResource, pod: KubeObject): Promise<readonly KubeObject[]> {
  const { namespace = "", labels } = pod.metadata ?? {};
  const listed = await budgets.storage.list?.(scope(namespace, false), {});
  return (listed?.items ?? [])
    .map((item) => item.object())
    .filter((budget) => {
      try {
        const selector = specOf(budget).selector as LabelSelectorObject | undefined;
        return selectorFromObject(selector).matches(labels);
      } catch {
        // An invalid selector matches nothing.
        return false;
      }
    });
}

/** Takes one disruption from a budget for that pod. Throws 429 when none is left. */
export async function takeDisruption(
  budgets: ServedResource,
  budget: KubeObject,
  podName: string,
  dryRun: boolean,
): Promise<void> {
  const { name = "", namespace = "" } = budget.metadata ?? {};
  await budgets.storage.update?.(
    scope(namespace, dryRun),
    name,
    (current) => {
      if (current === undefined) throw notFound({ group: "policy", resource: "poddisruptionbudgets" }, name);
      const draft = copyObject(current.object());
      check(draft, budgets.release);
      const now = timestamp(budgets.now());
      const { status: before }: ReceivedObject<PodDisruptionBudget> = draft;
      const status: Draft<PodDisruptionBudgetStatus> = { ...object(before) };
      status.disruptionsAllowed = number(status.disruptionsAllowed) - 1;
      if (status.disruptionsAllowed === 0) {
        status.conditions = withAllowedCondition(status, allowedCondition(status), now);
      }
      // So that the controller does not count on the pod any more.
      status.disruptedPods = { ...object(status.disruptedPods), [podName]: now };
      draft["status"] = status;
      return Promise.resolve(draft);
    },
    { subresource: "status", admit: ADMITTED },
  );
}

function check(budget: ReceivedObject<PodDisruptionBudget>, release: Release): void {
  const { name = "", generation = 0 } = budget.metadata ?? {};
  const status = object(budget.status);
  const gr = { group: "policy", resource: "poddisruptionbudget" };
  const allowed = number(status.disruptionsAllowed);
  if (number(status.observedGeneration) < generation) throw stillProcessed(name);
  const wrong = (text: string, cause: string): StatusError => {
    const refused = forbidden(gr, name, text);
    // K37-077: Kubernetes 1.36 gives no cause.
    if (!release.atLeast("1.37")) return refused;
    const message = `The disruption budget ${name} does not allow evicting pods currently: ${cause}`;
    const { status: shown } = refused;
    return new StatusError({
      ...shown,
      details: { ...shown.details, causes: [{ reason: "DisruptionBudget", message }] },
    });
  };
  if (allowed < 0) throw wrong("pdb disruptions allowed is negative", "pdb disruptions allowed is negative");
  if (Object.keys(object(status.disruptedPods)).length > MOST_DISRUPTED) {
    throw wrong(
      "DisruptedPods map too big - too many evictions not confirmed by PDB controller",
      "too many pending evictions not confirmed by PDB controller",
    );
  }
  if (allowed > 0) return;
  const [needed, healthy] = [number(status.desiredHealthy), number(status.currentHealthy)];
  throw refusal(`The disruption budget ${name} needs ${needed} healthy pods and has ${healthy} currently`, 0);
}

/** Makes the error for a budget that its controller has not computed yet; the client is to retry after ten seconds. */
export const stillProcessed = (name: string): StatusError =>
  refusal(`The disruption budget ${name} is still being processed by the server.`, 10);

function refusal(message: string, retryAfterSeconds: number): StatusError {
  const text = "Cannot evict pod as it would violate the pod's disruption budget.";
  const { status } = tooManyRequests(text, retryAfterSeconds);
  return new StatusError({
    ...status,
    details: { causes: [{ reason: "DisruptionBudget", message }], ...status.details },
  });
}

const specOf = ({ spec }: ReceivedObject<PodDisruptionBudget>): Received<PodDisruptionBudgetSpec> => object(spec);

const SERVER = { name: "system:apiserver", groups: ["system:masters", "system:authenticated"] };

/** Budgets are the server's own business here: a user who may evict need not be allowed to change them. */
const scope = (namespace: string, dryRun: boolean): RequestScope => ({
  user: SERVER,
  verb: "",
  apiVersion: "",
  namespace,
  warnings: new Warnings(),
  dryRun,
});
