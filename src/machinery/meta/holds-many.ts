/** Values that any walk visits within a millisecond or two. */
const MANY = 2048;

/** Whether a value holds so many values, at any depth, that a walk over it should be taken in steps. Looks at no more of them. */
export function holdsMany(value: unknown): boolean {
  return afterCounting(value, MANY) < 0;
}

/** What is left of `count` after every value below this one; negative as soon as there is none left, so it nests no deeper. */
function afterCounting(value: unknown, count: number): number {
  if (typeof value !== "object" || value === null) return count;
  let left = count;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; left >= 0 && index < value.length; index++) left = afterCounting(value[index], left);
    return left;
  }
  for (const key in value) {
    left = afterCounting((value as Readonly<Record<string, unknown>>)[key], left - 1);
    if (left < 0) return left;
  }
  return left;
}
