import type { KubeObject } from "../../machinery/meta/object.js";
import { deepCopy, deepEqual } from "../../machinery/patch/json-values.js";

/** Lets a mutating plugin request a second round, because a later plugin may have changed the object that it saw. */
export interface Reinvocation {
  /** True in the second round, which is the last. */
  readonly active: boolean;
  /** Asks for the second round, in which all mutating plugins run again. */
  request(): void;
}

export class SecondRound implements Reinvocation {
  #active = false;
  #requested = false;

  get active(): boolean {
    return this.#active;
  }

  get requested(): boolean {
    return this.#requested;
  }

  request(): void {
    this.#requested = true;
  }

  begin(): void {
    this.#active = true;
  }
}

interface Rounds {
  /** Those with reinvocationPolicy IfNeeded that have been called and need not be called again yet. */
  readonly called: Set<string>;
  /** Those to call again in the second round. */
  readonly again: Set<string>;
  /** The object as the plugin left it at the end of a round, where that matters. */
  left?: KubeObject | undefined;
}

/**
 * Decides which webhooks or policies of a request the second round calls again: those with reinvocationPolicy IfNeeded, if the
 * object has changed since they saw it. Each is identified by an id that its plugin assigns.
 */
export class ReinvokedCalls {
  readonly #requests = new WeakMap<Reinvocation, Rounds>();

  /** The second round calls all again if other plugins have changed the object since the first. */
  beginRound(reinvocation: Reinvocation, object: KubeObject | undefined): void {
    const rounds = this.#requests.get(reinvocation);
    if (reinvocation.active && rounds !== undefined && !deepEqual(rounds.left, object)) {
      this.requireEarlier(reinvocation);
    }
  }

  endRound(reinvocation: Reinvocation, object: KubeObject | undefined): void {
    const rounds = this.#requests.get(reinvocation);
    if (rounds !== undefined && object !== undefined) rounds.left = deepCopy(object);
  }

  /** Notes that one was called that may be called again. */
  add(reinvocation: Reinvocation, id: string): void {
    this.#of(reinvocation).called.add(id);
  }

  /** One of them has changed the object: those that were called before it are to be called again. */
  requireEarlier(reinvocation: Reinvocation): void {
    const { called, again } = this.#of(reinvocation);
    for (const id of called) again.add(id);
    called.clear();
  }

  has(reinvocation: Reinvocation, id: string): boolean {
    return this.#requests.get(reinvocation)?.again.has(id) === true;
  }

  #of(reinvocation: Reinvocation): Rounds {
    const rounds = this.#requests.get(reinvocation) ?? { called: new Set(), again: new Set() };
    this.#requests.set(reinvocation, rounds);
    return rounds;
  }
}
