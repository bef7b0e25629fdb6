import { type ReadonlyFields, text, children, type Fields } from "../../machinery/meta/access.js";
import { formatGroupVersion, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { compact, without, withChildren } from "./copies.js";
import type { VersionRules, VersionTable } from "./version-table.js";
import { defaultRoleGroup } from "../defaults/policy.js";

const GROUP = "rbac.authorization.k8s.io";
/** In v1alpha1 a subject has a group and a version; for users and groups that is the version of the API itself. */
const ALPHA = `${GROUP}/v1alpha1`;

const binding: VersionRules = {
  conversion: {
    toHub: (object: KubeObject) => withChildren(object, "subjects", subjectFromAlpha),
    fromHub: (object: KubeObject) => withChildren(object, "subjects", subjectToAlpha),
  },
  applyDefaults: defaultAlphaRoleBinding,
};

/** v1beta1 is v1 under another name, defaults included. */
export const RBAC_ALPHA: VersionTable = {
  [`${ALPHA}/RoleBinding`]: binding,
  [`${ALPHA}/ClusterRoleBinding`]: binding,
};

function subjectFromAlpha(alpha: ReadonlyFields): ReadonlyFields {
  const apiGroup = groupOf(text(alpha.kind), text(alpha.apiVersion));
  const subject = compact({ ...without(alpha, ["apiVersion"]), apiGroup: apiGroup === "" ? undefined : apiGroup });
  // "*" among users meant every authenticated user, in this version only.
  return subject.kind === "User" && subject.name === "*"
    ? { ...subject, kind: "Group", name: "system:authenticated" }
    : subject;
}

function groupOf(kind: string, apiVersion: string): string {
  if (kind === "ServiceAccount") return "";
  if (kind === "User" || kind === "Group") return GROUP;
  return apiVersion.split("/").length > 2 ? "" : parseGroupVersion(apiVersion).group;
}

function subjectToAlpha(subject: ReadonlyFields): ReadonlyFields {
  const apiVersion = apiVersionOf(text(subject.kind), text(subject.apiGroup));
  return compact({ ...without(subject, ["apiGroup"]), apiVersion: apiVersion === "" ? undefined : apiVersion });
}

function apiVersionOf(kind: string, group: string): string {
  if (kind === "ServiceAccount" && group === "") return "v1";
  if ((kind === "User" || kind === "Group") && group === GROUP) return ALPHA;
  // A group without a version: "example.com/".
  return formatGroupVersion({ group, version: "" });
}

const API_VERSIONS: Readonly<Record<string, string>> = {
  ServiceAccount: "v1",
  User: "rbac.authorization.k8s.io/v1alpha1",
  Group: "rbac.authorization.k8s.io/v1alpha1",
};

/** RoleBinding and ClusterRoleBinding, whose subjects have an apiVersion in v1alpha1. */
function defaultAlphaRoleBinding(binding: Fields): void {
  defaultRoleGroup(binding);
  for (const subject of children(binding, "subjects")) {
    const kind = text(subject.kind);
    const apiVersion = Object.hasOwn(API_VERSIONS, kind) ? API_VERSIONS[kind] : undefined;
    if (apiVersion !== undefined && text(subject.apiVersion) === "") subject.apiVersion = apiVersion;
  }
}
