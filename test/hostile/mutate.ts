import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import type { Dice } from "./dice.js";
import { setOwn, strangeText, strangeValue } from "./values.js";

type Container = JsonObject | JsonValue[];

/** Changes one to three places of a value, wherever they lie. The value is the caller's own. */
export function mutate(value: JsonObject, dice: Dice): JsonObject {
  for (let left = 1 + dice.below(3); left > 0; left--) {
    const container = dice.pick(containersOf(value));
    if (Array.isArray(container)) mutateList(container, dice);
    else mutateObject(container, dice);
  }
  return value;
}

function containersOf(root: JsonValue): Container[] {
  const found: Container[] = [];
  const open: JsonValue[] = [root];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== "object" || value === null) continue;
    found.push(value);
    open.push(...(Array.isArray(value) ? value : Object.values(value)).slice(0, 200));
  }
  return found;
}

function mutateList(list: JsonValue[], dice: Dice): void {
  const at = dice.below(list.length + 1);
  switch (dice.below(4)) {
    case 0:
      list.splice(at, 1);
      break;
    case 1:
      list.splice(at, 0, strangeValue(dice));
      break;
    case 2:
      if (list.length > 0)
        list.push(...Array.from({ length: 1 + dice.below(40) }, () => structuredClone(list[0] as JsonValue)));
      break;
    default:
      if (list.length > 0) list[at % list.length] = strangeValue(dice);
  }
}

function mutateObject(object: JsonObject, dice: Dice): void {
  const keys = Object.keys(object);
  if (keys.length === 0 || dice.chance(0.15)) return setOwn(object, strangeText(dice), strangeValue(dice));
  const key = dice.pick(keys);
  switch (dice.below(5)) {
    case 0:
      delete object[key];
      break;
    case 1: {
      const other = dice.pick(keys);
      setOwn(object, key, structuredClone(object[other] as JsonValue));
      break;
    }
    default:
      setOwn(object, key, strangeValue(dice));
  }
}

/** Bytes with a few of them changed, taken out, doubled, or the end cut off. */
export function mutateBytes(bytes: Uint8Array, dice: Dice): Uint8Array {
  const changed = [...bytes];
  for (let left = 1 + dice.below(4); left > 0 && changed.length > 0; left--) {
    const at = dice.below(changed.length);
    switch (dice.below(5)) {
      case 0:
        changed[at] = dice.below(256);
        break;
      case 1:
        changed[at] = (changed[at] ?? 0) ^ (1 << dice.below(8));
        break;
      case 2:
        changed.splice(at, 1 + dice.below(4));
        break;
      case 3:
        changed.splice(at, 0, ...dice.bytes(1 + dice.below(8)));
        break;
      default:
        changed.length = at;
    }
  }
  return Uint8Array.from(changed);
}
