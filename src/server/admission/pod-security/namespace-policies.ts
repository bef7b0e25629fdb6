import { type LabelledPolicy, type Policy, policyOf } from "../../../api/pod-security/policy.js";
import type { AdmissionObjects, CachedObject } from "../plugin.js";

interface Entry {
  readonly name: string;
  readonly policy: LabelledPolicy;
}

/** The policies of the namespaces in the watch cache. The labels of each revision of a namespace are read once. */
export class NamespacePolicies {
  #seen: readonly CachedObject[] | undefined;
  #byRevision = new Map<number, Entry>();
  #byName = new Map<string, LabelledPolicy>();
  #noneAudits = false;

  constructor(private readonly defaults: Policy) {}

  /** Undefined for a namespace that the watch cache does not have, and where there is no watch cache. */
  known(objects: AdmissionObjects, namespace: string): LabelledPolicy | undefined {
    return this.#isCurrent(objects) ? this.#byName.get(namespace) : undefined;
  }

  /** For a namespace that is not {@link known} here: it may be another server's, and new. */
  async lookUp({ cached, get }: AdmissionObjects, namespace: string): Promise<LabelledPolicy | undefined> {
    const wanted = ["", "namespaces", "", namespace] as const;
    const found = (await cached.get(...wanted)) ?? (await get(...wanted));
    return found && policyOf(found.metadata?.labels ?? {}, this.defaults);
  }

  /** True while no namespace audits pods or warns of them. False where there is no watch cache. */
  noneAudits(objects: AdmissionObjects): boolean {
    return this.#isCurrent(objects) && this.#noneAudits;
  }

  /** Every write of a pod, and of what makes pods, asks. */
  #isCurrent({ cached }: AdmissionObjects): boolean {
    const found = cached.now("", "namespaces");
    if (found === undefined) return false;
    if (found !== this.#seen) this.#read(found);
    return true;
  }

  #read(namespaces: readonly CachedObject[]): void {
    const before = this.#byRevision;
    this.#byRevision = new Map();
    this.#byName = new Map();
    this.#noneAudits = true;
    for (const namespace of namespaces) {
      const entry = before.get(namespace.revision) ?? this.#entryOf(namespace);
      this.#byRevision.set(namespace.revision, entry);
      this.#byName.set(entry.name, entry.policy);
      if (audits(entry.policy)) this.#noneAudits = false;
    }
    this.#seen = namespaces;
  }

  #entryOf(namespace: CachedObject): Entry {
    const { name = "", labels = {} } = namespace.object().metadata ?? {};
    return { name, policy: policyOf(labels, this.defaults) };
  }
}

/** Whether a policy has something to do with what makes pods. */
export const audits = ({ policy, errors }: LabelledPolicy): boolean =>
  errors.length > 0 || policy.audit.level !== "privileged" || policy.warn.level !== "privileged";
