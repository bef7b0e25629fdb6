/** Thrown for an object that does not match its type. The message is structured-merge-diff's, with the path of each fault. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";

  constructor(readonly problems: readonly string[]) {
    super(problems.length === 1 ? problems[0] : ["errors:", ...problems.map((one) => `  ${one}`)].join("\n"));
  }
}
