import { append } from "../../../base/collections/append.js";
import {
  duplicate,
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../machinery/errors/field-error.js";
import {
  type FieldsOf,
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { dns1123SubdomainErrors, qualifiedNameErrors } from "../../../machinery/validation/names.js";
import type {
  CSIDriver,
  CSIDriverSpec,
  CSINode,
  CSINodeDriver,
  CSIStorageCapacity,
  TokenRequest,
} from "../../types/storage/v1.js";
import { nonNegativeQuantity } from "../resources.js";
import { IMMUTABLE, immutable, named, nonNegative, oneOf, repeatedAt, sameValue } from "../rules.js";
import { validateSelector } from "../label-selector.js";
import { validateCsiDriverName } from "../volumes/volume-sources.js";

/** Name in errors, field. */
const REQUIRED_FLAGS: readonly (readonly [name: string, field: keyof CSIDriverSpec])[] = [
  ["attachedRequired", "attachRequired"],
  ["podInfoOnMount", "podInfoOnMount"],
  ["storageCapacity", "storageCapacity"],
];

const LIFECYCLE_MODES = ["Persistent", "Ephemeral"];
const FS_GROUP_POLICIES = ["File", "None", "ReadWriteOnceWithFSType"];

export function validateCsiDriver(driver: ReceivedObject<CSIDriver>): FieldError[] {
  const spec = object(driver.spec);
  const errors = REQUIRED_FLAGS.filter(([, field]) => absent(spec[field])).map(([name]) => required(`spec.${name}`));
  append(
    errors,
    oneOf(spec.fsGroupPolicy, "spec.fsGroupPolicy", FS_GROUP_POLICIES),
    validateTokenRequests(objects(spec.tokenRequests)),
    list(spec.volumeLifecycleModes)
      .filter((mode) => !LIFECYCLE_MODES.includes(text(mode)))
      .map((mode) => notSupported("spec.volumeLifecycleModes", mode, LIFECYCLE_MODES)),
  );
  if (absent(spec.seLinuxMount)) errors.push(required("spec.seLinuxMount"));
  const period = spec.nodeAllocatableUpdatePeriodSeconds;
  if (!absent(period) && number(period) < 10) {
    const detail = "must be greater than or equal to 10 seconds";
    errors.push(invalidValue("spec.nodeAllocatableUpdatePeriodSeconds", period, detail));
  }
  return errors;
}

function validateTokenRequests(requests: readonly Received<TokenRequest>[]): FieldError[] {
  const audiences = requests.map(({ audience }) => text(audience));
  const again = repeatedAt(audiences);
  return requests.flatMap(({ expirationSeconds }, index) => {
    const path = `spec.tokenRequests[${index}]`;
    const audience = audiences[index] ?? "";
    if (again.has(index)) return [duplicate(`${path}.audience`, audience)];
    const refuse = (detail: string) => [invalidValue(`${path}.expirationSeconds`, expirationSeconds, detail)];
    if (absent(expirationSeconds)) return [];
    if (number(expirationSeconds) < 600) return refuse("may not specify a duration less than 10 minutes");
    if (number(expirationSeconds) <= 2 ** 32) return [];
    return refuse("may not specify a duration larger than 2^32 seconds");
  });
}

export function validateCsiDriverUpdate(
  driver: ReceivedObject<CSIDriver>,
  old: ReceivedObject<CSIDriver>,
): FieldError[] {
  const [spec, before] = [object(driver.spec), object(old.spec)];
  return [
    ...validateCsiDriver(driver),
    ...immutable(spec.attachRequired, before.attachRequired, "spec.attachedRequired"),
    ...immutable(spec.volumeLifecycleModes, before.volumeLifecycleModes, "spec.volumeLifecycleModes"),
  ];
}

const MAX_NODE_ID_BYTES = 192;

export function validateCsiNode(node: ReceivedObject<CSINode>): FieldError[] {
  const names = new Set<string>();
  return objects(object(node.spec).drivers).flatMap((driver, index) =>
    validateNodeDriver(driver, `spec.drivers[${index}]`, names),
  );
}

function validateNodeDriver(driver: Received<CSINodeDriver>, path: string, names: Set<string>): FieldError[] {
  const errors: FieldError[] = [];
  const [name, id] = [text(driver.name), text(driver.nodeID)];
  validateCsiDriverName(name, `${path}.name`, errors);
  if (id === "") errors.push(required(`${path}.nodeID`));
  if (Buffer.byteLength(id) > MAX_NODE_ID_BYTES) {
    errors.push(invalidValue(`${path}.nodeID`, id, `must be ${MAX_NODE_ID_BYTES} characters or less`));
  }
  append(errors, nonNegative(object(driver.allocatable).count, `${path}.allocatable.count`));
  if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
  names.add(name);
  const keys = list(driver.topologyKeys).map(text);
  const again = repeatedAt(keys);
  for (const [index, key] of keys.entries()) {
    if (key === "") errors.push(required(path));
    if (again.has(index)) errors.push(duplicate(path, key));
    append(errors, named(key, path, qualifiedNameErrors));
  }
  return errors;
}

/** Validates an update of a CSINode: of an existing driver only `allocatable` may change. */
export function validateCsiNodeUpdate(node: ReceivedObject<CSINode>, old: ReceivedObject<CSINode>): FieldError[] {
  const drivers = objects(object(node.spec).drivers);
  const fixed = (driver: Received<CSINodeDriver>) =>
    ({ ...driver, allocatable: undefined }) satisfies FieldsOf<CSINodeDriver>;
  const changed = objects(object(old.spec).drivers).flatMap((before) =>
    drivers.filter(({ name }) => name === before.name).map((driver) => [driver, before] as const),
  );
  return [
    ...validateCsiNode(node),
    ...changed
      .filter(([driver, before]) => !sameValue(fixed(driver), fixed(before)))
      .map(([driver]) => invalidValue("spec.drivers", shownDriver(driver), IMMUTABLE)),
  ];
}

/** Kubernetes shows its internal type. */
const shownDriver = (driver: Received<CSINodeDriver>) => ({
  Name: text(driver.name),
  NodeID: text(driver.nodeID),
  TopologyKeys: driver.topologyKeys ?? null,
  Allocatable: null,
});

export function validateCsiStorageCapacity(capacity: ReceivedObject<CSIStorageCapacity>): FieldError[] {
  return [
    ...validateSelector(capacity.nodeTopology, "nodeTopology"),
    ...named(text(capacity.storageClassName), "storageClassName", dns1123SubdomainErrors),
    ...(absent(capacity.capacity) ? [] : nonNegativeQuantity(capacity.capacity, "capacity")),
  ];
}

/** Validates an update of a CSIStorageCapacity: its topology and its class may not change. */
export function validateCsiStorageCapacityUpdate(
  capacity: ReceivedObject<CSIStorageCapacity>,
  old: ReceivedObject<CSIStorageCapacity>,
): FieldError[] {
  return [
    ...immutable(capacity.nodeTopology, old.nodeTopology, "nodeTopology"),
    ...immutable(capacity.storageClassName, old.storageClassName, "storageClassName"),
  ];
}
