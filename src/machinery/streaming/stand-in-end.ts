const ends = new WeakMap<object, string>();

/** Notes that no program answers a connection: what stands in for one, as a phrase with its subject. */
export function markStandIn<T extends object>(connection: T, what: string | undefined): T {
  if (what !== undefined) ends.set(connection, what);
  return connection;
}

/** What stands in at the other end of a connection; undefined where a program answers. */
export const standInAt = (connection: object): string | undefined => ends.get(connection);
