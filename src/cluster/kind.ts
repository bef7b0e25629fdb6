// kubets/kind: declarations of kinds, for programs that are no server: operators, generators, clients.
export {
  anyJson,
  anyObject,
  boolean,
  bytes,
  float64,
  int32,
  int64,
  integer,
  intOrString,
  list,
  map,
  number,
  quantity,
  string,
  struct,
  time,
} from "../machinery/schema/build-schema.js";
export type {
  CelRule,
  FieldDeclaration,
  ItemDeclaration,
  TypedList,
  TypedMap,
  TypedScalar,
  TypedStruct,
  ValueOf,
  ValueRules,
} from "../machinery/schema/declarations.js";
export type { MetaDeclaration } from "../machinery/structural/from-schema.js";
export { type Complete, conversion, type ConversionFunctions } from "../server/kinds-in-code/conversion.js";
export { type CrdOptions, crdOf } from "../server/kinds-in-code/crd.js";
export type { StandardIssue, StandardResult, StandardSchema } from "../server/kinds-in-code/standard-schema.js";
export type {
  ApiKindsOf,
  Kind,
  KindColumn,
  KindOptions,
  KindRule,
  KindScale,
  ObjectIn,
  ObjectOf,
  TypedKind,
  VersionDeclaration,
} from "../server/kinds-in-code/declaration.js";
export { kind } from "../server/kinds-in-code/kind.js";
export { schemeOf } from "../server/kinds-in-code/kind-scheme.js";
export { protoOf } from "../server/kinds-in-code/proto.js";
export type { KubeObject } from "../machinery/meta/object.js";
export {
  type ConversionScope,
  type KindRegistration,
  NotRegisteredError,
  Scheme,
  type VersionedKind,
} from "../machinery/scheme/scheme.js";
