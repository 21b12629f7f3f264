import { assertEquals } from "@std/assert";
import { usersTags } from "../../../runtime/cloud/tags.ts";
import { it, suite } from "../../helpers/suite.ts";

suite("the user's own tags", () => {
  it("are all but mlcli's, and AWS's in any case", () => {
    const own = { team: "x", "my.aws:x": "1", awsome: "2", MLCLI: "3" };
    const others = { "aws:stack": "1", "AWS:stack": "2", "Aws:x": "3", "mlcli.app": "churn" };
    assertEquals(usersTags({ ...others, ...own }), own);
  });
});
