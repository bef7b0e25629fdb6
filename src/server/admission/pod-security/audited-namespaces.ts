import { type Policy, policyOf } from "../../../api/pod-security/policy.js";
import type { AdmissionObjects, CachedObject } from "../plugin.js";

/** Knows whether any namespace warns of pods or audits them, looking once at each revision of a namespace. */
export class AuditedNamespaces {
  #seen: readonly CachedObject[] | undefined;
  #areNone = false;
  /** Of each revision of {@link #seen}, whether it audits or warns. */
  #known = new Map<number, boolean>();

  constructor(private readonly defaults: Policy) {}

  /** False where there is no watch cache to ask. Every write of what makes pods asks. */
  areNone({ cached }: AdmissionObjects): boolean {
    const found = cached.now("", "namespaces");
    if (found === undefined) return false;
    if (found !== this.#seen) this.#look(found);
    return this.#areNone;
  }

  #look(namespaces: readonly CachedObject[]): void {
    const before = this.#known;
    this.#known = new Map();
    for (const namespace of namespaces) {
      const { revision } = namespace;
      this.#known.set(revision, before.get(revision) ?? this.#audits(namespace));
    }
    this.#areNone = ![...this.#known.values()].includes(true);
    this.#seen = namespaces;
  }

  #audits(namespace: CachedObject): boolean {
    const { policy, errors } = policyOf(namespace.object().metadata?.labels ?? {}, this.defaults);
    return errors.length > 0 || policy.audit.level !== "privileged" || policy.warn.level !== "privileged";
  }
}
