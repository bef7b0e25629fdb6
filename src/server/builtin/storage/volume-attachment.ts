import type { VolumeAttachment } from "../../../api/types/storage/v1.js";
import {
  validateVolumeAttachment,
  validateVolumeAttachmentUpdate,
} from "../../../api/validation/storage/volume-attachment.js";
import { object, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const volumeAttachmentRecord: RecordOf<VolumeAttachment> = {
  group: "storage.k8s.io",
  resource: "volumeattachments",
  strategy: {
    allowUnconditionalUpdate: false,
    validate: validateVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
    validateStatusUpdate: validateVolumeAttachmentUpdate,
    columns: columns(
      [
        "Name",
        ["Attacher:string:0:name", "The driver that attaches the volume."],
        ["PV", "The persistent volume that is attached."],
        ["Node", "The node that the volume is attached to."],
        ["Attached:boolean", "Whether it is attached."],
        "Age",
      ],
      (attachment, now) => {
        const spec = object(attachment.spec);
        return [
          name(attachment),
          text(spec.attacher),
          text(object(spec.source).persistentVolumeName),
          text(spec.nodeName),
          object(attachment.status).attached === true,
          age(attachment, now),
        ];
      },
    ),
  },
};
