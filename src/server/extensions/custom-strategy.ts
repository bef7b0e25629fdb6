import { methodNotSupported, StatusError } from "../../machinery/errors/status-error.js";
import { absent, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { BatchConversion } from "../../machinery/scheme/registration.js";
import { prune } from "../../machinery/structural/prune.js";
import type { ScaleMapping, Strategy } from "../registry/strategy.js";
import type { CustomVersion } from "./custom-version.js";
import { fieldAt, setFieldAt } from "./field-at.js";

/** What a custom kind's strategy is made of. */
export interface CustomKind {
  readonly group: string;
  readonly versions: readonly CustomVersion[];
  readonly stored: CustomVersion;
  /** From the stored version to another, where a webhook converts. */
  readonly webhook: ((version: CustomVersion) => BatchConversion) | undefined;
  /** True from the deletion of the definition on, when its objects go. */
  readonly isTerminating: () => boolean;
}

/**
 * The rules of a custom kind. An object is validated in the version that the request has: objects that a webhook converts are
 * brought there first.
 */
export function customStrategy({ group, versions, stored, webhook, isTerminating }: CustomKind): Strategy {
  const versionOf = (apiVersion: string): CustomVersion =>
    versions.find(({ name }) => apiVersion === `${group}/${name}`) ?? stored;
  const labels = new Map(versions.map(({ name, selectable }) => [`${group}/${name}`, selectable]));
  const selectable = [...new Set(versions.flatMap((version) => version.selectable))];
  const scale = scaleOf(stored);
  const forms = new WeakMap<KubeObject, Forms>();
  const formsOf = (draft: KubeObject, old: KubeObject | undefined, apiVersion: string): Forms =>
    forms.get(draft) ?? { form: { ...draft, apiVersion }, oldForm: old && { ...old, apiVersion } };
  const validateChange: Strategy["validateUpdate"] = (draft, old, { apiVersion, warn }) => {
    const { form, oldForm } = formsOf(draft, old, apiVersion);
    return versionOf(apiVersion).judge.judge(form, oldForm, warn);
  };
  return {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    async beforeValidation(draft, old, { apiVersion, warn }) {
      const version = versionOf(apiVersion);
      await version.prepare();
      if (webhook !== undefined && version !== stored) {
        const objects = old === undefined ? [draft] : [draft, old];
        const [form = draft, oldForm] = await webhook(version).convertMany(objects, "fromHub");
        forms.set(draft, { form, oldForm });
      }
      if (!version.judge.hasRules) return;
      const { form, oldForm } = formsOf(draft, old, apiVersion);
      forms.set(draft, { form, oldForm });
      await version.judge.ahead(form, oldForm, warn);
    },
    validate(draft, { apiVersion, warn }) {
      const { form } = formsOf(draft, undefined, apiVersion);
      return versionOf(apiVersion).judge.judge(form, undefined, warn);
    },
    validateUpdate: validateChange,
    validateStatusUpdate: validateChange,
    canonicalize(draft, { apiVersion }) {
      if (versionOf(apiVersion) !== stored) prune(draft as JsonObject, stored.structural, { isResourceRoot: true });
    },
    prepareForCreate() {
      if (!isTerminating()) return;
      const { status } = methodNotSupported({ group, resource: "" }, "create");
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

/** An object in the version of the request, and what it was before. */
interface Forms {
  readonly form: KubeObject;
  readonly oldForm: KubeObject | undefined;
}

function selectableValue(one: KubeObject, path: string): string {
  const value = fieldAt(one, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function scaleOf(version: CustomVersion): ScaleMapping | undefined {
  const scale = version.subresource("scale");
  if (scale === undefined) return undefined;
  const numberAt = (one: KubeObject, path: unknown): number => {
    const value = fieldAt(one, text(path));
    return typeof value === "number" ? value : 0;
  };
  return {
    replicas: (one) => numberAt(one, scale.specReplicasPath),
    statusReplicas: (one) => numberAt(one, scale.statusReplicasPath),
    selector: (one) => (absent(scale.labelSelectorPath) ? "" : text(fieldAt(one, text(scale.labelSelectorPath)))),
    setReplicas: (draft, replicas) =>
      setFieldAt(draft as Record<string, unknown>, text(scale.specReplicasPath), replicas),
  };
}
