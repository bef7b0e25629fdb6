import {
  configMap,
  containers,
  deployment,
  env,
  finalized,
  labelled,
  podWith,
  ports,
  service,
  volumes,
} from "./objects.js";
import { rows } from "./row.js";

const a = { name: "a", image: "1" };
const b = { name: "b", image: "1" };
const c = { name: "c", image: "1" };
const spec = (fields: Record<string, unknown>) => ({ spec: fields }) as never;

/** $patch, $retainKeys, $deleteFromPrimitiveList and $setElementOrder. */
export const strategicDirectives = rows(
  ["$patch: delete of an element", containers(a, b), spec({ containers: [{ name: "a", $patch: "delete" }] })],
  [
    "$patch: delete of an element that is not there",
    containers(a),
    spec({ containers: [{ name: "z", $patch: "delete" }] }),
  ],
  [
    "$patch: delete of all elements",
    containers(a, b),
    spec({
      containers: [
        { name: "a", $patch: "delete" },
        { name: "b", $patch: "delete" },
      ],
    }),
  ],
  ["$patch: delete and a new element", containers(a, b), spec({ containers: [{ name: "a", $patch: "delete" }, c] })],
  [
    "$patch: delete and the same element anew",
    containers({ ...a, tty: true }, b),
    spec({ containers: [{ name: "a", $patch: "delete" }, { name: "a" }] }),
  ],
  [
    "$patch: delete of two of one key",
    ports({ containerPort: 1, name: "x" }, { containerPort: 1, name: "y" }),
    spec({ containers: [{ name: "c", ports: [{ containerPort: 1, $patch: "delete" }] }] }),
  ],
  ["$patch: delete without the key", containers(a), spec({ containers: [{ image: "1", $patch: "delete" }] })],
  ["$patch: delete in a new list", podWith({}), spec({ containers: [{ name: "a", $patch: "delete" }, b] })],
  ["$patch: delete in an empty list", containers(), spec({ containers: [{ name: "a", $patch: "delete" }] })],
  [
    "$patch: delete among elements without key",
    containers({ image: "1" }, a),
    spec({ containers: [{ name: "a", $patch: "delete" }] }),
  ],
  [
    "$patch: delete of a variable",
    env({ name: "A" }, { name: "B" }),
    spec({ containers: [{ name: "c", env: [{ name: "A", $patch: "delete" }] }] }),
  ],
  ["$patch: replace of a list", containers(a, b), spec({ containers: [{ $patch: "replace" }, c] })],
  ["$patch: replace at the end of a list", containers(a, b), spec({ containers: [c, { $patch: "replace" }] })],
  ["$patch: replace of a list by nothing", containers(a), spec({ containers: [{ $patch: "replace" }] })],
  [
    "$patch: replace in an element takes the element with it",
    containers(a),
    spec({ containers: [{ name: "b", $patch: "replace" }] }),
  ],
  [
    "$patch: replace and delete",
    containers(a, b),
    spec({ containers: [{ name: "a", $patch: "delete" }, { $patch: "replace" }, c] }),
  ],
  ["$patch: replace of a list that is not there", podWith({}), spec({ containers: [{ $patch: "replace" }, c] })],
  ["$patch: merge in a list", containers(a), spec({ containers: [{ name: "a", $patch: "merge" }] })],
  ["$patch: nonsense in a list", containers(a), spec({ containers: [{ name: "a", $patch: "x" }] })],
  ["$patch: a number in a list", containers(a), spec({ containers: [{ name: "a", $patch: 1 }] })],
  ["$patch: null in a list", containers(a), spec({ containers: [{ name: "a", $patch: null }] })],
  ["$patch: true in a list", containers(a), spec({ containers: [{ name: "a", $patch: true }] })],
  [
    "$patch: a list in a map",
    podWith({ nodeSelector: { a: "1" } }),
    spec({ nodeSelector: { $patch: ["replace", 1.5] } }),
  ],
  [
    "$patch: a map in a map",
    podWith({ nodeSelector: { a: "1" } }),
    spec({ nodeSelector: { $patch: { b: null, a: "1" } } }),
  ],
  [
    "$patch: replace within a replaced map stays",
    podWith({ affinity: { podAffinity: {} } }),
    spec({ affinity: { $patch: "replace", podAffinity: { $patch: "replace" } } }),
  ],
  ["$patch: replace of a map", labelled({ a: "1" }), { metadata: { labels: { $patch: "replace", b: "2" } } }],
  ["$patch: replace of a map by nothing", labelled({ a: "1" }), { metadata: { labels: { $patch: "replace" } } }],
  ["$patch: replace keeps nulls", labelled({ a: "1" }), { metadata: { labels: { $patch: "replace", b: null } } }],
  ["$patch: delete of a map", labelled({ a: "1" }), { metadata: { labels: { $patch: "delete" } } }],
  ["$patch: delete of a map that is not there", configMap({}), { metadata: { labels: { $patch: "delete" } } }],
  [
    "$patch: replace of a map that is not there",
    configMap({}),
    { metadata: { labels: { $patch: "replace", a: "1" } } },
  ],
  ["$patch: merge of a map", labelled({ a: "1" }), { metadata: { labels: { $patch: "merge", b: "2" } } }],
  ["$patch: nonsense in a map", labelled({ a: "1" }), { metadata: { labels: { $patch: "x", b: "2" } } }],
  ["$patch: null in a map", labelled({ a: "1" }), { metadata: { labels: { $patch: null } } }],
  [
    "$patch: replace of a struct",
    podWith({ securityContext: { runAsUser: 1 } }),
    spec({ securityContext: { $patch: "replace", fsGroup: 2 } }),
  ],
  [
    "$patch: replace of the object",
    podWith({ nodeName: "a" }),
    { $patch: "replace", apiVersion: "v1", kind: "Pod", metadata: { name: "y" } },
  ],
  ["$patch: delete in the object is data", containers({ ...a, $patch: "delete" }), spec({ containers: [b] })],

  [
    "$retainKeys of a struct",
    deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }),
    spec({ strategy: { $retainKeys: ["type"], type: "Recreate" } }),
  ],
  [
    "$retainKeys that keeps what is there",
    deployment({ strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } }),
    spec({ strategy: { $retainKeys: ["type", "rollingUpdate"], rollingUpdate: { maxSurge: 2 } } }),
  ],
  [
    "$retainKeys alone",
    deployment({ strategy: { type: "Recreate", rollingUpdate: {} } }),
    spec({ strategy: { $retainKeys: ["type"] } }),
  ],
  ["$retainKeys of nothing", deployment({ strategy: { type: "Recreate" } }), spec({ strategy: { $retainKeys: [] } })],
  [
    "$retainKeys that leaves out what is set",
    deployment({ strategy: { type: "Recreate" } }),
    spec({ strategy: { $retainKeys: ["type"], rollingUpdate: {} } }),
  ],
  [
    "$retainKeys that leaves out what is nulled",
    deployment({ strategy: { type: "Recreate", rollingUpdate: {} } }),
    spec({ strategy: { $retainKeys: ["type"], rollingUpdate: null } }),
  ],
  [
    "$retainKeys of no list",
    deployment({ strategy: { type: "Recreate" } }),
    spec({ strategy: { $retainKeys: "type" } }),
  ],
  [
    "$retainKeys of a struct that is not there",
    deployment({}),
    spec({ strategy: { $retainKeys: ["type"], type: "Recreate" } }),
  ],
  [
    "$retainKeys of a volume",
    volumes({ name: "v", emptyDir: {} }),
    spec({ volumes: [{ name: "v", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] }),
  ],
  [
    "$retainKeys of a new volume",
    volumes({ name: "v", emptyDir: {} }),
    spec({ volumes: [{ name: "w", $retainKeys: ["name", "hostPath"], hostPath: { path: "/" } }] }),
  ],
  [
    "$retainKeys that forgets the key",
    volumes({ name: "v", emptyDir: {} }),
    spec({ volumes: [{ name: "v", $retainKeys: ["hostPath"], hostPath: {} }] }),
  ],
  [
    "$retainKeys where no strategy asks for it",
    podWith({ nodeName: "a", hostNetwork: true }),
    spec({ $retainKeys: ["nodeName"], nodeName: "b" }),
  ],
  [
    "$retainKeys beside an order",
    podWith({ containers: [a, b], nodeName: "n" }),
    spec({ $retainKeys: ["containers"], "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] }),
  ],
  [
    "$retainKeys beside a deletion of scalars",
    { ...finalized("a", "b") },
    { metadata: { $retainKeys: ["name", "finalizers"], "$deleteFromPrimitiveList/finalizers": ["a"] } },
  ],

  [
    "$deleteFromPrimitiveList",
    finalized("a", "b", "c"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b", "x"] } },
  ],
  ["$deleteFromPrimitiveList of all", finalized("a"), { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } }],
  [
    "$deleteFromPrimitiveList of doubles",
    finalized("a", "b", "a"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
  ],
  ["$deleteFromPrimitiveList of nothing", finalized("a"), { metadata: { "$deleteFromPrimitiveList/finalizers": [] } }],
  [
    "$deleteFromPrimitiveList of a list that is not there",
    configMap({}),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["a"] } },
  ],
  [
    "$deleteFromPrimitiveList and additions",
    finalized("a", "b"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"], finalizers: ["c"] } },
  ],
  [
    "$deleteFromPrimitiveList with an order",
    finalized("a", "b", "c"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": ["b"], "$setElementOrder/finalizers": ["c", "a"] } },
  ],
  [
    "$deleteFromPrimitiveList of a replaced list",
    service({ externalIPs: ["1", "2"] }),
    spec({ "$deleteFromPrimitiveList/externalIPs": ["1"] }),
  ],
  [
    "$deleteFromPrimitiveList of objects",
    containers(a, b),
    spec({ "$deleteFromPrimitiveList/containers": [{ name: "a" }] }),
  ],
  [
    "$deleteFromPrimitiveList of another type",
    finalized("a"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": [1] } },
  ],
  [
    "$deleteFromPrimitiveList that is no list",
    finalized("a"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": "a" } },
  ],
  [
    "$deleteFromPrimitiveList that is null",
    finalized("a"),
    { metadata: { "$deleteFromPrimitiveList/finalizers": null } },
  ],
  ["$deleteFromPrimitiveList without a field", finalized("a"), { metadata: { $deleteFromPrimitiveList: ["a"] } }],
  [
    "$deleteFromPrimitiveList written otherwise",
    finalized("a"),
    { metadata: { "$deleteFromPrimitiveListing/finalizers": ["a"] } },
  ],
  [
    "$deleteFromPrimitiveList of an unknown field",
    podWith({ nope: ["a"] }),
    spec({ "$deleteFromPrimitiveList/nope": ["a"] }),
  ],

  [
    "$setElementOrder of objects",
    containers(a, b, c),
    spec({ "$setElementOrder/containers": [{ name: "c" }, { name: "a" }, { name: "b" }] }),
  ],
  [
    "$setElementOrder of some",
    containers(a, b, c),
    spec({ "$setElementOrder/containers": [{ name: "c" }, { name: "a" }] }),
  ],
  [
    "$setElementOrder with elements nobody has",
    containers(a, b),
    spec({ "$setElementOrder/containers": [{ name: "z" }, { name: "b" }, { name: "a" }] }),
  ],
  [
    "$setElementOrder with a change",
    containers(a, b),
    spec({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }], containers: [{ name: "a", image: "2" }] }),
  ],
  [
    "$setElementOrder with a new element",
    containers(a, b),
    spec({ "$setElementOrder/containers": [{ name: "a" }, { name: "c" }, { name: "b" }], containers: [c] }),
  ],
  [
    "$setElementOrder with a deletion",
    containers(a, b, c),
    spec({
      "$setElementOrder/containers": [{ name: "c" }, { name: "a" }],
      containers: [{ name: "b", $patch: "delete" }],
    }),
  ],
  [
    "$setElementOrder with a replacement",
    containers(a, b),
    spec({ "$setElementOrder/containers": [{ name: "c" }], containers: [{ $patch: "replace" }, c] }),
  ],
  [
    "$setElementOrder around elements of the server",
    containers(a, { name: "s1" }, b, { name: "s2" }, c),
    spec({ "$setElementOrder/containers": [{ name: "c" }, { name: "b" }, { name: "a" }] }),
  ],
  [
    "$setElementOrder around the server's, with new ones",
    containers({ name: "s1" }, a, { name: "s2" }, b),
    spec({
      "$setElementOrder/containers": [{ name: "n" }, { name: "a" }, { name: "m" }, { name: "b" }],
      containers: [{ name: "n" }, { name: "m" }],
    }),
  ],
  [
    "$setElementOrder that the patch does not follow",
    containers(a),
    spec({ "$setElementOrder/containers": [{ name: "a" }, { name: "b" }], containers: [b, { name: "a", image: "2" }] }),
  ],
  [
    "$setElementOrder that lacks what the patch sets",
    containers(a),
    spec({ "$setElementOrder/containers": [{ name: "a" }], containers: [b] }),
  ],
  ["$setElementOrder of nothing", containers(a), spec({ "$setElementOrder/containers": [] })],
  [
    "$setElementOrder of a list that is not there",
    podWith({}),
    spec({ "$setElementOrder/containers": [{ name: "a" }] }),
  ],
  [
    "$setElementOrder of a new list",
    podWith({}),
    spec({ "$setElementOrder/containers": [{ name: "a" }, { name: "b" }], containers: [a, b] }),
  ],
  [
    "$setElementOrder of a new list with a deletion",
    podWith({}),
    spec({ "$setElementOrder/containers": [{ name: "b" }], containers: [b, { name: "a", $patch: "delete" }] }),
  ],
  [
    "$setElementOrder with one element twice",
    containers(a, b),
    spec({ "$setElementOrder/containers": [{ name: "b" }, { name: "a" }, { name: "b" }] }),
  ],
  [
    "$setElementOrder of elements without key",
    containers(a),
    spec({ "$setElementOrder/containers": [{ image: "1" }] }),
  ],
  ["$setElementOrder of scalars for objects", containers(a), spec({ "$setElementOrder/containers": ["a"] })],
  [
    "$setElementOrder of two of one number",
    ports({ containerPort: 1, name: "x" }, { containerPort: 1, name: "y" }, { containerPort: 2 }),
    spec({ containers: [{ name: "c", "$setElementOrder/ports": [{ containerPort: 2 }, { containerPort: 1 }] }] }),
  ],
  [
    "$setElementOrder of scalars",
    finalized("a", "b", "c"),
    { metadata: { "$setElementOrder/finalizers": ["c", "b", "a"] } },
  ],
  [
    "$setElementOrder of scalars with an addition",
    finalized("a", "b"),
    { metadata: { "$setElementOrder/finalizers": ["b", "n", "a"], finalizers: ["n"] } },
  ],
  [
    "$setElementOrder of scalars around the server's",
    finalized("s", "a", "t", "b"),
    { metadata: { "$setElementOrder/finalizers": ["b", "a"] } },
  ],
  [
    "$setElementOrder of a replaced list",
    service({ externalIPs: ["1", "2"] }),
    spec({ "$setElementOrder/externalIPs": ["2", "1"] }),
  ],
  [
    "$setElementOrder of a replaced list with a change",
    service({ externalIPs: ["1", "2"] }),
    spec({ "$setElementOrder/externalIPs": ["3"], externalIPs: ["3"] }),
  ],
  ["$setElementOrder that is no list", containers(a), spec({ "$setElementOrder/containers": { name: "a" } })],
  ["$setElementOrder that is null", containers(a), spec({ "$setElementOrder/containers": null })],
  ["$setElementOrder without a field", containers(a), spec({ $setElementOrder: [{ name: "a" }] })],
  ["$setElementOrder written otherwise", containers(a), spec({ "$setElementOrdering/containers": [{ name: "a" }] })],
  ["$setElementOrder of an unknown field", podWith({ nope: [a] }), spec({ "$setElementOrder/nope": [{ name: "a" }] })],
  [
    "$setElementOrder where the object has no list",
    podWith({ containers: "a" }),
    spec({ "$setElementOrder/containers": [{ name: "a" }] }),
  ],
  [
    "$setElementOrder where the patch has no list",
    containers(a),
    spec({ "$setElementOrder/containers": [{ name: "a" }], containers: "a" }),
  ],
  [
    "$setElementOrder where the patch removes the list",
    containers(a),
    spec({ "$setElementOrder/containers": [{ name: "a" }], containers: null }),
  ],
  [
    "$setElementOrder at two levels",
    containers({ ...a, env: [{ name: "A" }, { name: "B" }] }, b),
    spec({
      "$setElementOrder/containers": [{ name: "b" }, { name: "a" }],
      containers: [{ name: "a", "$setElementOrder/env": [{ name: "B" }, { name: "A" }] }],
    }),
  ],
);
