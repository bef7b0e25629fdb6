import type { Clock } from "../../base/clock.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type Api, METADATA_ONLY } from "../api.js";
import { discover } from "../discover.js";
import { pause } from "../pause.js";
import type { ContentDeleted } from "./delete-content.js";
import { type Contents, emptyNamespace } from "./empty-namespace.js";

const FIRST_WAIT_MS = 5;
const LONGEST_WAIT_MS = 60_000;

/** Empties namespaces that are being deleted, each on its own; what is held is looked at again when some of it changes. */
export class NamespaceController {
  /** By uid: a name can be taken again before the work for the old one notices. */
  readonly #emptying = new Map<string, Promise<void>>();
  #contents: Promise<Contents> | undefined;
  /** Each ends the wait of a namespace that something holds. */
  readonly #waits = new Set<AbortController>();

  constructor(
    private readonly api: Api,
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
    private readonly report: (error: unknown) => void,
  ) {}

  /** To be called for a namespace that is being deleted. Returns at once; one that is worked on is left to it. */
  empty(namespace: KubeObject): void {
    const uid = namespace.metadata?.uid ?? "";
    if (this.#emptying.has(uid)) return;
    const work = this.#run(namespace).finally(() => this.#emptying.delete(uid));
    this.#emptying.set(uid, work);
  }

  /** To be called when the server begins or ceases to serve resources: what a namespace may hold is another thing then. */
  apiChanged(): void {
    this.#contents = undefined;
    for (const wait of this.#waits) wait.abort();
  }

  async settled(): Promise<void> {
    await Promise.all(this.#emptying.values());
  }

  async #run(namespace: KubeObject): Promise<void> {
    let failures = 0;
    while (!this.signal.aborted) {
      let deleted: ContentDeleted | undefined;
      try {
        deleted = await emptyNamespace(this.api, namespace, await this.#discovered(), this.clock.now());
        if (deleted === undefined) return;
      } catch (error) {
        if (this.signal.aborted) return;
        this.#contents = undefined;
        this.report(error);
      }
      // Kubernetes comes back after half the time it takes; and, for what failed, after a wait that doubles.
      const held = deleted !== undefined && deleted.estimate > 0 && deleted.failures.length === 0;
      failures = held ? 0 : failures + 1;
      const wait = held ? ((deleted?.estimate ?? 0) / 2 + 1) * 1000 : FIRST_WAIT_MS * 2 ** Math.min(failures, 20);
      await this.#untilChanged(deleted?.left ?? [], Math.min(wait, LONGEST_WAIT_MS));
    }
  }

  async #discovered(): Promise<Contents> {
    this.#contents ??= contentsOfNamespaces(this.api);
    const asked = this.#contents;
    const contents = await asked;
    if (contents.failure !== undefined && this.#contents === asked) this.#contents = undefined;
    return contents;
  }

  /** Waits until something of what is left changes, or what the server serves, or that long. */
  async #untilChanged(left: ContentDeleted["left"], milliseconds: number): Promise<void> {
    const waiting = new AbortController();
    this.#waits.add(waiting);
    const signal = AbortSignal.any([waiting.signal, this.signal]);
    const watches = left.map((one) => this.#changed(one, signal));
    await Promise.race([pause(milliseconds, signal), ...watches]);
    this.#waits.delete(waiting);
    waiting.abort();
    await Promise.all(watches);
  }

  /** Resolves at the first change; with none, when the signal aborts. */
  async #changed({ path, resourceVersion }: ContentDeleted["left"][number], signal: AbortSignal): Promise<void> {
    try {
      const target = `${path}?watch=true&resourceVersion=${resourceVersion}`;
      for await (const { type } of this.api.watch(target, signal, METADATA_ONLY)) if (type !== "BOOKMARK") return;
    } catch {
      // The wait is all that is left, then.
    }
    if (!signal.aborted) await pause(LONGEST_WAIT_MS, signal);
  }
}

async function contentsOfNamespaces(api: Api): Promise<Contents> {
  try {
    const { resources, stale } = await discover(api);
    return {
      resources: resources.filter(
        ({ preferred, namespaced, verbs }) =>
          preferred && namespaced && verbs.includes("delete") && verbs.includes("list"),
      ),
      failure: stale.length === 0 ? undefined : staleText(stale),
    };
  } catch (error) {
    return { resources: [], failure: error instanceof Error ? error.message : String(error) };
  }
}

/** What kube-controller-manager says of a discovery that failed for some groups. */
function staleText(stale: readonly string[]): string {
  const groups = stale.toSorted().map((one) => `${one}: stale GroupVersion discovery: ${one}`);
  return `Discovery failed for some groups, ${stale.length} failing: unable to retrieve the complete list of server APIs: ${groups.join(", ")}`;
}
