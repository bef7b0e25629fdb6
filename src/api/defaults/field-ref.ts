import { child, type Fields, setDefault, text } from "../../machinery/meta/access.js";

/** A source with `fieldRef` reads the v1 pod unless it says otherwise. */
export function defaultFieldRef(source: Fields): void {
  const ref = child(source, "fieldRef");
  if (ref !== undefined && text(ref.apiVersion) === "") ref.apiVersion = "v1";
  const file = child(source, "fileKeyRef");
  if (file !== undefined) setDefault(file, "optional", false);
}
