/**
 * Ends an evaluation that reads something which is not there yet. Evaluation is synchronous: its caller calls `resolve`, waits, and
 * starts again.
 */
export class Unresolved extends Error {
  constructor(readonly resolve: () => Promise<void>) {
    super("an expression reads a value that is not there yet");
  }
}
