import type { ControllerRevision, StatefulSet } from "../../api/types/apps/v1.js";
import type { Release } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import { templateOf } from "../history/revision-data.js";

const KIND = { group: "apps", version: "v1", kind: "StatefulSet" } as const;

/**
 * Whether a revision keeps the set's template as an earlier version of Kubernetes wrote it: with nulls, and without the defaults of
 * later fields. Such a set need not be rolled out (StatefulSetSemanticRevisionComparison of kube-controller-manager).
 */
export function keepsTemplate(revision: ControllerRevision, set: StatefulSet, release: Release): boolean {
  const template = templateOf(revision);
  if (template === undefined) return false;
  const kind = publishedScheme(release).kind(KIND);
  const kept = { apiVersion: "apps/v1", kind: KIND.kind, spec: { ...set.spec, template } };
  let object: StatefulSet & KubeObject;
  try {
    ({ object } = decodeObject<StatefulSet & KubeObject>(kept, kind.schema, { mode: "Ignore", duplicates: undefined }));
  } catch {
    return false;
  }
  kind.applyDefaults(object, 0);
  return deepEqual(object.spec?.template ?? {}, set.spec?.template ?? {});
}
