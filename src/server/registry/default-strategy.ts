import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import { selectorText } from "./selector-text.js";
import type { ScaleMapping, Strategy } from "./strategy.js";
import type { TableColumns } from "./table-columns.js";

/** A strategy with every field and hook that the Store uses without checking for undefined. */
export interface ResolvedStrategy extends Strategy {
  readonly allowCreateOnUpdate: boolean;
  readonly allowUnconditionalUpdate: boolean;
  readonly hasGeneration: boolean;
  readonly keepsStatusOnCreate: boolean;
  readonly returnsDeletedObject: boolean;
  readonly columns: TableColumns;
  readonly scale: ScaleMapping;
  validateName(name: string): readonly string[];
}

/** The kinds whose metadata.generation the registry increments, by "<group>/<resource>" (pkg/registry of 1.36). */
const WITH_GENERATION: ReadonlySet<string> = new Set([
  "/pods",
  "/podtemplates",
  "/replicationcontrollers",
  "admissionregistration.k8s.io/mutatingadmissionpolicies",
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings",
  "admissionregistration.k8s.io/mutatingwebhookconfigurations",
  "admissionregistration.k8s.io/validatingadmissionpolicies",
  "admissionregistration.k8s.io/validatingadmissionpolicybindings",
  "admissionregistration.k8s.io/validatingwebhookconfigurations",
  "apiextensions.k8s.io/customresourcedefinitions",
  "apps/daemonsets",
  "apps/deployments",
  "apps/replicasets",
  "apps/statefulsets",
  "batch/cronjobs",
  "batch/jobs",
  "discovery.k8s.io/endpointslices",
  "flowcontrol.apiserver.k8s.io/flowschemas",
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations",
  "networking.k8s.io/ingressclasses",
  "networking.k8s.io/ingresses",
  "networking.k8s.io/networkpolicies",
  "policy/poddisruptionbudgets",
  "resource.k8s.io/deviceclasses",
  "resource.k8s.io/devicetaintrules",
  "resource.k8s.io/resourceslices",
  "scheduling.k8s.io/priorityclasses",
  "storage.k8s.io/csidrivers",
]);

/** The resources of the core group whose DELETE returns the object instead of a Status. */
const RETURNING_DELETED: ReadonlySet<string> = new Set([
  "/persistentvolumeclaims",
  "/persistentvolumes",
  "/pods",
  "/podtemplates",
  "/resourcequotas",
  "/serviceaccounts",
  "/services",
]);

/** Completes a kind's strategy: a hook that `special` leaves out gets the generic behaviour. */
export function resolveStrategy(group: string, resource: string, special: Strategy | undefined): ResolvedStrategy {
  const id = `${group}/${resource}`;
  return {
    allowCreateOnUpdate: false,
    allowUnconditionalUpdate: true,
    hasGeneration: WITH_GENERATION.has(id),
    keepsStatusOnCreate: false,
    returnsDeletedObject: RETURNING_DELETED.has(id),
    columns: DEFAULT_COLUMNS,
    scale: DEFAULT_SCALE,
    validateName: dns1123SubdomainErrors,
    ...special,
  };
}

/** The columns of apiserver's default table convertor. */
const DEFAULT_COLUMNS: TableColumns = {
  definitions: [
    {
      name: "Name",
      type: "string",
      format: "name",
      description: "Name, unique within its namespace where the resource has one.",
      priority: 0,
    },
    { name: "Created At", type: "date", format: "", description: "When the server created the object.", priority: 0 },
  ],
  cells: (object) => [object.metadata?.name ?? "", object.metadata?.creationTimestamp ?? null],
};

const DEFAULT_SCALE: ScaleMapping = {
  replicas: (object) => numberAt(object["spec"], "replicas"),
  statusReplicas: (object) => numberAt(object["status"], "replicas"),
  selector(object) {
    const spec = object["spec"];
    return isJsonObject(spec) ? selectorText(spec["selector"]) : "";
  },
  setReplicas(draft: KubeObject, replicas: number) {
    draft["spec"] = { ...(isJsonObject(draft["spec"]) ? draft["spec"] : {}), replicas };
  },
};

function numberAt(part: unknown, field: string): number {
  const value = isJsonObject(part) ? part[field] : undefined;
  return typeof value === "number" ? value : 0;
}
