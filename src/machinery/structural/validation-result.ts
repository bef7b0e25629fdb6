import { type FieldErrorType, type FieldError, made } from "../errors/field-error.js";

/** One problem of a value, in the words of kube-openapi. */
export interface Problem {
  readonly type: FieldErrorType;
  /** Where it is; undefined for what kube-openapi does not say the place of. */
  readonly path: string | undefined;
  /** The text that tells problems apart: one is not reported twice. */
  readonly text: string;
  readonly detail: string;
  readonly badValue?: unknown;
}

/** More than a person reads; the rest is counted as wrong and not kept. */
const MOST = 1000;

/**
 * The result of a validation. `matches` counts checks as kube-openapi does, some of them even if they failed, by which the best
 * of several alternatives is chosen.
 */
export class Result {
  matches = 0;
  readonly problems: Problem[] = [];
  #texts: Set<string> | undefined;

  get isValid(): boolean {
    return this.problems.length === 0;
  }

  add(problem: Problem): void {
    this.#texts ??= new Set();
    if (this.problems.length >= MOST || this.#texts.has(problem.text)) return;
    this.#texts.add(problem.text);
    this.problems.push(problem);
  }

  merge(other: Result): void {
    this.matches += other.matches;
    for (const problem of other.problems) this.add(problem);
  }

  /** Forgets the problems from the `length`th on. */
  forgive(length: number): void {
    for (const { text } of this.problems.splice(length)) this.#texts?.delete(text);
  }
}

/** Go's text for the path of an error without one. */
export const NO_PATH = "<nil>";

/** Converts the problems of the value at `path` to field errors; "" is the path of a whole object. */
export function toFieldErrors({ problems }: Result, path: string): FieldError[] {
  return problems.map(({ type, detail, path: inside, badValue }: Problem) =>
    made({ type, field: fieldOf(path, inside), detail, ...(badValue !== undefined && { badValue }) }),
  );
}

function fieldOf(path: string, inside: string | undefined): string {
  const step = inside === undefined || inside === "." ? "" : inside.replace(/^\./, "");
  if (step === "") return path === "" ? NO_PATH : path;
  return path === "" ? step : `${path}.${step}`;
}
