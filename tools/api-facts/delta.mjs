// What an older version of Kubernetes has beside the newest: src/api/facts/with-delta.ts puts it together again.

/** The tables of `older` that differ from those of `newest`: null takes a line away, a resource with `absent` a resource. */
export function deltaOf(newest, older) {
  return {
    ...changed(newest, older, ["source", "digest", "groups"]),
    ...(older.resources === undefined ? {} : { resources: resourcesOf(newest.resources, older.resources) }),
    kinds: linesOf(newest.kinds, older.kinds),
    ...(older.unions === undefined ? {} : { unions: linesOf(newest.unions, older.unions) }),
    enums: linesOf(newest.enums, older.enums),
    definitions: packagesOf(newest.definitions, older.definitions),
  };
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function changed(newest, older, keys) {
  return Object.fromEntries(keys.filter((key) => !same(newest[key], older[key])).map((key) => [key, older[key]]));
}

function linesOf(newest, older) {
  const lines = {};
  for (const key of sortedKeys(newest, older)) {
    if (older[key] === undefined) lines[key] = null;
    else if (!same(newest[key], older[key])) lines[key] = older[key];
  }
  return lines;
}

function packagesOf(newest, older) {
  const packages = {};
  for (const name of sortedKeys(newest, older)) {
    if (older[name] === undefined) packages[name] = null;
    else if (!same(newest[name], older[name])) packages[name] = linesOf(newest[name] ?? {}, older[name]);
  }
  return packages;
}

function resourcesOf(newest, older) {
  const idOf = ({ groupVersion, name }) => `${groupVersion}/${name}`;
  const kept = new Map(older.map((resource) => [idOf(resource), resource]));
  const known = new Map(newest.map((resource) => [idOf(resource), resource]));
  const absent = newest.filter((resource) => !kept.has(idOf(resource)));
  return [
    ...older.filter((resource) => !same(resource, known.get(idOf(resource)))),
    ...absent.map(({ groupVersion, name }) => ({ groupVersion, name, absent: true })),
  ];
}

const sortedKeys = (one, other) => [...new Set([...Object.keys(one), ...Object.keys(other)])].toSorted();
