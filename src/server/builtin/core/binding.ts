import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { handlePodBinding } from "./pods/pod-binding.js";

export const bindingRecord: ResourceRecord = {
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
