import { pause } from "../../base/time/pause.js";
import type { Timers, StartStopwatch } from "../../base/time/timers.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { preferredResources } from "../../actions/preferred-resources.js";
import { errorMessage } from "../../base/text/error-message.js";
import { branchesOf } from "../../cli/object-tree/branches.js";
import { readRelatives } from "../../cli/object-tree/relatives.js";
import { SUMMARY_ACCEPT, summaries, titleOf } from "../../cli/object-tree/summary.js";
import { isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import type { ApiResource, RestMapper } from "../../machinery/rest-mapper.js";
import { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import type { Watched } from "./watched.js";

export interface FollowTreeOptions {
  readonly target: Pick<Info, "mapping" | "namespace" | "name">;
  readonly client: RestClient;
  readonly mapper: RestMapper;
  readonly discovery: Discovery;
  readonly timers: Timers;
  readonly startStopwatch: StartStopwatch;
  /** Ends requests that are under way. */
  readonly signal: AbortSignal;
}

/** Milliseconds between two looks: at most, and at least where something has changed. */
const LOOK = 1000;
const LOOK_AGAIN = 300;
/** How long a look at all types of the server is good for: in between only types that are in the tree are listed. */
const LOOK_AT_ALL = 15_000;
/** Reasons for which a type is not asked for again. */
const LASTING: ReadonlySet<string> = new Set(["Forbidden", "MethodNotAllowed", "NotFound"]);

/** Lists the tree around an object each second, and sooner after `changed()`, which an event or a pod's change calls. */
export class TreeFollower {
  readonly #options: FollowTreeOptions;
  readonly #watched: Watched;
  #resources: readonly ApiResource[] | undefined;
  /** Types of the last tree, and since when all types were looked at. */
  #types: ReadonlySet<string> = new Set();
  #sinceAll: (() => number) | undefined;
  #changed = false;
  #wake: () => void = () => undefined;

  constructor(options: FollowTreeOptions, watched: Watched) {
    this.#options = options;
    this.#watched = watched;
  }

  /** Something of the tree has changed. */
  changed(): void {
    this.#changed = true;
    this.#wake();
  }

  /** Looks until `signal` aborts, and calls `looked` after each look. A server that cannot be asked is asked again. */
  async follow(signal: AbortSignal, looked: () => void): Promise<void> {
    while (!signal.aborted) {
      await pause(this.#options.timers, LOOK_AGAIN, signal);
      if (!this.#changed) await this.#untilChanged(LOOK - LOOK_AGAIN, signal);
      this.#changed = false;
      try {
        await this.look();
        looked();
      } catch (error) {
        if (signal.aborted) return;
        if (!isTransportError(error) && !isStatusError(error)) throw error;
        this.#watched.set({ problem: errorMessage(error) });
      }
    }
  }

  /** Reads the tree once. Answers whether the object is there; throws what keeps it from being read. */
  async look(): Promise<boolean> {
    const { target, client, mapper, signal } = this.#options;
    const { mapping, namespace, name } = target;
    const helper = new Helper(client, mapping, { accept: SUMMARY_ACCEPT, signal });
    const answer = await helper.get(namespace, name).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (answer === undefined) {
      this.#watched.set({ tree: [], problem: "" });
      return false;
    }
    const [start] = summaries(answer, mapping);
    if (start === undefined) throw new Error("the server answered without the object");
    const all = this.#sinceAll === undefined || this.#sinceAll() >= LOOK_AT_ALL;
    const known = (this.#resources ??= await this.#allResources());
    const resources = all ? known : known.filter((resource) => this.#types.has(typeOf(resource)));
    const { objects, unread } = await readRelatives(start, mapping, { client, mapper, resources, signal });
    if (all) this.#sinceAll = this.#options.startStopwatch();
    for (const { type, reason } of unread) if (LASTING.has(reason)) this.#leaveOut(type, reason);
    const [unanswered] = unread.filter(({ reason }) => !LASTING.has(reason));
    if (unanswered !== undefined && this.#watched.tree.length > 0) {
      // What is known of the type is not gone because of that.
      this.#watched.set({ problem: `${unanswered.type}: ${unanswered.reason}` });
      return true;
    }
    const tree = branchesOf(start, objects);
    this.#types = new Set(tree.map(({ object: { title } }) => title.slice(0, title.indexOf("/"))));
    this.#watched.set({ tree, problem: "" });
    return true;
  }

  async #allResources(): Promise<readonly ApiResource[]> {
    const { discovery } = this.#options;
    const { resources, failed } = await discovery.resources();
    for (const groupVersion of failed.keys()) this.#watched.note(`${groupVersion} (its types are not known)`);
    return preferredResources(await discovery.groups(), resources);
  }

  /** A type that may not be listed is not asked for again. */
  #leaveOut(type: string, reason: string): void {
    this.#resources = this.#resources?.filter(({ group, name }) => (group === "" ? name : `${name}.${group}`) !== type);
    this.#watched.note(`${type} (${reason})`);
  }

  /** Ends early when `signal` aborts or {@link changed} is called. */
  async #untilChanged(milliseconds: number, signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    const end = (): void => woken.abort();
    this.#wake = end;
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
    await pause(this.#options.timers, milliseconds, woken.signal);
    signal.removeEventListener("abort", end);
  }
}

/** As the title of an object of this type begins: "deployment.apps". */
const typeOf = ({ group, version, kind }: ApiResource): string => titleOf({ group, version, kind }, "").slice(0, -1);
