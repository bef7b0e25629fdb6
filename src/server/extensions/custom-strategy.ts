import type { FieldsOf } from "../../machinery/meta/received.js";
import { errorMessage } from "../../base/text/error-message.js";
import { excluding } from "../../machinery/apply/field-filter.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { methodNotSupported, StatusError, unclassified } from "../../machinery/errors/status-error.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { BatchConversion } from "../../machinery/scheme/scheme.js";
import { prune } from "../../machinery/structural/pruning.js";
import { keepMetadata, STATUS_METADATA } from "../registry/metadata.js";
import type { Strategy } from "../registry/strategy.js";
import type { CustomVersion } from "./custom-version.js";
import { fieldAt } from "./custom-scale.js";
import type { SentForms } from "./sent-forms.js";

/** The parts from which a custom kind's strategy is made. */
export interface CustomKind {
  readonly group: string;
  /** The plural: "certificates". */
  readonly resource: string;
  readonly versions: readonly CustomVersion[];
  readonly stored: CustomVersion;
  /** From the stored version to another, where a webhook converts. */
  readonly webhook: ((version: CustomVersion) => BatchConversion) | undefined;
  /** The objects of requests before the webhook converted them. */
  readonly sent: SentForms;
  /** True from the deletion of the definition on, when its objects go. */
  readonly isTerminating: () => boolean;
}

/**
 * The strategy of a custom kind. An object is validated in the version of the request: as it was sent or, if a plugin changed it
 * since, as the webhook converts it back.
 */
export function customStrategy({
  group,
  resource,
  versions,
  stored,
  webhook,
  sent,
  isTerminating,
}: CustomKind): Strategy {
  const versionOf = (apiVersion: string): CustomVersion =>
    versions.find(({ name }) => apiVersion === `${group}/${name}`) ?? stored;
  const labels = new Map(versions.map(({ name, selectable }) => [`${group}/${name}`, selectable]));
  const selectable = [...new Set(versions.flatMap((version) => version.selectable))];
  const { scale } = stored;
  const found = new WeakMap<KubeObject, readonly FieldError[]>();
  const judged = (draft: KubeObject): readonly FieldError[] => {
    const errors = found.get(draft);
    if (errors === undefined) throw new Error(`an object of ${group} is validated before it was judged`);
    return errors;
  };
  async function inVersion(version: CustomVersion, objects: readonly KubeObject[]): Promise<readonly KubeObject[]> {
    if (webhook === undefined || version === stored) {
      return objects.map((one) => ({ ...one, apiVersion: `${group}/${version.name}` }) satisfies FieldsOf<ApiObject>);
    }
    try {
      return await webhook(version).convertMany(objects, "fromHub");
    } catch (error) {
      throw unclassified(errorMessage(error));
    }
  }
  return {
    beforeWrite(apiVersion) {
      const [forStored, forRequest] = [stored.prepare(), versionOf(apiVersion).prepare()];
      if (forStored === undefined || forRequest === undefined) return forStored ?? forRequest;
      return Promise.all([forStored, forRequest]).then(() => undefined);
    },
    hasGeneration: true,
    ...CUSTOM_UPDATES,
    async beforeValidation(draft, old, { apiVersion, warn }, subresource) {
      const version = versionOf(apiVersion);
      const [oldForm] = old === undefined ? [] : await inVersion(version, [old]);
      const asSent = version === stored ? undefined : sent.of(draft, old, oldForm);
      const [form = draft] = asSent === undefined ? await inVersion(version, [draft]) : [asSent];
      found.set(draft, await version.judge.judge(form, oldForm, warn, { isStatus: subresource === "status" }));
    },
    validate: judged,
    validateUpdate: judged,
    validateStatusUpdate: judged,
    canonicalize(draft, { apiVersion }) {
      if (versionOf(apiVersion) !== stored) prune(draft as JsonObject, stored.structural, { isResourceRoot: true });
    },
    prepareForCreate() {
      if (!isTerminating()) return;
      const { status } = methodNotSupported({ group, resource }, "create");
      throw new StatusError({
        ...status,
        message: "create not allowed while custom resource definition is terminating",
      });
    },
    fields: (one) => Object.fromEntries(selectable.map((path) => [path, selectableValue(one, path)])),
    fieldLabels: (apiVersion) => Object.fromEntries((labels.get(apiVersion) ?? []).map((path) => [path, path])),
    get columns() {
      return stored.columns;
    },
    columnsAt: (apiVersion) => versionOf(apiVersion).columns,
    ...(scale && { scale }),
  };
}

/** What of an object a write of its status comes to own: nothing but the status, and what is neither of these. */
const STATUS_FIELDS = { status: excluding("apiVersion", "kind", "metadata", "spec") };

/** The strategy for updates that all custom kinds share. */
export const CUSTOM_UPDATES: Strategy = {
  allowUnconditionalUpdate: false,
  prepareForStatusUpdate: (draft, old) => keepMetadata(draft, old, STATUS_METADATA),
  resetFields: STATUS_FIELDS,
};

function selectableValue(one: KubeObject, path: string): string {
  const value = fieldAt(one, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
