import type { Binding } from "../../../api/types/core/v1.js";
import { NOT_STORED, type RecordOf } from "../../endpoints/resource-record.js";
import { handlePodBinding } from "./pods/pod-binding.js";

export const bindingRecord: RecordOf<Binding> = {
  group: "",
  resource: "bindings",
  storage: NOT_STORED,
  handlers: {
    create:
      (bindings, { resource }) =>
      (request) =>
        handlePodBinding(request, resource("v1", "pods") ?? bindings),
  },
};
