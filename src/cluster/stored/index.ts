export { decodeValue, encodeValue } from "./decode-value.js";
export { decryptStored } from "./decrypt-stored.js";
export { readKey, readValue } from "./read-value.js";
export { type MigratedStorage, type MigrationProgress, migrateStorage } from "./migrate-storage.js";
export { checkStorage, type CheckedStorage, type ListedKeys, listStorage, readStored } from "./read-storage.js";
export { type NamedStorage, type OpenOptions, readStoragePlace } from "./storage-place.js";
