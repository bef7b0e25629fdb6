import type { Random } from "../../../src/base/numbers/random.js";
import { seededRandom } from "../../../src/base/numbers/seeded-random.js";
import { crashingCluster, type Fate } from "./crashing-cluster.js";

/** More lives than this has no play: its work is done before. */
const MOST_LIVES = 8;
/** A life ends by this request at the latest; a play without deaths has some 130. */
const LATEST_REQUEST = 40;
const MOST_SECONDS_AWAY = 5;

/** A play whose end differs from that of the undisturbed one. */
export interface Broken {
  readonly deaths: readonly Fate[];
  readonly differences: readonly string[];
}

/**
 * Plays again and again, until the controllers have died so often at moments that the seed chooses. Answers the plays that did not
 * end as without a death. The seed is printed: the same seed gives the same deaths.
 */
export async function killAtRandom(seed: string, kills: number): Promise<readonly Broken[]> {
  process.stdout.write(`controllers die ${kills} times, seed ${JSON.stringify(seed)}\n`);
  const random = seededRandom(seed);
  await using cluster = await crashingCluster();
  const { lines: expected, isDone } = await cluster.play([]);
  if (!isDone) throw new Error("without a death the work does not come to its end");
  const broken: Broken[] = [];
  for (let left = kills; left > 0; ) {
    const fates = Array.from({ length: Math.min(left, MOST_LIVES) }, () => fateFrom(random));
    const { lines, deaths } = await cluster.play(fates);
    left -= deaths.length;
    const differences = differencesOf(expected, lines);
    if (differences.length > 0) broken.push({ deaths, differences });
  }
  return broken;
}

function fateFrom(random: Random): Fate {
  const [request = 0, done = 0, away = 0] = random.bytes(3);
  return { request: 1 + (request % LATEST_REQUEST), done: done % 2 === 0, secondsAway: away % MOST_SECONDS_AWAY };
}

function differencesOf(expected: readonly string[], lines: readonly string[]): readonly string[] {
  const [wanted, found] = [new Set(expected), new Set(lines)];
  return [
    ...expected.filter((line) => !found.has(line)).map((line) => `without a death: ${line}`),
    ...lines.filter((line) => !wanted.has(line)).map((line) => `with deaths: ${line}`),
  ];
}
