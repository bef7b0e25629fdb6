import { createHash } from "node:crypto";

/** So many bits of a hash are spread evenly enough over queues; validation of priority levels has the same limit. */
const MOST_BITS = 60;

/** Returns the hash of a flow: the requests of a FlowSchema with the same distinguisher. */
export function flowHash(flowSchema: string, distinguisher: string): bigint {
  return createHash("sha256").update(`${flowSchema}\0${distinguisher}`).digest().readBigUInt64LE(0);
}

/** Whether hands of the size can be dealt of so many queues. */
export function canDeal(queues: number, handSize: number): boolean {
  if (queues < 1 || handSize < 1 || handSize > queues || queues > 2 ** 26) return false;
  return Math.ceil(Math.log2(queues) * handSize) <= MOST_BITS;
}

/**
 * Chooses the queues of a flow by shuffle sharding: `handSize` different queues of 0 to `queues` - 1. Flows with different hashes
 * rarely get the same queues, so that one of them cannot fill all queues of another. Source: kube-apiserver's
 * shufflesharding.Dealer.
 */
export function dealHand(hash: bigint, queues: number, handSize: number): readonly number[] {
  const drawn: number[] = [];
  let rest = hash;
  for (let dealt = 0; dealt < handSize; dealt++) {
    const left = BigInt(queues - dealt);
    drawn.push(Number(rest % left));
    rest /= left;
  }
  // Each number counts among the queues that were not dealt before it.
  return drawn.map((number, place) => {
    let queue = number;
    for (let before = place - 1; before >= 0; before--) if (queue >= (drawn[before] ?? 0)) queue += 1;
    return queue;
  });
}
