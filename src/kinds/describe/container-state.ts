import type { ContainerState, ContainerStatus } from "../../api/types/core/v1.js";
import { isStruct, number, object, type Received, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { DescriptionWriter } from "./description.js";
import { titleFlag, whole } from "./go-fields.js";

/** What a container is doing, how it ended last, how often it was started again. */
export function describeContainerState(description: DescriptionWriter, status: Received<ContainerStatus>): void {
  describeState(description, "State", object(status.state));
  const last = object(status.lastState);
  if (isStruct(last.terminated)) describeState(description, "Last State", last);
  description.write(2, `Ready:\t${titleFlag(status.ready)}\n`);
  description.write(2, `Restart Count:\t${whole(status.restartCount)}\n`);
}

function describeState(description: DescriptionWriter, title: string, state: Received<ContainerState>): void {
  const { running, waiting, terminated } = state;
  if (isStruct(running)) {
    description.write(2, `${title}:\tRunning\n`);
    description.write(3, `Started:\t${dateText(running.startedAt)}\n`);
  } else if (isStruct(waiting) || !isStruct(terminated)) {
    description.write(2, `${title}:\tWaiting\n`);
    const reason = text(object(waiting).reason);
    if (reason !== "") description.write(3, `Reason:\t${reason}\n`);
  } else {
    description.write(2, `${title}:\tTerminated\n`);
    if (text(terminated.reason) !== "") description.write(3, `Reason:\t${text(terminated.reason)}\n`);
    if (text(terminated.message) !== "") description.write(3, `Message:\t${text(terminated.message)}\n`);
    description.write(3, `Exit Code:\t${whole(terminated.exitCode)}\n`);
    if (number(terminated.signal) > 0) description.write(3, `Signal:\t${whole(terminated.signal)}\n`);
    description.write(3, `Started:\t${dateText(terminated.startedAt)}\n`);
    description.write(3, `Finished:\t${dateText(terminated.finishedAt)}\n`);
  }
}
