import { children, type Fields, setDefault } from "../../machinery/meta/access.js";

export function defaultEndpointSlice(slice: Fields): void {
  for (const port of children(slice, "ports")) {
    setDefault(port, "name", "");
    setDefault(port, "protocol", "TCP");
  }
}
