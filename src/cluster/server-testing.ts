// kubets/server/testing: tests for what people who write API servers write.
// Any test runner can run them: they reject with an error that says what went wrong.
// Storages: what every storage must do that servers keep their objects in.
export {
  type StorageTest,
  storageTests,
  type StorageUnderTest,
} from "../server/storage/storage-tests.js";
// Kinds in code: their declarations are checked as definitions are, and random objects go through conversions and encodings and back.
export { checkDeclaration } from "../server/kinds-in-code/check-declaration.js";
export {
  checkConversions,
  checkRoundTrips,
  type FuzzOptions,
  type FuzzReport,
  RoundTripError,
} from "../server/kinds-in-code/fuzz/round-trips.js";
export {
  type Fuzz,
  type Fuzzer,
  type Fuzzers,
} from "../server/kinds-in-code/fuzz/random-values.js";
