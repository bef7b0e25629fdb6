/**
 * What every contender measured, round by round, by the contender's name. A round before the first only warms up, unless
 * `warmUp` is false. Every other round runs backwards, because what comes second finds another machine.
 */
export async function inTurn(contenders, rounds, measure, { warmUp = true } = {}) {
  const samples = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      const sample = await measure(contender);
      if (round >= 0) samples.get(contender.name).push(sample);
    }
  }
  return samples;
}
