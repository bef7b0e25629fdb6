import { list, objects } from "../meta/access.js";
import type { KubeObject } from "../meta/object.js";
import {
  isProtected,
  type Reconciliation,
  readSubject,
  reconciliation,
  roleRefKey,
  type Subject,
  withWantedMetadata,
} from "./reconciliation.js";

const subjectsOf = ({ subjects }: KubeObject): readonly Subject[] => objects(subjects).map(readSubject);

/**
 * What it takes for the binding to have the subjects, the labels and the annotations of `wanted`, and with `removeExtra`
 * no other subjects. The role of a binding cannot be changed: for another one it is made anew.
 */
export function reconcileBinding(
  live: KubeObject | undefined,
  wanted: KubeObject,
  removeExtra: boolean,
): Reconciliation {
  if (live === undefined) return reconciliation("create", wanted, { missingSubjects: subjectsOf(wanted) });
  const kept = { isProtected: isProtected(live) };
  if (roleRefKey(live) !== roleRefKey(wanted)) return reconciliation("recreate", wanted, kept);
  const missingSubjects = notAmong(subjectsOf(wanted), subjectsOf(live));
  const extraSubjects = notAmong(subjectsOf(live), subjectsOf(wanted));
  const labelled = withWantedMetadata(live, wanted);
  const subjects = changedSubjects();
  const changed = labelled !== undefined || subjects !== undefined;
  const object = { ...(labelled ?? live), ...(subjects && { subjects }) };
  return reconciliation(changed ? "update" : "none", object, { ...kept, missingSubjects, extraSubjects });

  function changedSubjects(): readonly unknown[] | undefined {
    if (removeExtra) return missingSubjects.length + extraSubjects.length > 0 ? list(wanted["subjects"]) : undefined;
    return missingSubjects.length > 0 ? [...list(live?.["subjects"]), ...missingSubjects] : undefined;
  }
}

/** Each once. */
function notAmong(subjects: readonly Subject[], others: readonly Subject[]): readonly Subject[] {
  const key = (subject: Subject): string => JSON.stringify(subject);
  const known = new Set(others.map(key));
  return subjects.filter((subject) => {
    if (known.has(key(subject))) return false;
    known.add(key(subject));
    return true;
  });
}
