import { assertEquals } from "@std/assert";
import { LABELS } from "../../../runtime/contract/images.ts";
import { bodyLimit } from "../../../runtime/serving/plan.ts";
import { FOREIGN_IMAGE, HARNESS_IMAGE } from "../../helpers/fake_containers.ts";
import { it, suite } from "../../helpers/suite.ts";

const SIX = { MLCLI_MAX_BODY_MB: "6" };

suite("the limit of a request's body in a server here", () => {
  for (
    const [title, config, variables, limit] of [
      ["6 MB", HARNESS_IMAGE, {}, SIX],
      [
        "6 MB where the harness is told by its label",
        { ...FOREIGN_IMAGE, Labels: { [LABELS.harness]: "1" } },
        {},
        SIX,
      ],
      [
        "6 MB beside other variables",
        { ...HARNESS_IMAGE, Env: ["PATH=/bin", "MLCLI_WORKERS=1", "X=MLCLI_MAX_BODY_MB=1"] },
        { MLCLI_ACCESS_LOG: "1" },
        SIX,
      ],
      [
        "6 MB where the image's variable is empty",
        { ...HARNESS_IMAGE, Env: ["MLCLI_MAX_BODY_MB=", "SAGEMAKER_MAX_PAYLOAD_IN_MB= "] },
        {},
        SIX,
      ],
      ["the image's", { ...HARNESS_IMAGE, Env: ["A=b", "MLCLI_MAX_BODY_MB=25"] }, {}, {}],
      [
        "the image's by its other name",
        { ...HARNESS_IMAGE, Env: ["SAGEMAKER_MAX_PAYLOAD_IN_MB=0"] },
        {},
        {},
      ],
      ["the user's", { ...HARNESS_IMAGE, Env: undefined }, { MLCLI_MAX_BODY_MB: "1024" }, {}],
      [
        "the user's by its other name",
        HARNESS_IMAGE,
        { SAGEMAKER_MAX_PAYLOAD_IN_MB: "100" },
        {},
      ],
      ["nothing of mlcli's in an image of one's own", FOREIGN_IMAGE, {}, {}],
    ] as const
  ) {
    it(`is ${title}`, () => {
      assertEquals(bodyLimit({ Config: config }, variables), limit);
    });
  }
});
