import { assertEquals } from "@std/assert";
import { Findings } from "../../../../runtime/local/differences/findings.ts";
import { Messages, warning } from "../../../../runtime/messages.ts";
import { fakeContext } from "../../../helpers/fake_context.ts";
import { it, suite } from "../../../helpers/suite.ts";

suite("Findings", () => {
  it("warns once of a difference that several hosts find", () => {
    const { err } = fakeContext();
    const findings = new Findings(false, new Messages(err));
    for (let host = 0; host < 2; host++) findings.add([warning("a", "b"), undefined]);
    assertEquals(err.text, "warning: a\nhint: b\n");
  });
});
