import { deferred } from "../../base/async/deferred.js";

/** The events in the life of a server, by kube-apiserver's names, in their order; the delay and the hooks of a shutdown run side by side. */
export const LIFE_CYCLE_EVENTS = [
  "MuxAndDiscoveryComplete",
  "HasBeenReady",
  "ShutdownInitiated",
  "AfterShutdownDelayDuration",
  "PreShutdownHooksStopped",
  "NotAcceptingNewRequest",
  "InFlightRequestsDrained",
  "HTTPServerStoppedListening",
] as const;

export type LifeCycleEvent = (typeof LIFE_CYCLE_EVENTS)[number];

/** The events in the life of a server that have happened. Each happens once; a repetition has no effect. */
export class LifeCycle {
  readonly #events = new Map(LIFE_CYCLE_EVENTS.map((name) => [name, { ...deferred<void>(), happened: false }]));
  readonly #onEvent: (event: LifeCycleEvent) => void;

  constructor(onEvent: (event: LifeCycleEvent) => void = () => {}) {
    this.#onEvent = onEvent;
  }

  has(name: LifeCycleEvent): boolean {
    return this.#events.get(name)?.happened === true;
  }

  /** Resolves when the event happens, or has happened. */
  async when(name: LifeCycleEvent): Promise<void> {
    await this.#events.get(name)?.promise;
  }

  signal(name: LifeCycleEvent): void {
    const event = this.#events.get(name);
    if (event === undefined || event.happened) return;
    event.happened = true;
    event.resolve();
    this.#onEvent(name);
  }
}
