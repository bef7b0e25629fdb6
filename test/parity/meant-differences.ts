/**
 * Where kubets differs from kubectl on purpose. Each class rewrites kubectl's text into ours (or both into one);
 * a class that no session needs fails the run, so that none outlives its reason.
 */
export interface MeantDifference {
  readonly name: string;
  readonly reason: string;
  /** Applied to stdout, stderr and requests of both tools. Returns the text unchanged where it does not apply. */
  readonly rewrite: (text: string) => string;
}

export const meantDifferences: readonly MeantDifference[] = [];
