import { setKey } from "../../machinery/wire/json/own-keys.js";
import { isFields } from "../../machinery/meta/access.js";

/** The value at a simple path (".spec.replicas"); undefined where the object has none. */
export function fieldAt(object: unknown, path: string): unknown {
  let value = object;
  for (const name of namesIn(path)) {
    if (!isFields(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** Sets the value at a simple path, and makes the objects on the way to it. */
export function setFieldAt(draft: Record<string, unknown>, path: string, value: unknown): void {
  const names = namesIn(path);
  const last = names.pop();
  if (last === undefined) return;
  let holder = draft;
  for (const name of names) {
    const next = Object.hasOwn(holder, name) ? holder[name] : undefined;
    const own: Record<string, unknown> = isFields(next) ? { ...next } : {};
    setKey(holder, name, own);
    holder = own;
  }
  setKey(holder, last, value);
}

const namesIn = (path: string): string[] => path.split(".").filter((name) => name !== "");
