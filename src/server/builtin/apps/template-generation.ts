import { sameValue } from "../../../api/validation/rules.js";
import { object } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";

/** Where apps/v1 shows what extensions/v1beta1 had a field for: how often a daemon set's template was changed. */
const ANNOTATION = "deprecated.daemonset.template.generation";

const generationOf = ({ metadata }: KubeObject): number => {
  const written = metadata?.annotations?.[ANNOTATION] ?? "";
  return /^[+-]?[0-9]+$/.test(written) ? Number(written) : 0;
};

function show(draft: KubeObject, generation: number): void {
  const metadata = (draft.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: String(generation) };
}

export function startTemplateGeneration(draft: KubeObject): void {
  show(draft, Math.max(1, generationOf(draft)));
}

/** It counts by itself: no client changes it. */
export function countTemplateGeneration(draft: KubeObject, old: KubeObject): void {
  const [template, before] = [draft, old].map(({ spec }) => object(spec).template);
  show(draft, generationOf(old) + (sameValue(template, before) ? 0 : 1));
}

export function keepTemplateGeneration(draft: KubeObject, old: KubeObject): void {
  show(draft, generationOf(old));
}
