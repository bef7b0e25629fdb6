import { formatGroupVersion } from "../../../src/machinery/meta/gvk.js";
import type { Dice } from "../dice.js";
import { ANY_REFUSAL_OR_SUCCESS, type Hostility, PROTOBUF_TYPE, typed } from "../hostility.js";
import { mutateBytes } from "../mutate.js";
import { bytesField, envelope, messageFor, numberField, varint } from "../protobuf-writer.js";
import { MAPS, PODS, type Target } from "../targets.js";

function documentFor({ facts, schema }: Target, dice: Dice): Uint8Array {
  const message = messageFor(schema, dice.pick(["a", "b", "standing"]), dice);
  return envelope(formatGroupVersion(facts), facts.kind, message);
}

/** Protobuf of every kind, with values at the edges of its types, or with some bytes changed. */
export const mutatedProtobuf: Hostility = {
  name: "mutated protobuf",
  share: 900,
  make(dice, targets) {
    const target = dice.pick(targets);
    const document = documentFor(target, dice);
    const body = dice.chance(0.6) ? mutateBytes(document, dice) : document;
    const own = `${target.collection}/a`;
    const [method, path] = dice.chance(0.7) ? ["POST", target.collection] : ["PUT", own];
    return { method, path, headers: typed(PROTOBUF_TYPE), body, expected: ANY_REFUSAL_OR_SUCCESS };
  },
};

const LIMIT = 2n ** 63n - 1n;
const name = bytesField(1, bytesField(1, Buffer.from("a")));
const MALFORMED: readonly ((dice: Dice) => Uint8Array)[] = [
  // Cut off.
  () => envelope("v1", "ConfigMap", name).subarray(0, -1),
  () => envelope("v1", "ConfigMap", name.subarray(0, -1)),
  (dice) => envelope("v1", "ConfigMap", bytesField(2, bytesField(1, Buffer.from("k")))).subarray(0, 5 + dice.below(10)),
  // Lengths beyond everything.
  () => envelope("v1", "ConfigMap", Buffer.concat([varint(10n), varint(LIMIT)])),
  () => envelope("v1", "ConfigMap", Buffer.concat([varint(10n), varint(2n ** 64n - 1n)])),
  () => envelope("v1", "ConfigMap", Buffer.concat([varint(10n), varint(2n ** 32n)])),
  // Varints without an end, a field number of zero, wire types that are none.
  () => envelope("v1", "ConfigMap", Buffer.alloc(20, 0xff)),
  () => envelope("v1", "ConfigMap", numberField(0, 1n)),
  () => envelope("v1", "ConfigMap", Uint8Array.of(0x0e)),
  () => envelope("v1", "ConfigMap", Uint8Array.of(0x0f)),
  // A number where a message is.
  () => envelope("v1", "ConfigMap", numberField(1, 1n)),
  // Not Kubernetes at all.
  (dice) => Uint8Array.of(0x6b, 0x38, 0x73, 1 + dice.below(255)),
  (dice) => Uint8Array.of(dice.below(100), 1, 2, 3, 4, 5),
  () => Buffer.from("k8s"),
  () => Buffer.from('{"metadata":{"name":"a"}}'),
];

/** Protobuf that nobody can read. */
export const malformedProtobuf: Hostility = {
  name: "malformed protobuf",
  share: 250,
  make(dice) {
    const body = dice.pick(MALFORMED)(dice);
    const [method, path] = dice.chance(0.7) ? ["POST", MAPS] : ["PUT", `${MAPS}/standing`];
    return { method, path, headers: typed(PROTOBUF_TYPE), body, expected: [400] };
  },
};

function within(depth: number): Uint8Array {
  let message: Uint8Array = new Uint8Array();
  for (; depth > 0; depth--) message = bytesField(15, message);
  return message;
}

/** Messages within messages, known and unknown. */
export const nestedProtobuf: Hostility = {
  name: "nested protobuf",
  share: 60,
  make(dice) {
    const depth = 100 + dice.below(400);
    // Field 15 is unknown to a pod, and `not` of a JSON Schema is one itself: spec.versions[].schema.openAPIV3Schema.
    if (dice.chance(0.5)) {
      const body = envelope("v1", "Pod", Buffer.concat([name, within(depth)]));
      return { method: "POST", path: PODS, headers: typed(PROTOBUF_TYPE), body, expected: [422] };
    }
    let schema: Uint8Array = new Uint8Array();
    for (let left = 2000 + dice.below(4000); left > 0; left--) schema = bytesField(28, schema);
    const version = Buffer.concat([bytesField(1, Buffer.from("v1")), bytesField(4, bytesField(1, schema))]);
    const body = envelope(
      "apiextensions.k8s.io/v1",
      "CustomResourceDefinition",
      Buffer.concat([name, bytesField(2, bytesField(7, version))]),
    );
    const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    return { method: "POST", path, headers: typed(PROTOBUF_TYPE), body, expected: ANY_REFUSAL_OR_SUCCESS };
  },
};
