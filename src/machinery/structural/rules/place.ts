import { isFields } from "../../meta/access.js";
import type { JsonObject, JsonValue } from "../../meta/json.js";
import type { CorrelatedValue } from "../ratchet.js";
import { NO_PATH } from "../validation-result.js";
import type { RuleNode } from "./rule-tree.js";

/** A value that rules may speak of. */
export interface Place {
  readonly node: RuleNode;
  readonly value: Exclude<JsonValue, null>;
  readonly outer: Place | undefined;
  /** What stands behind the outer place's path: ".spec", "[0]", "[key]"; the whole path for the outermost. */
  readonly step: string;
  /** undefined where the value was not there before, or cannot be found again. */
  readonly correlated: CorrelatedValue | undefined;
  /** By which what did not change is forgiven: the value's own, or the nearest around it. */
  readonly ratchet: CorrelatedValue | undefined;
}

/** What was there before; null is nothing. */
export function oldOf({ correlated }: Place): Exclude<JsonValue, null> | undefined {
  return correlated?.old ?? undefined;
}

/** As errors have it. */
export function pathOf(place: Place): string {
  let path = "";
  for (let at: Place | undefined = place; at !== undefined; at = at.outer) path = at.step + path;
  // The step of the outermost place is a path, or empty.
  return path === "" ? NO_PATH : path.replace(/^\./, "");
}

/** The places right inside of one. */
export function placesIn(place: Place, ratchets: boolean): Place[] {
  const { node, value, correlated } = place;
  const places: Place[] = [];
  const add = (inner: RuleNode, held: JsonValue | undefined, step: string, at: CorrelatedValue | undefined): void => {
    if (held === undefined || held === null) return;
    // A change of version does not show in apiVersion and kind.
    const shows = place.outer !== undefined || (step !== ".apiVersion" && step !== ".kind");
    const ratchet = ratchets && shows ? (at ?? nearest(place)) : undefined;
    places.push({ node: inner, value: held, outer: place, step, correlated: at, ratchet });
  };
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined) return places;
    for (const [index, item] of value.entries()) add(items, item, `[${index}]`, correlated?.item(index));
  } else if (isFields(value)) {
    const fields = value as JsonObject;
    if (node.others !== undefined) {
      for (const name of Object.keys(fields)) add(node.others, fields[name], `[${name}]`, correlated?.field(name));
    }
    for (const [name, inner] of node.properties) {
      if (Object.hasOwn(fields, name)) add(inner, fields[name], `.${name}`, correlated?.field(name));
    }
  }
  return places;
}

const nearest = ({ correlated, ratchet }: Place): CorrelatedValue | undefined => correlated ?? ratchet;
