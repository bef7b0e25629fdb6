/**
 * Puts the items of each list at the end of `list`. Unlike `list.push(...items)` it takes any number of items: the arguments of a call
 * have to fit on the stack.
 */
export function append<T>(list: T[], ...lists: readonly (readonly T[])[]): void {
  for (const items of lists) for (const item of items) list.push(item);
}

/** The largest number, and -Infinity for none. Unlike `Math.max(...numbers)` it takes any number of them. */
export const largest = (numbers: readonly number[]): number =>
  numbers.reduce((most, number) => Math.max(most, number), Number.NEGATIVE_INFINITY);

/** The smallest number, and Infinity for none. */
export const smallest = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
