import { MAX_NODE_SCORE } from "./plugin.js";

/** Brings scores between 0 and 100, the highest at 100; `reverse` turns them round, so that 0 becomes 100. */
export function normalizeScores(scores: number[], reverse: boolean): void {
  let highest = 0;
  for (const score of scores) if (score > highest) highest = score;
  for (let index = 0; index < scores.length; index++) {
    const share = highest === 0 ? 0 : Math.trunc((MAX_NODE_SCORE * (scores[index] ?? 0)) / highest);
    scores[index] = reverse ? MAX_NODE_SCORE - share : share;
  }
}
