/** Thrown for a template that cannot be parsed or that does not fit the data. The message is that of Go's text/template. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** The error of a template function; the evaluator adds the place. */
export class FunctionError extends Error {
  override readonly name = "FunctionError";
}
