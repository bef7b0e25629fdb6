/**
 * Appends the items of each list to `list`. `list.push(...items)` fails for very many items, because the arguments of a call must fit on the
 * stack.
 */
export function append<T>(list: T[], ...lists: readonly (readonly T[])[]): void {
  for (const items of lists) for (const item of items) list.push(item);
}

/** Returns the largest number, -Infinity for an empty list. `Math.max(...numbers)` fails for very many numbers. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), Number.NEGATIVE_INFINITY);

/** Returns the smallest number, Infinity for an empty list. */
export const smallest = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
