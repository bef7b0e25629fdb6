import type { EndpointSubset } from "../../api/types/core/v1.js";

/** Endpoints hold at most so many addresses. */
const MOST_ADDRESSES = 1000;

/**
 * Cuts subsets to the most addresses that Endpoints hold, in proportion to their sizes; ready ones go before others. Undefined
 * when there are no more than that.
 */
export function truncateSubsets(subsets: readonly EndpointSubset[]): EndpointSubset[] | undefined {
  const total = (field: "addresses" | "notReadyAddresses"): number =>
    subsets.reduce((sum, subset) => sum + (subset[field]?.length ?? 0), 0);
  const [ready, notReady] = [total("addresses"), total("notReadyAddresses")];
  if (ready + notReady <= MOST_ADDRESSES) return undefined;
  const cutsReady = ready > MOST_ADDRESSES;
  const field = cutsReady ? "addresses" : "notReadyAddresses";
  const room = cutsReady ? MOST_ADDRESSES : MOST_ADDRESSES - ready;
  let left = room;
  return subsets.map((subset) => {
    const held = subset[field] ?? [];
    const share = Math.min(left, Math.ceil((held.length / (cutsReady ? ready : notReady)) * room));
    const kept = held.slice(0, share);
    left -= kept.length;
    const { addresses, notReadyAddresses: _, ...others } = subset;
    const [first, second] = cutsReady ? [kept, []] : [addresses ?? [], kept];
    return {
      ...(first.length > 0 && { addresses: first }),
      ...(second.length > 0 && { notReadyAddresses: second }),
      ...others,
    };
  });
}
