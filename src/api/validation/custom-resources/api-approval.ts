import { goQuote } from "../../../base/go-quote.js";
import { type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

const ANNOTATION = "api-approved.kubernetes.io";
const SEE = "see https://github.com/kubernetes/enhancements/pull/1111";

type State = "Approved" | "Bypassed" | "Missing" | "Invalid";

/** Kinds in Kubernetes' own groups need an annotation that says who approved them. `old` is what an update changes. */
export function validateApiApproval(definition: KubeObject, old?: KubeObject): FieldError[] {
  if (!isProtected(text(object(definition.spec).group))) return [];
  const state = stateOf(definition);
  if (old !== undefined && stateOf(old) === state) return [];
  const path = `metadata.annotations[${ANNOTATION}]`;
  const intro = `protected groups must have approval annotation ${goQuote(ANNOTATION)}`;
  if (state === "Missing") return [required(path, `${intro}, ${SEE}`)];
  if (state !== "Invalid") return [];
  const detail = `${intro} with either a URL or a reason starting with "unapproved", ${SEE}`;
  return [invalidValue(path, annotationOf(definition), detail)];
}

function isProtected(group: string): boolean {
  return ["k8s.io", "kubernetes.io"].some((own) => group === own || group.endsWith(`.${own}`));
}

const annotationOf = ({ metadata }: KubeObject): string => metadata?.annotations?.[ANNOTATION] ?? "";

function stateOf(definition: KubeObject): State {
  const annotation = annotationOf(definition);
  if (annotation === "") return "Missing";
  if (annotation.startsWith("unapproved")) return "Bypassed";
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#\s]+/.test(annotation) ? "Approved" : "Invalid";
}
