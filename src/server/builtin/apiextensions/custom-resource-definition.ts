import {
  customResourceDefinitionSteps,
  definitionWarnings,
  validateCustomResourceDefinition,
  validateCustomResourceDefinitionStatus,
  validateCustomResourceDefinitionUpdate,
} from "../../../api/validation/apiextensions/index.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { ensureChild, list, object, objects, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";

/** Remembers every version that objects may be stored in, so that none goes while there are some. */
export const customResourceDefinitionRecord: ResourceRecord = {
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
    warningsOnCreate: (definition) => definitionWarnings(definition),
    warningsOnUpdate: definitionWarnings,
  },
};

const CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

function beginDeletion(draft: KubeObject): void {
  const { metadata = {} } = draft;
  const { finalizers = [], deletionTimestamp = "" } = metadata;
  if (!finalizers.includes(CLEANUP)) draft.metadata = { ...metadata, finalizers: [...finalizers, CLEANUP] };
  const status = ensureChild(draft, "status");
  const conditions = objects(status.conditions).filter(({ type }) => type !== "Terminating");
  const terminating = {
    type: "Terminating",
    status: "True",
    lastTransitionTime: deletionTimestamp,
    reason: "InstanceDeletionPending",
    message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
  };
  status.conditions = [...conditions, terminating];
}

function rememberStorageVersion(draft: KubeObject): void {
  const stored = objects(object(draft.spec).versions).find(({ storage }) => storage === true);
  if (stored === undefined) return;
  const status = ensureChild(draft, "status");
  const known = list(status.storedVersions);
  if (!known.includes(text(stored.name))) status.storedVersions = [...known, text(stored.name)];
}
