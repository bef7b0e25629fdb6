import type { Release } from "../../../api/facts/index.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmissionContext, AdmissionManifests, AdmissionObjects, CachedObject } from "../plugin.js";
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
 * The policies of one kind that have bindings, by their names, each with its bindings by theirs; those of files come first. Each request sees the
 * policies of its arrival; one generation of a policy or a binding is prepared once.
 */
export class ConfiguredPolicies {
  readonly #policies: PreparedObjects<Policy>;
  readonly #bindings: PreparedObjects<Binding>;
  #bound: readonly BoundPolicy[] = [];
  #of: readonly unknown[] = [];
  #boundOfFiles: readonly BoundPolicy[] = [];
  #ofFilesOf: readonly unknown[] = [];

  constructor(
    private readonly resources: PolicyResources,
    private readonly plugin: string,
  ) {
    this.#policies = new PreparedObjects(resources.policies, policyOf);
    this.#bindings = new PreparedObjects(resources.bindings, bindingOf);
  }

  /** True where files have no policies, and the watch cache holds no policies or no bindings. Every write asks. */
  areNone({ objects: { cached }, manifests, release }: AdmissionContext, onlyOfFiles: boolean): boolean {
    if (manifests !== undefined && this.#ofFiles(manifests, release).length > 0) return false;
    return (
      onlyOfFiles ||
      cached.now(GROUP, this.resources.bindings)?.length === 0 ||
      cached.now(GROUP, this.resources.policies)?.length === 0
    );
  }

  async now({ objects, manifests, release }: AdmissionContext, onlyOfFiles: boolean): Promise<readonly BoundPolicy[]> {
    if (manifests === undefined) return onlyOfFiles ? [] : this.#ofApi(objects, release);
    const ofFiles = this.#ofFiles(manifests, release);
    return onlyOfFiles ? ofFiles : [...ofFiles, ...(await this.#ofApi(objects, release))];
  }

  #ofFiles(manifests: AdmissionManifests, release: Release): readonly BoundPolicy[] {
    const { policies: ofPolicies, bindings: ofBindings } = this.resources;
    const policies = manifests.now(this.plugin, ofPolicies) ?? [];
    const bindings = manifests.now(this.plugin, ofBindings) ?? [];
    if (this.#ofFilesOf[0] !== policies || this.#ofFilesOf[1] !== bindings) {
      this.#boundOfFiles = bound(
        policies.map((one) => policyOf(one, release)),
        bindings.map(bindingOf),
      );
      this.#ofFilesOf = [policies, bindings];
    }
    return this.#boundOfFiles;
  }

  async #ofApi(objects: AdmissionObjects, release: Release): Promise<readonly BoundPolicy[]> {
    const [policies, bindings] = [
      await this.#policies.now(objects, release),
      await this.#bindings.now(objects, release),
    ];
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
    private readonly prepare: (object: KubeObject, release: Release) => T,
  ) {}

  async now({ cached }: AdmissionObjects, release: Release): Promise<readonly T[]> {
    const found = cached.now(GROUP, this.resource);
    if (found === undefined) return this.#prepareAll(await cached.list(GROUP, this.resource), release);
    if (found !== this.#seen) {
      this.#all = this.#prepareAll(
        found.map((one) => one.object()),
        release,
      );
      this.#seen = found;
    }
    return this.#all;
  }

  #prepareAll(objects: readonly KubeObject[], release: Release): readonly T[] {
    const before = this.#prepared;
    this.#prepared = new Map();
    return objects.map((object) => {
      const { name = "", uid = "", generation = 0 } = object.metadata ?? {};
      const version = `${uid}/${generation}`;
      const known = before.get(name);
      const current = known?.version === version ? known : { version, one: this.prepare(object, release) };
      this.#prepared.set(name, current);
      return current.one;
    });
  }
}
