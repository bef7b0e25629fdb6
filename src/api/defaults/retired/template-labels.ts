import { absent, child, ensureChild, type Fields, object } from "../../../machinery/meta/access.js";

/** Old workload versions select the pods of their template, and have its labels, unless they say otherwise. */
export function defaultToTemplateLabels(workload: Fields): void {
  const spec = ensureChild(workload, "spec");
  const labels = child(child(child(spec, "template") ?? {}, "metadata") ?? {}, "labels");
  if (labels === undefined) return;
  const some = Object.keys(labels).length > 0;
  // Labels that are stated and empty make a selector all the same.
  if (absent(spec.selector)) spec.selector = some ? { matchLabels: { ...labels } } : {};
  const metadata = ensureChild(workload, "metadata");
  if (some && Object.keys(object(metadata.labels)).length === 0) metadata.labels = { ...labels };
}
