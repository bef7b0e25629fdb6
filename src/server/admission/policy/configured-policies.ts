import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionObjects, CachedObject } from "../plugin.js";
import { type Binding, bindingOf, type Policy, policyOf } from "./policy.js";

const GROUP = "admissionregistration.k8s.io";

/** A policy with the bindings that name it. */
export interface BoundPolicy {
  readonly policy: Policy;
  readonly bindings: readonly Binding[];
}

/** The resources of a kind of policies. */
export interface PolicyResources {
  readonly policies: "mutatingadmissionpolicies" | "validatingadmissionpolicies";
  readonly bindings: "mutatingadmissionpolicybindings" | "validatingadmissionpolicybindings";
}

/**
 * The policies of one kind that have bindings, by their names, each with its bindings by theirs. Each request sees the policies of its arrival; one
 * generation of a policy or a binding is prepared once.
 */
export class ConfiguredPolicies {
  readonly #policies: PreparedObjects<Policy>;
  readonly #bindings: PreparedObjects<Binding>;
  #bound: readonly BoundPolicy[] = [];
  #of: readonly unknown[] = [];

  constructor(private readonly resources: PolicyResources) {
    this.#policies = new PreparedObjects(resources.policies, policyOf);
    this.#bindings = new PreparedObjects(resources.bindings, bindingOf);
  }

  /** True where the watch cache holds no policies or no bindings. Every write asks. */
  areNone({ cached }: AdmissionObjects): boolean {
    return (
      cached.now(GROUP, this.resources.bindings)?.length === 0 ||
      cached.now(GROUP, this.resources.policies)?.length === 0
    );
  }

  async now(objects: AdmissionObjects): Promise<readonly BoundPolicy[]> {
    const [policies, bindings] = [await this.#policies.now(objects), await this.#bindings.now(objects)];
    if (this.#of[0] !== policies || this.#of[1] !== bindings) {
      this.#bound = bound(policies, bindings);
      this.#of = [policies, bindings];
    }
    return this.#bound;
  }
}

function bound(policies: readonly Policy[], bindings: readonly Binding[]): readonly BoundPolicy[] {
  const byPolicy = new Map<string, Binding[]>();
  for (const binding of bindings) {
    const others = byPolicy.get(binding.policy);
    if (others === undefined) byPolicy.set(binding.policy, [binding]);
    else others.push(binding);
  }
  return policies.flatMap((policy) => {
    const own = byPolicy.get(policy.name);
    return own === undefined ? [] : [{ policy, bindings: own }];
  });
}

/** All objects of a resource, prepared. It is the same list until one of them changes. */
class PreparedObjects<T> {
  #seen: readonly CachedObject[] | undefined;
  #all: readonly T[] = [];
  #prepared = new Map<string, { readonly version: string; readonly one: T }>();

  constructor(
    private readonly resource: string,
    private readonly prepare: (object: KubeObject) => T,
  ) {}

  async now({ cached }: AdmissionObjects): Promise<readonly T[]> {
    const found = cached.now(GROUP, this.resource);
    if (found === undefined) return this.#prepareAll(await cached.list(GROUP, this.resource));
    if (found !== this.#seen) {
      this.#all = this.#prepareAll(found.map((one) => one.object()));
      this.#seen = found;
    }
    return this.#all;
  }

  #prepareAll(objects: readonly KubeObject[]): readonly T[] {
    const before = this.#prepared;
    this.#prepared = new Map();
    return objects.map((object) => {
      const { name = "", uid = "", generation = 0 } = object.metadata ?? {};
      const version = `${uid}/${generation}`;
      const known = before.get(name);
      const current = known?.version === version ? known : { version, one: this.prepare(object) };
      this.#prepared.set(name, current);
      return current.one;
    });
  }
}
