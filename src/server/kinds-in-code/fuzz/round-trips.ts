import type { FieldsOf } from "../../../machinery/meta/received.js";
import { systemRandom } from "../../../base/numbers/random.js";
import { errorMessage } from "../../../base/text/error-message.js";
import type { JsonValue } from "../../../machinery/meta/json.js";
import type { ObjectMeta, ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import { deepCopy } from "../../../machinery/patch/json-values.js";
import type { StructSchema } from "../../../machinery/schema/schema.js";
import type { ConversionDirection, VersionedKind } from "../../../machinery/scheme/scheme.js";
import { emitYaml } from "../../../machinery/text/yaml/emit.js";
import { parseYaml } from "../../../machinery/text/yaml/read.js";
import { encodeObject, encodeObjectText } from "../../../machinery/wire/encode.js";
import { decodeJson } from "../../../machinery/wire/json/json-decoder.js";
import { decodeProtobufMessage } from "../../../machinery/wire/protobuf/decode-protobuf.js";
import { encodeProtobufMessage } from "../../../machinery/wire/protobuf/encode-protobuf.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import { protobufTypes } from "../../endpoints/meta-kinds.js";
import { hasProtobuf } from "../../endpoints/negotiation/response-format.js";
import type { Kind } from "../declaration.js";
import { schemeOf } from "../kind-scheme.js";
import { describeDifference, type Difference, firstDifference } from "./difference.js";
import { type Fuzzers, RandomValues } from "./random-values.js";
import { smaller } from "./smaller.js";

export interface FuzzOptions {
  /** The seed of the first object; each further one has the next. Default: one drawn at random. A failure names the seed of its object. */
  readonly seed?: number;
  /** Objects for each version. Default 1000. */
  readonly iterations?: number;
  /** Make the parts of objects that the schema alone does not make right. They should make any valid object that every version can say. */
  readonly fuzzers?: Fuzzers;
}

/** The report of a check. */
export interface FuzzReport {
  readonly seed: number;
  readonly objects: number;
}

/** Thrown for an object that changes in a round trip. */
export class RoundTripError extends Error {
  override readonly name = "RoundTripError";

  constructor(
    message: string,
    /** With it and `iterations: 1` the same object is made again. */
    readonly seed: number,
    /** The field that was lost or changed: "spec.tags[1]". */
    readonly path: string,
    /** The smallest object that was found for which it is so. */
    readonly object: KubeObject,
  ) {
    super(message);
  }
}

/**
 * Converts random objects of the hub to each version and back, through JSON, YAML and, where the kind has numbers, protobuf.
 * Rejects with a {@link RoundTripError} that names the field that was lost, and the seed.
 */
export function checkRoundTrips(kind: Kind<unknown>, options: FuzzOptions = {}): Promise<FuzzReport> {
  const { hub, versions } = kindsOf(kind);
  const trips = versions.flatMap((version) =>
    encodingsOf(version.schema).map((encoding): Trip => {
      return {
        name: `hub -> ${version.gvk.version} in ${encoding.name} -> hub`,
        from: hub,
        async go(object) {
          const form = await converted(version, object, "fromHub");
          const { object: decoded } = decodeObject<KubeObject>(encoding.through(form, version), version.schema);
          version.applyDefaults(decoded, NOW);
          return converted(version, decoded, "toHub");
        },
      };
    }),
  );
  return checkTrips("checkRoundTrips", kind, trips, options);
}

/**
 * Converts random objects of each version to the hub and back: they must be equal, and no conversion may change its argument. Rejects
 * with a {@link RoundTripError} that names the field that was lost, and the seed.
 */
export function checkConversions(kind: Kind<unknown>, options: FuzzOptions = {}): Promise<FuzzReport> {
  const trips = kindsOf(kind).versions.map((version): Trip => {
    return {
      name: `${version.gvk.version} -> hub -> ${version.gvk.version}`,
      from: version,
      go: async (object) => converted(version, await converted(version, object, "toHub"), "fromHub"),
    };
  });
  return checkTrips("checkConversions", kind, trips, options);
}

/** Times depend on no clock: conversions of a kind cannot ask for one. */
const NOW = 0;

function kindsOf(kind: Kind<unknown>): { readonly hub: VersionedKind; readonly versions: readonly VersionedKind[] } {
  const { group, kind: name, versions } = kind.declaration;
  const scheme = schemeOf(kind);
  const all = versions.map(({ name: version }) => scheme.kind({ group, version, kind: name }));
  const [first] = all;
  if (first === undefined) throw new TypeError(`kind ${name} has no version`);
  return { hub: scheme.kind(first.hub), versions: all };
}

/** A way that an object goes and comes back by. */
interface Trip {
  readonly name: string;
  readonly from: VersionedKind;
  go(object: KubeObject): Promise<KubeObject>;
}

interface Encoding {
  readonly name: string;
  through(object: KubeObject, version: VersionedKind): JsonValue;
}

const ENCODINGS: readonly Encoding[] = [
  { name: "JSON", through: (object, { schema }) => decodeJson(encodeObject(object, schema)).value },
  {
    name: "YAML",
    through: (object, { schema }) => parseYaml(emitYaml(decodeJson(encodeObject(object, schema)).value)),
  },
];

const PROTOBUF: Encoding = {
  name: "protobuf",
  through: (object, { schema }) =>
    decodeProtobufMessage(encodeProtobufMessage(object, schema, protobufTypes), schema, protobufTypes),
};

const encodingsOf = (schema: StructSchema): readonly Encoding[] =>
  hasProtobuf(schema) ? [...ENCODINGS, PROTOBUF] : ENCODINGS;

/** Converts an object, and sees that the conversion does not change it. */
async function converted(
  version: VersionedKind,
  object: KubeObject,
  direction: ConversionDirection,
): Promise<KubeObject> {
  const before = deepCopy(object);
  const [result = object] = await version.convertMany([object], direction);
  const change = firstDifference(before, object);
  if (change !== undefined) {
    throw new Error(`${direction} of ${version.gvk.version} changes its argument: it ${describeDifference(change)}`);
  }
  return result;
}

async function checkTrips(
  check: string,
  { declaration }: Kind<unknown>,
  trips: readonly Trip[],
  { seed: given, iterations = 1000, fuzzers = {} }: FuzzOptions,
): Promise<FuzzReport> {
  const [a = 0, b = 0, c = 0] = systemRandom.bytes(3);
  const first = given ?? (a * 256 + b) * 256 + c;
  for (const trip of trips) {
    for (let seed = first; seed < first + iterations; seed++) {
      const object = randomObject(trip.from, new RandomValues(seed, fuzzers));
      const problem = await problemOf(trip, object);
      if (problem === undefined) continue;
      const [least, found] = await smallest(trip, object, problem);
      throw new RoundTripError(
        [
          `${check}: ${declaration.kind} of ${declaration.group}: ${trip.name}: ${found.text}`,
          `the object, made smaller: ${encodeObjectText(least, trip.from.schema)}`,
          `again with { seed: ${seed}, iterations: 1 }`,
        ].join("\n"),
        seed,
        found.path,
        least,
      );
    }
  }
  return { seed: first, objects: trips.length * iterations };
}

const COMMON: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

/** As a decoded body is, with metadata of a few fields. */
function randomObject({ gvk, schema }: VersionedKind, values: RandomValues): KubeObject {
  const content = { ...schema, fields: schema.fields.filter(({ name }) => !COMMON.has(name)) };
  const made = {
    apiVersion: `${gvk.group}/${gvk.version}`,
    kind: gvk.kind,
    metadata: {
      name: "fuzzed",
      namespace: "default",
      ...(values.random() < 0.5 && ({ labels: { a: values.text() } } satisfies FieldsOf<ObjectMeta>)),
    } satisfies FieldsOf<ObjectMeta>,
    ...(values.value(content, "") as object),
  } satisfies FieldsOf<ApiObject>;
  return decodeObject<KubeObject>(made, schema).object;
}

interface Problem {
  readonly path: string;
  /** Problems of different fields, or of different ways to differ, are different problems. */
  readonly id: string;
  readonly text: string;
}

async function problemOf({ from, go }: Trip, object: KubeObject): Promise<Problem | undefined> {
  from.applyDefaults(object, NOW);
  try {
    const returned = await go(object);
    from.applyDefaults(returned, NOW);
    const difference: Difference | undefined = firstDifference(canonical(object, from), canonical(returned, from));
    return difference && problemOfField(difference);
  } catch (error) {
    return { path: "", id: "error", text: errorMessage(error) };
  }
}

function problemOfField(difference: Difference): Problem {
  const { path, before, after } = difference;
  // Positions in lists change when an item goes.
  const field = path.replaceAll(/\[\d+\]/g, "[*]");
  const way = after === undefined ? "loses" : before === undefined ? "adds" : "changes";
  return { path, id: `${way} ${field}`, text: describeDifference(difference) };
}

/** What clients see of an object: absent and empty lists are the same. */
const canonical = (object: KubeObject, { schema }: VersionedKind): JsonValue =>
  decodeJson(encodeObject(object, schema)).value;

/** Trips that the search for a smaller object may make. */
const MOST_TRIPS = 2000;

/** The smallest object that is found with a problem of the same field. */
async function smallest(
  trip: Trip,
  object: KubeObject,
  problem: Problem,
): Promise<readonly [object: KubeObject, problem: Problem]> {
  let [least, found] = [object, problem];
  let left = MOST_TRIPS;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const candidate of smaller(least, trip.from.schema)) {
      if (left-- <= 0) return [least, found];
      const { object: tried } = decodeObject<KubeObject>(candidate, trip.from.schema);
      // Defaults fill in what was left out: the object is no smaller then.
      trip.from.applyDefaults(tried, NOW);
      if (size(tried, trip) >= size(least, trip)) continue;
      const still = await problemOf(trip, tried);
      if (still === undefined || still.id !== found.id) continue;
      [least, found, isSmaller] = [tried, still, true];
      break;
    }
  }
  return [least, found];
}

const size = (object: KubeObject, { from }: Trip): number => encodeObjectText(object, from.schema).length;
