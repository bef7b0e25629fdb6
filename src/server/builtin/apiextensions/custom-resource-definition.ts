import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
} from "../../../api/types/apiextensions/v1.js";
import {
  customResourceDefinitionSteps,
  definitionWarnings,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "../../../api/validation/apiextensions/index.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { list, text } from "../../../machinery/meta/access.js";
import * as received from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import type { TableColumns } from "../../registry/table-columns.js";
import { conditionStatus } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/**
 * The record of CustomResourceDefinitions. Its strategy adds each storage version to status.storedVersions, so that no version is
 * removed while objects are stored at it.
 */
export const customResourceDefinitionRecord: RecordOf<CustomResourceDefinition> = {
  group: "apiextensions.k8s.io",
  resource: "customresourcedefinitions",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    // The rule for the name needs the spec: it is the validator's.
    validateName: () => [],
    prepareForCreate(draft) {
      draft.status = {};
      rememberStorageVersion(draft);
    },
    prepareForUpdate: rememberStorageVersion,
    // Its objects go first: the extension server deletes them and then removes the finalizer.
    holdsDeletion: ({ metadata }) => metadata?.deletionTimestamp === undefined,
    markDeleting: beginDeletion,
    // Judges the schemas in slices of the event loop: what validate asks for afterwards is known.
    async beforeValidation(draft, old, context, subresource) {
      if (subresource !== "status") await inSlices(customResourceDefinitionSteps(draft, old, context));
    },
    validate: validateCustomResourceDefinition,
    validateUpdate: validateCustomResourceDefinitionUpdate,
    validateStatusUpdate: validateCustomResourceDefinitionStatus,
    warningsOnCreate: (definition, context) => definitionWarnings(definition, {}, context),
    warningsOnUpdate: definitionWarnings,
    // K37-118
    columnsAt: (_, release) => (release.atLeast("1.37") ? DEFINITION_COLUMNS : undefined),
  },
};

const DEFINITION_COLUMNS: TableColumns<received.ReceivedObject<CustomResourceDefinition>> = columns(
  [
    "Name",
    ["Scope", "Cluster or Namespaced."],
    ["Versions", "The versions that are served."],
    ["Created At:date", "When the definition was created."],
    ["Group:string:1", "The API group of its objects."],
    ["Kind:string:1", "The kind of its objects."],
    ["ShortNames:string:1", "Short names of the resource."],
    ["Established:boolean:1", "Whether its objects are served."],
  ],
  ({ metadata, spec, status }) => {
    const { group, names, scope, versions } = received.object(spec);
    const served = received.objects(versions).filter((version) => version.served === true);
    const { kind, shortNames } = received.object(names);
    return [
      metadata?.name ?? "",
      text(scope),
      served
        .map((version) => (version.storage === true ? `${text(version.name)}(storage)` : text(version.name)))
        .toSorted()
        .join(","),
      metadata?.creationTimestamp ?? "0001-01-01T00:00:00Z",
      text(group),
      text(kind),
      list(shortNames).map(text).join(","),
      conditionStatus(received.object(status).conditions, "Established") === "True",
    ];
  },
);

const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

function beginDeletion(draft: received.DraftObject<CustomResourceDefinition>): void {
  const { metadata = {} } = draft;
  const { finalizers = [], deletionTimestamp = "" } = metadata;
  if (!finalizers.includes(CLEANUP)) draft.metadata = { ...metadata, finalizers: [...finalizers, CLEANUP] };
  const status = received.ensureChild(draft, "status");
  const conditions = received.objects(status.conditions).filter(({ type }) => type !== "Terminating");
  const terminating: CustomResourceDefinitionCondition = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: deletionTimestamp,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  status.conditions = [...conditions, terminating];
}

function rememberStorageVersion(draft: received.DraftObject<CustomResourceDefinition>): void {
  const stored = received.objects(received.object(draft.spec).versions).find(({ storage }) => storage === true);
  if (stored === undefined) return;
  const status = received.ensureChild(draft, "status");
  const known = received.list(status.storedVersions);
  const name = received.text(stored.name);
  if (!known.includes(name)) status.storedVersions = [...known, name];
}
