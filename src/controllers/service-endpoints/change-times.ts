import type { Pod, Service } from "../../api/types/core/v1.js";
import { readyCondition } from "../owned-pods/pod-state.js";

/** The annotation of Endpoints and slices for the time of the first change that led to their last update. */
export const CHANGE_TIME = "endpoints.kubernetes.io/last-change-trigger-time";

/** Records when the objects behind a service's endpoints changed. */
export class ChangeTimes {
  /** By service: the last time of each pod, by name, and of the service itself, under "". */
  readonly #known = new Map<string, ReadonlyMap<string, string>>();

  /** The time of the first change since the last call for the service, in RFC 3339; undefined when nothing has changed. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#known.get(key);
    const times = new Map<string, string>();
    const note = (name: string, time: string | null | undefined): void => {
      if (time != null) times.set(name, time);
    };
    note("", service.metadata?.creationTimestamp);
    for (const pod of pods) note(pod.metadata?.name ?? "", readyCondition(pod)?.lastTransitionTime);
    this.#known.set(key, times);
    // Times of one format sort as texts.
    return [...times].flatMap(([name, time]) => (time > (before?.get(name) ?? "") ? [time] : [])).sort()[0];
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
