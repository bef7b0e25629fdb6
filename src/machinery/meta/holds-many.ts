/** Values that any walk visits within a millisecond or two. */
const MANY = 2048;

/** Whether a value holds so many values, at any depth, that a walk over it should be taken in steps. Looks at no more of them. */
export function holdsMany(value: unknown): boolean {
  const open: unknown[] = [value];
  let seen = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const held = Array.isArray(next) ? (next as unknown[]) : Object.values(next as object);
    seen += held.length;
    if (seen > MANY) return true;
    for (const item of held) if (typeof item === "object" && item !== null) open.push(item);
  }
  return false;
}
