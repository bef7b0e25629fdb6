/** A template that does not parse or that does not fit the data. The message is that of Go's text/template. */
export class TemplateError extends Error {
  override readonly name = "TemplateError";
}

/** What a function of a template complains about; the evaluator says where. */
export class FunctionError extends Error {
  override readonly name = "FunctionError";
}
