import { excluding, type FieldFilter, including } from "../../machinery/apply/field-filter.js";
import type { Strategy } from "../registry/strategy.js";

/** Filters by subresource, "" for the object itself; a subresource that is not listed gets the usual. */
type Filters = Readonly<Record<string, FieldFilter>>;

const ALL: FieldFilter = (set) => set;

/** A status whose update takes back all of metadata. */
const statusOnly: Filters = { status: excluding("metadata", "spec") };

/** What differs from the usual, by "<group>/<resource>", the core group's by resource alone (pkg/registry of 1.36). */
const FILTERS: Readonly<Record<string, Filters>> = {
  pods: {
    status: excluding("spec", "metadata.deletionTimestamp", "metadata.ownerReferences"),
    ephemeralcontainers: including("spec.ephemeralContainers"),
    resize: including(
      "spec.containers.*.resources",
      "spec.containers.*.resizePolicy",
      "spec.initContainers.*.resources",
      "spec.initContainers.*.resizePolicy",
    ),
  },
  "admissionregistration.k8s.io/validatingadmissionpolicies": statusOnly,
  "apiregistration.k8s.io/apiservices": statusOnly,
  "apps/deployments": { status: excluding("spec", "metadata.labels") },
  "certificates.k8s.io/certificatesigningrequests": {
    "": excluding("spec", "status"),
    status: excluding("spec", "status.conditions"),
    approval: excluding("spec", "status.certificate"),
  },
  "certificates.k8s.io/podcertificaterequests": { status: excluding("spec", "status.conditions") },
  "flowcontrol.apiserver.k8s.io/flowschemas": statusOnly,
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": statusOnly,
  "internal.apiserver.k8s.io/storageversions": statusOnly,
  // They are listed there under a group that does not exist.
  "networking.k8s.io/servicecidrs": { "": ALL, status: ALL },
  "resource.k8s.io/devicetaintrules": statusOnly,
  "resource.k8s.io/resourceclaims": statusOnly,
  "resource.k8s.io/resourcepoolstatusrequests": statusOnly,
  "scheduling.k8s.io/podgroups": statusOnly,
  "storage.k8s.io/volumeattachments": statusOnly,
};

/** {@link Strategy.resetFields} of a built-in resource; undefined where the usual will do. `key` is as in FILTERS. */
export function resetFieldsOf(key: string): Strategy["resetFields"] {
  const filters = Object.hasOwn(FILTERS, key) ? FILTERS[key] : undefined;
  return filters && ((subresource) => (Object.hasOwn(filters, subresource) ? filters[subresource] : undefined));
}
