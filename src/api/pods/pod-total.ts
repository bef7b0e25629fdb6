import type { Release } from "../facts/index.js";

/** How amounts of resources are represented and added: quotas use quantities, the scheduler numbers. */
export interface AmountKind<A> {
  readonly none: () => A;
  /** Adds `more` to `to`. */
  readonly add: (to: A, more: A) => void;
  /** Raises what is less in `to` to what it is in `least`. */
  readonly raise: (to: A, least: A) => void;
}

/** What the sum reads of a container. */
interface Summand {
  readonly restartPolicy?: string | null | undefined;
}

/** What the sum reads of a pod's spec. */
interface Summands<C extends Summand> {
  readonly containers?: readonly C[];
  readonly initContainers?: readonly C[];
}

/**
 * Sums the resources of a pod's containers: those of containers and sidecars or, where that is more, those of an init container
 * with the sidecars before it. `of` returns the amounts of one container, in an object that may be modified.
 */
export function podTotal<C extends Summand, A>(
  spec: Summands<C> | undefined,
  { none, add, raise }: AmountKind<A>,
  of: (container: C, isInit: boolean) => A,
): A {
  const sum = none();
  for (const container of spec?.containers ?? []) add(sum, of(container, false));
  if (spec?.initContainers === undefined) return sum;
  const [sidecars, initial] = [none(), none()];
  for (const container of spec.initContainers) {
    const own = of(container, true);
    if (container.restartPolicy === "Always") {
      add(sum, own);
      add(sidecars, own);
      raise(initial, sidecars);
    } else {
      add(own, sidecars);
      raise(initial, own);
    }
  }
  raise(sum, initial);
  return sum;
}

/**
 * How quota counts a pod that is being resized: by the largest amount of each container, as up to Kubernetes 1.36, or by the
 * largest of the pod's sums of requests, allocated and actual amounts (K37-166).
 */
export type ResizeSums = "by-container" | "by-pod";

export const resizeSumsOf = (release: Pick<Release, "atLeast">): ResizeSums =>
  // K37-166
  release.atLeast("1.37") ? "by-pod" : "by-container";

/** The source of a container's amount: its spec's request, or the allocated or the actual amount in its status. */
export type AmountSource = "asked" | "allocated" | "actual";

/**
 * The largest of the pod's sums ({@link podTotal}) over spec, allocated and actual amounts. The sum of the spec is left out when
 * the resize that it asks for is infeasible.
 */
export function resizedTotal<C extends Summand, A>(
  spec: Summands<C> | undefined,
  kind: AmountKind<A>,
  isInfeasible: boolean,
  of: (container: C, isInit: boolean, source: AmountSource) => A,
): A {
  const total = (source: AmountSource): A => podTotal(spec, kind, (container, isInit) => of(container, isInit, source));
  const most = total("allocated");
  kind.raise(most, total("actual"));
  if (!isInfeasible) kind.raise(most, total("asked"));
  return most;
}
