import { handling, type AdmissionPlugin } from "../plugin.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { absent, object, objects as objectsOf, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { refused } from "../attributes.js";
import { addFinalizer } from "./storage-object-in-use-protection.js";

export const SCHEDULING = "scheduling.k8s.io";

/** `handles` of a plugin that looks at new PodGroups. */
const createsPodGroups = handling(["CREATE"], `podgroups.${SCHEDULING}`);

/** What the plugin reads of a PodGroup of scheduling.k8s.io/v1alpha2. */
interface PodGroup {
  readonly spec?: {
    readonly podGroupTemplateRef?: {
      readonly workload?: { readonly workloadName?: string; readonly podGroupTemplateName?: string };
    };
  };
}

/** As {@link PodGroup}. */
interface Workload {
  readonly spec?: { readonly podGroupTemplates?: readonly { readonly name?: string }[] };
}

/** Before Kubernetes 1.37, rejects a new PodGroup whose Workload does not exist, or does not have the template that the group names. */
export const podGroupWorkloadExists: AdmissionPlugin = {
  name: "PodGroupWorkloadExists",
  handles: createsPodGroups,
  async validate(attributes, { objects, release }) {
    // K37-112: Kubernetes 1.37 admits PodGroups of any Workload.
    if (release.atLeast("1.37")) return;
    const { namespace } = attributes;
    const group: ReceivedObject<PodGroup> | undefined = attributes.object;
    const { workload } = object(object(group?.spec).podGroupTemplateRef);
    if (absent(workload)) return;
    const { workloadName, podGroupTemplateName } = object(workload);
    const wanted = [SCHEDULING, "workloads", namespace, text(workloadName)] as const;
    const found: ReceivedObject<Workload> | undefined =
      (await objects.cached.get(...wanted)) ?? (await objects.get(...wanted));
    const named = `Workload ${goQuote(text(workloadName))}`;
    if (found === undefined) throw refused(attributes, `PodGroup rejected: ${named} not found`);
    const templates = objectsOf(object(found.spec).podGroupTemplates);
    if (templates.some(({ name }) => name === podGroupTemplateName)) return;
    const missing = `PodGroupTemplate ${goQuote(text(podGroupTemplateName))}`;
    throw refused(attributes, `PodGroup rejected: ${missing} not found in ${named}`);
  },
};

const FINALIZER = "scheduling.k8s.io/podgroup-protection";

/** Adds a finalizer to new PodGroups, so that they are not deleted while they have pods. */
export const podGroupProtection: AdmissionPlugin = {
  name: "PodGroupProtection",
  handles: createsPodGroups,
  admit({ object: group }) {
    if (group !== undefined) addFinalizer(group, FINALIZER);
  },
};
