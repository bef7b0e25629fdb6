/** A template that cannot be parsed, or that does not fit the data. The message is client-go's. */
export class JsonPathError extends Error {
  override readonly name = "JsonPathError";
}
