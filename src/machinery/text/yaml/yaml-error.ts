/**
 * Thrown for a document that cannot be parsed. `message` is that of sigs.k8s.io/yaml ("error converting YAML to JSON: ..."), so
 * that a caller only adds "error parsing FILE: " before it.
 */
export class YamlError extends Error {
  override readonly name = "YamlError";
  /** One-based, counted in the text that was parsed; undefined when the error has no place. For people, not for `message`. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The line that goyaml v3 names, where `message` names goyaml v2's; 0 when it names none, undefined when they do not differ. */
  readonly lineOfGoyaml3: number | undefined;

  constructor(
    message: string,
    place: { readonly line?: number; readonly column?: number; readonly lineOfGoyaml3?: number } = {},
  ) {
    super(message);
    this.line = place.line;
    this.column = place.column;
    this.lineOfGoyaml3 = place.lineOfGoyaml3;
  }
}
