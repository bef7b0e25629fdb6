export type { EventHandler, HandlerRegistration } from "./handler-queue.js";
export { type IndexFunction, Indexer, NAMESPACE_INDEX, type ReadonlyIndexer } from "./indexer.js";
export { InformerFactory, type InformerFactoryOptions, type InformerSelection } from "./informer-factory.js";
export { Lister } from "./indexer.js";
export { type NamespacedName, objectKey, splitObjectKey } from "./indexer.js";
export { type InformerOptions, SharedInformer } from "./shared-informer.js";
