/** Values that any walk visits within a millisecond or two. */
const MANY = 2048;

/** Values that were found to hold many: to list the keys of a wide object takes as long as it is wide. */
const known = new WeakSet<object>();

/**
 * Returns whether a value holds so many values, at any depth, that a walk over it should be done in steps. It stops counting there. The
 * result is advice: a value that held many once counts so for ever.
 */
export function holdsMany(value: unknown): boolean {
  return afterCounting(value, MANY) < 0;
}

/** Records the number of fields of a new object, so that {@link holdsMany} need not count them. */
export function noteFields(value: object, fields: number): void {
  if (fields > MANY) known.add(value);
}

/** What is left of `count` after every value below this one; negative as soon as there is none left, so it nests no deeper. */
function afterCounting(value: unknown, count: number): number {
  if (typeof value !== "object" || value === null) return count;
  if (known.has(value)) return -1;
  let left = count;
  if (Array.isArray(value)) {
    left -= value.length;
    for (let index = 0; left >= 0 && index < value.length; index++) left = afterCounting(value[index], left);
  } else {
    for (const key in value) {
      left = afterCounting((value as Readonly<Record<string, unknown>>)[key], left - 1);
      if (left < 0) break;
    }
  }
  if (left < 0 && count > MANY / 2) known.add(value);
  return left;
}
