import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import type { FieldError } from "../../machinery/errors/field-error.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { VersionedKind } from "../../machinery/scheme/scheme.js";
import { CustomScale, fieldAt } from "../extensions/custom-scale.js";
import type { ObjectJudge } from "../extensions/object-judge.js";
import type { Strategy, StrategyContext } from "../registry/strategy.js";
import type { TableColumns } from "../registry/table-columns.js";
import type { DeclaredVersion, KindDeclaration, KindOptions } from "./declaration.js";
import { kindColumns } from "./kind-columns.js";
import { schemeOf } from "./kind-scheme.js";

/**
 * The rules of a kind in code. An object is judged by the schema of the version that the request has, and, if it is right by that, by the
 * schema of the stored version and by the kind's own function.
 */
export function kindStrategy(declaration: KindDeclaration, { validate, strategy = {} }: KindOptions): Strategy {
  const { group, versions, storageVersion } = declaration;
  const stored = versions.find(({ name }) => name === storageVersion) ?? versions[0];
  if (stored === undefined) throw new TypeError(`kind ${declaration.kind} has no version`);
  const scale = scaleOf(stored);
  const versionOf = (apiVersion: string): DeclaredVersion =>
    versions.find(({ name: version }) => apiVersion === formatGroupVersion({ group, version })) ?? stored;
  const scheme = once(() => schemeOf({ declaration }));
  const kindOf = ({ name: version }: DeclaredVersion): VersionedKind =>
    scheme().kind({ group, version, kind: declaration.kind });
  const judged = async (
    draft: KubeObject,
    old: KubeObject | undefined,
    { apiVersion, warn }: StrategyContext,
    isStatus: boolean,
  ): Promise<readonly FieldError[]> => {
    const version = versionOf(apiVersion);
    const forms = async (of: DeclaredVersion): Promise<readonly FieldError[]> => {
      const judge = await judgeOf(of);
      const both = old === undefined ? [draft] : [draft, old];
      const [form = draft, oldForm] =
        of === stored && declaration.hub === undefined ? both : await kindOf(of).convertMany(both, "fromHub");
      return judge.judge(form, oldForm, warn, { isStatus });
    };
    const errors = await forms(version);
    return errors.length > 0 || version === stored ? errors : forms(stored);
  };
  const tables = new Map<DeclaredVersion, TableColumns>();
  const columnsOf = (version: DeclaredVersion): TableColumns => {
    const table = tables.get(version) ?? kindColumns(version.columns);
    tables.set(version, table);
    return table;
  };
  const selectable = [...new Set(versions.flatMap(({ selectableFields }) => selectableFields))];
  return {
    hasGeneration: true,
    ...(selectable.length > 0 && {
      fields: (object: KubeObject) => Object.fromEntries(selectable.map((path) => [path, labelValue(object, path)])),
      fieldLabels: (apiVersion: string) =>
        Object.fromEntries(versionOf(apiVersion).selectableFields.map((path) => [path, path])),
    }),
    ...strategy,
    async beforeValidation(draft, old, context, subresource) {
      const own = (await strategy.beforeValidation?.(draft, old, context, subresource)) ?? [];
      return [...own, ...(await judged(draft, old, context, subresource === "status"))];
    },
    ...(validate !== undefined && {
      validate: (object: KubeObject, context: StrategyContext) => validate(object, undefined, context),
      validateUpdate: validate,
    }),
    get columns() {
      return columnsOf(stored);
    },
    columnsAt: (apiVersion) => columnsOf(versionOf(apiVersion)),
    ...(scale !== undefined && { scale }),
  };
}

const scaleOf = ({ scale }: DeclaredVersion): CustomScale | undefined => scale && new CustomScale({ ...scale });

/** The judge of a version, made at the first write: what it needs of CEL is loaded then. */
const judgeOf = async (version: DeclaredVersion): Promise<ObjectJudge> =>
  (await inOrder(import("./judge-value.js"))).judgeOf(version).judge;

/** The value of a field as field selectors compare it; "" where there is none. */
function labelValue(object: KubeObject, path: string): string {
  const value = fieldAt(object, path);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
