import { excluding } from "../../machinery/apply/field-filter.js";
import { recordId, type ResourceRecord } from "../endpoints/resource-record.js";
import { keepMetadata, type KeptMetadata, STATUS_METADATA } from "../registry/metadata.js";

/** What a write of a resource's status does beside the status. No such write changes anything but metadata and status. */
interface StatusWrite {
  /** The fields of metadata that stay as they are stored. */
  readonly keeps: readonly KeptMetadata[];
  /** The paths that its manager does not come to own. */
  readonly unowned: readonly string[];
}

const TAKES_METADATA: StatusWrite = { keeps: [], unowned: ["spec"] };
const KEEPS_METADATA: StatusWrite = { keeps: STATUS_METADATA, unowned: ["metadata", "spec"] };

/**
 * The rules for status writes by resource: kube-apiserver has a strategy of its own for each status, and they share no rules.
 * Sources: PrepareForUpdate and GetResetFields of the status strategies of 1.36.
 */
export const STATUS_WRITES: Readonly<Record<string, StatusWrite>> = {
  "/namespaces": TAKES_METADATA,
  "/nodes": TAKES_METADATA,
  "/persistentvolumeclaims": TAKES_METADATA,
  "/persistentvolumes": TAKES_METADATA,
  "/pods": {
    keeps: ["ownerReferences"],
    unowned: ["spec", "metadata.deletionTimestamp", "metadata.ownerReferences"],
  },
  "/replicationcontrollers": TAKES_METADATA,
  "/resourcequotas": TAKES_METADATA,
  "/services": TAKES_METADATA,
  "admissionregistration.k8s.io/validatingadmissionpolicies": KEEPS_METADATA,
  // It means to keep the metadata, and puts back what the client sent.
  "apiextensions.k8s.io/customresourcedefinitions": { keeps: [], unowned: ["metadata", "spec"] },
  "apiregistration.k8s.io/apiservices": KEEPS_METADATA,
  "apps/daemonsets": TAKES_METADATA,
  "apps/deployments": { keeps: ["labels"], unowned: ["spec", "metadata.labels"] },
  "apps/replicasets": TAKES_METADATA,
  "apps/statefulsets": TAKES_METADATA,
  "autoscaling/horizontalpodautoscalers": TAKES_METADATA,
  "batch/cronjobs": TAKES_METADATA,
  "batch/jobs": TAKES_METADATA,
  "certificates.k8s.io/certificatesigningrequests": { keeps: [], unowned: ["spec", "status.conditions"] },
  "certificates.k8s.io/podcertificaterequests": { keeps: STATUS_METADATA, unowned: ["spec"] },
  "flowcontrol.apiserver.k8s.io/flowschemas": KEEPS_METADATA,
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": KEEPS_METADATA,
  "internal.apiserver.k8s.io/storageversions": KEEPS_METADATA,
  "lifecycle.k8s.io/evictionrequests": KEEPS_METADATA,
  "lifecycle.k8s.io/evictions": KEEPS_METADATA,
  "networking.k8s.io/ingresses": TAKES_METADATA,
  // It lists what is not owned under a group that does not exist.
  "networking.k8s.io/servicecidrs": { keeps: STATUS_METADATA, unowned: [] },
  "policy/poddisruptionbudgets": TAKES_METADATA,
  "resource.k8s.io/devicetaintrules": KEEPS_METADATA,
  "resource.k8s.io/resourceclaims": KEEPS_METADATA,
  "resource.k8s.io/resourcepoolstatusrequests": KEEPS_METADATA,
  "scheduling.k8s.io/compositepodgroups": KEEPS_METADATA,
  "scheduling.k8s.io/podgroups": KEEPS_METADATA,
  "storage.k8s.io/csinodes": KEEPS_METADATA,
  "storage.k8s.io/volumeattachments": KEEPS_METADATA,
  "storagemigration.k8s.io/storageversionmigrations": KEEPS_METADATA,
};

/** Makes the record's strategy apply {@link STATUS_WRITES}, before its own preparation of a status. */
export function withStatusWrite(record: ResourceRecord): ResourceRecord {
  const id = recordId(record);
  const rule = Object.hasOwn(STATUS_WRITES, id) ? STATUS_WRITES[id] : undefined;
  if (rule === undefined) return record;
  const { strategy = {} } = record;
  return {
    ...record,
    strategy: {
      ...strategy,
      prepareForStatusUpdate(draft, old, context) {
        keepMetadata(draft, old, rule.keeps);
        strategy.prepareForStatusUpdate?.(draft, old, context);
      },
      resetFields: { ...strategy.resetFields, status: excluding(...rule.unowned) },
    },
  };
}
