import { type FieldError, made } from "../errors/field-error.js";
import type { Problem, Result } from "./validation-result.js";

/** How Go prints the path of an error that has none. */
export const NO_PATH = "<nil>";

/** The problems of the value at `path` as field errors; "" is the path of a whole object. */
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
