export { type MigratedStorage, type MigrationProgress, migrateStorage } from "./migrate-storage.js";
export { checkStorage, type CheckedStorage, type ListedKeys, listStorage, readStored } from "./read-storage.js";
export { type NamedStorage, type OpenOptions, readStoragePlace } from "./storage-place.js";
