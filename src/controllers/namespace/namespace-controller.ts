import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { ControllerContext } from "../context.js";
import type { Served, ServedResources } from "../served-resources.js";
import { isTerminating } from "../terminating.js";
import { type ContentDeleted, type Left, type Contents, emptyNamespace } from "./empty-namespace.js";

/** kube-controller-manager's --concurrent-namespace-syncs. */
const WORKERS = 10;
const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 60_000;

/**
 * Empties namespaces that are being deleted. It checks the objects that a finalizer or a grace period keeps again whenever one of
 * them changes.
 */
export function namespaceController({ client, manager, served, clock, signal, onApiChange }: ControllerContext): void {
  const emptying = new Emptying(client, served, clock, signal, (name) => controller.enqueue(name));
  const controller = manager
    .controllerFor<string, string>("v1", "Namespace", {
      // Its own changes of the namespace's conditions are no reason to empty it again.
      when: (now, before) => isTerminating(now) && !(before !== undefined && isSameDeletion(now, before)),
    })
    .named("namespace-controller")
    .workers(WORKERS)
    .reconcile(({ name, object: namespace }) => {
      if (namespace !== undefined && isTerminating(namespace)) return emptying.reconcile(namespace);
      emptying.forget(name);
    });
  onApiChange(() => emptying.lookAgain());
}

function isSameDeletion(now: KubeObject, before: KubeObject): boolean {
  return isTerminating(before) && now.metadata?.uid === before.metadata?.uid;
}

/** The namespaces that are being emptied, by name. */
class Emptying {
  /** Ends the watches of what is left in a namespace. */
  readonly #waiting = new Map<string, AbortController>();
  /** Rounds in a row that something failed in. */
  readonly #failures = new Map<string, number>();

  constructor(
    private readonly client: KubernetesClient,
    private readonly served: ServedResources,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
    private readonly enqueue: (name: string) => void,
  ) {}

  async reconcile(namespace: KubeObject): Promise<ReconcileResult> {
    const { name = "" } = namespace.metadata ?? {};
    this.#waiting.get(name)?.abort();
    this.#waiting.delete(name);
    let deleted: ContentDeleted | undefined;
    try {
      deleted = await emptyNamespace(this.client, namespace, await this.#contents(), this.clock.now());
    } catch (error) {
      this.served.invalidate();
      throw error;
    }
    if (deleted === undefined) return this.forget(name);
    // Kubernetes comes back after half the time it takes; and, for what failed, after a wait that doubles.
    const held = deleted.estimate > 0 && deleted.failures.length === 0;
    const failures = held ? 0 : (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    this.#watch(name, deleted.left);
    const wait = held ? (deleted.estimate / 2 + 1) * 1000 : FIRST_WAIT_MS * 2 ** Math.min(failures, 20);
    return { requeueAfterMilliseconds: Math.min(wait, LONGEST_WAIT_MS) };
  }

  forget(name: string): void {
    this.#waiting.get(name)?.abort();
    this.#waiting.delete(name);
    this.#failures.delete(name);
  }

  /** Empties all of them again: what namespaces may hold has changed. */
  lookAgain(): void {
    for (const name of this.#waiting.keys()) this.enqueue(name);
  }

  async #contents(): Promise<Contents> {
    try {
      const contents = contentsOf(await this.served.all());
      if (contents.failure !== undefined) this.served.invalidate();
      return contents;
    } catch (error) {
      return { resources: [], failure: errorMessage(error) };
    }
  }

  /** Empties the namespace again when something of what is left changes. */
  #watch(name: string, left: readonly Left[]): void {
    const waiting = new AbortController();
    this.#waiting.set(name, waiting);
    const signal = AbortSignal.any([waiting.signal, this.signal]);
    for (const one of left) {
      void hasChanged(one, signal).then((changed) => {
        if (changed && !signal.aborted) this.enqueue(name);
      });
    }
  }
}

/** Resolves to true at the first change, and to false when the watch ends without one: the namespace is looked at in time. */
async function hasChanged({ client, resourceVersion }: Left, signal: AbortSignal): Promise<boolean> {
  try {
    for await (const _ of client.metadata().watch({ resourceVersion, signal })) return true;
  } catch {
    // The wait is all that is left, then.
  }
  return false;
}

function contentsOf({ resources, failed, stale }: Served): Contents {
  // A server that does not answer holds up no namespace that it never had objects in, such as one of metrics.
  const holding = [...failed].filter(([groupVersion]) => {
    const last = stale.get(groupVersion);
    return last === undefined || last.some(({ namespaced, verbs }) => namespaced && verbs.includes("delete"));
  });
  return {
    resources: resources.filter(
      ({ preferred, namespaced, verbs }) =>
        preferred && namespaced && verbs.includes("delete") && verbs.includes("list"),
    ),
    failure: holding.length === 0 ? undefined : failureText(new Map(holding)),
  };
}

/** What kube-controller-manager says of a discovery that failed for some groups. */
function failureText(failed: ReadonlyMap<string, Error>): string {
  const groups = [...failed].map(([groupVersion, error]) => `${groupVersion}: ${error.message}`).toSorted();
  return `Discovery failed for some groups, ${failed.size} failing: unable to retrieve the complete list of server APIs: ${groups.join(", ")}`;
}
