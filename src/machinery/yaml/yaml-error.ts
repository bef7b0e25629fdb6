/**
 * A document that cannot be read. `message` is worded as sigs.k8s.io/yaml words it ("error converting YAML to JSON: ..."),
 * so a caller puts "error parsing FILE: " before it and is done.
 */
export class YamlError extends Error {
  override readonly name = "YamlError";
  /** One-based, counted in the text that was parsed; undefined when the error has no place. For people, not for `message`. */
  readonly line: number | undefined;
  readonly column: number | undefined;

  constructor(message: string, place: { readonly line?: number; readonly column?: number } = {}) {
    super(message);
    this.line = place.line;
    this.column = place.column;
  }
}
