import type { DaemonSet } from "../../../api/types/apps/v1.js";
import { sameValue } from "../../../api/validation/rules.js";
import { type DraftObject, object, type ReceivedObject } from "../../../machinery/meta/received.js";

/** Where apps/v1 shows what extensions/v1beta1 had a field for: how often a daemon set's template was changed. */
const ANNOTATION = "deprecated.daemonset.template.generation";

const generationOf = ({ metadata }: ReceivedObject<DaemonSet>): number => {
  const written = metadata?.annotations?.[ANNOTATION] ?? "";
  return /^[+-]?[0-9]+$/.test(written) ? Number(written) : 0;
};

function show(draft: DraftObject<DaemonSet>, generation: number): void {
  const metadata = (draft.metadata ??= {});
  metadata.annotations = { ...metadata.annotations, [ANNOTATION]: String(generation) };
}

export function startTemplateGeneration(draft: DraftObject<DaemonSet>): void {
  show(draft, Math.max(1, generationOf(draft)));
}

/** It counts by itself: no client changes it. */
export function countTemplateGeneration(draft: DraftObject<DaemonSet>, old: ReceivedObject<DaemonSet>): void {
  const [template, before] = [draft, old].map(({ spec }) => object(spec).template);
  show(draft, generationOf(old) + (sameValue(template, before) ? 0 : 1));
}

export function keepTemplateGeneration(draft: DraftObject<DaemonSet>, old: ReceivedObject<DaemonSet>): void {
  show(draft, generationOf(old));
}
