import type { PodDisruptionBudget } from "../../api/types/policy/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { NamespacedName } from "../../client/informers/index.js";
import { type FieldsOf, object, type ReceivedObject } from "../../machinery/meta/received.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, noLabel } from "../../machinery/selectors/label-selector.js";
import type { ControllerContext } from "../context.js";
import { unlessChanged } from "../writes.js";
import { BudgetState } from "./budget-state.js";
import { ExpectedPods } from "./expected-pods.js";

const GROUP_VERSION: string = "policy/v1";

/** Keeps the status of disruption budgets: how many pods are expected, healthy, required to be healthy, and may be evicted. */
export function disruptionController({ client, manager, served, clock, recorder }: ControllerContext): void {
  const budgets = client.of<KubeObject>(GROUP_VERSION, "PodDisruptionBudget");
  const known = manager.informers.of<string, string>(GROUP_VERSION, "PodDisruptionBudget").lister;
  const pods = manager.informers.of("v1", "Pod");
  const selectors = new Selectors();
  const events = recorder({ component: "controllermanager" });
  const state = new BudgetState(new ExpectedPods(client, served), clock, events);
  const budgetsOf = ({ metadata }: ApiObject): readonly KubeObject[] => {
    const { namespace = "", labels } = metadata ?? {};
    return known
      .namespace(namespace)
      .list()
      .filter((budget) => selectors.of(budget).matches(labels));
  };
  manager
    .controllerFor<string, string>(GROUP_VERSION, "PodDisruptionBudget")
    .named("disruption-controller")
    // kube-controller-manager computes only one of a pod's budgets; here all are.
    .watches("v1", "Pod", (pod) => budgetsOf(pod).map(nameOf))
    .reconcile(async ({ namespace, object: budget }) => {
      if (budget === undefined) return;
      const selector = selectors.of(budget);
      const selected = pods.lister
        .namespace(namespace)
        .list()
        .filter(({ metadata }) => selector.matches(metadata?.labels));
      const { status, recheckAfter } = await state.of(budget, selected);
      if (status !== undefined)
        await unlessChanged(budgets.updateStatus({ ...budget, status } satisfies FieldsOf<PodDisruptionBudget>));
      return recheckAfter === undefined ? undefined : { requeueAfterMilliseconds: recheckAfter };
    });
  /** Evictions of a pod with several budgets are refused. */
  const warnOfSeveral = (pod: Pod): void => {
    const matching = budgetsOf(pod);
    if (matching.length < 2) return;
    const { namespace, name } = nameOf(pod);
    const chosen = nameOf(matching[0] ?? {}).name;
    const message = `Pod ${goQuote(namespace)}/${goQuote(name)} matches multiple PodDisruptionBudgets.  Chose ${goQuote(chosen)} arbitrarily.`;
    events.event(pod, "Warning", "MultiplePodDisruptionBudgets", message);
  };
  pods.addHandler({ added: warnOfSeveral, updated: (_, pod) => warnOfSeveral(pod), deleted: warnOfSeveral });
}

const nameOf = ({ metadata = {} }: ApiObject): NamespacedName => ({
  namespace: metadata.namespace ?? "",
  name: metadata.name ?? "",
});

/** The selectors of budgets, each parsed once for a state of its budget. */
class Selectors {
  readonly #parsed = new WeakMap<object, LabelSelector>();

  of(budget: ReceivedObject<PodDisruptionBudget>): LabelSelector {
    let selector = this.#parsed.get(budget);
    if (selector === undefined) {
      const own = object(budget.spec).selector;
      // One that cannot be read matches nothing.
      selector = readSelector(own) ?? noLabel;
      this.#parsed.set(budget, selector);
    }
    return selector;
  }
}
