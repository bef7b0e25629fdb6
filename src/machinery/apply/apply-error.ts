/** An object that does not fit its type, in structured-merge-diff's words, each with the path it is about. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";

  constructor(readonly problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n"));
  }
}
