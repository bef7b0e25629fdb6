import type { Info } from "./info.js";

export type VisitorFn = (info: Info) => Promise<void>;

/** Walks a list of resources. A failing resource throws; `continueOnError` decides whether that ends the walk. */
export interface Visitor {
  visit(fn: VisitorFn): Promise<void>;
}
