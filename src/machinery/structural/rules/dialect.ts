import { haveSameLibraries, LIBRARIES_OF_NEW } from "../../cel/kubernetes/environment.js";
import type { StructuralSchema } from "../structural-schema.js";

/** How rules differ between versions of Kubernetes. Each version has one object. */
export interface RuleDialect {
  /** The version of Kubernetes whose function libraries stored rules may use. */
  readonly libraries: string;
  /** The same of new rules. */
  readonly librariesOfNew: string;
  /** Lists of type set and map count what they hold twice, and a set of what is no scalar cannot be compared (K37-243). */
  readonly countsRepeats: boolean;
  /** Names of objects are taken to be as long as names may be, and not as long as requests (K37-245). */
  readonly limitsNames: boolean;
}

const dialects = new Map<string, RuleDialect>();

/** The dialect of a version of Kubernetes ("1.37"), in which new rules use the libraries of an older version, `ofNew`; default: 1.36. */
export function ruleDialect(version: string = LIBRARIES_OF_NEW, ofNew: string = LIBRARIES_OF_NEW): RuleDialect {
  const librariesOfNew = haveSameLibraries(version, ofNew) ? version : ofNew;
  const key = `${version} ${librariesOfNew}`;
  let dialect = dialects.get(key);
  if (dialect === undefined) {
    const isNew = Number(version.split(".")[1]) >= 37;
    dialect = { libraries: version, librariesOfNew, countsRepeats: isNew, limitsNames: isNew };
    dialects.set(key, dialect);
  }
  return dialect;
}

/** Caches results by schema, separately for each version and for schemas of whole resources. */
export class SchemaCaches<T> {
  readonly #caches = new Map<string, WeakMap<StructuralSchema, T>>();

  of({ libraries, librariesOfNew }: RuleDialect, isResourceRoot: boolean): WeakMap<StructuralSchema, T> {
    const key = `${libraries} ${librariesOfNew} ${isResourceRoot}`;
    let cache = this.#caches.get(key);
    if (cache === undefined) {
      cache = new WeakMap();
      this.#caches.set(key, cache);
    }
    return cache;
  }
}
