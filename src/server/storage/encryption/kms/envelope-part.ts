import { currentSpan, type RequestSpan } from "../../../../machinery/tracing/request-span.js";

/** Runs the work of an envelope transformer as a part of the current span, under kube-apiserver's names. Without a span it only runs the work. */
export function inEnvelopePart<T>(
  name: "TransformFromStorage" | "TransformToStorage",
  provider: string,
  work: (span: RequestSpan | undefined) => T,
): T {
  const parent = currentSpan();
  if (parent === undefined) return work(undefined);
  const span = parent.part(`${name} with envelopeTransformer`, { "transformer.provider.name": provider }, "measured");
  let result: T;
  try {
    result = work(span);
  } catch (error) {
    span.end();
    throw error;
  }
  const end = (): void => span.end();
  if (result instanceof Promise) result.then(end, end);
  else end();
  return result;
}

/** Runs a step of such work, and notes in the span that it has failed, and how. */
export function noted<T>(span: RequestSpan | undefined, failure: string, work: () => T): T {
  if (span === undefined) return work();
  try {
    return work();
  } catch (error) {
    span.step(failure);
    span.failed(error);
    throw error;
  }
}
