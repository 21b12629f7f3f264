import { assertEquals } from "@std/assert";
import { MlcliError } from "../../runtime/errors.ts";
import { tell } from "../../runtime/message.ts";
import { noteText, warningText } from "../../runtime/text.ts";
import { errorText } from "../../commands/render/error_text.ts";
import { fakeContext } from "../helpers/fake_context.ts";
import { it, suite } from "../helpers/suite.ts";

const ERROR = errorText(
  new MlcliError("Not a valid mlcli directory: /home/somebody/data/apartments/of/2026", {
    quote: "a line of somebody else's log, which is as long as it is long",
    hint: "It has no app's NAME.json. Change to the directory that has one, or make an app: " +
      "mlcli init demo --python-version 3.11",
  }),
);

suite("a message", () => {
  it("is a line for a program", () => {
    for (const text of [ERROR, warningText("one ".repeat(99)), noteText("two ".repeat(99))]) {
      const { err } = fakeContext({ columns: 40 });
      tell(err, text);
      assertEquals(err.text, text);
    }
  });

  it("is broken between words on a terminal, and neither paths, commands nor logs are", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 40 });
    tell(err, ERROR);
    assertEquals(
      err.text,
      `error: Not a valid mlcli directory:
       /home/somebody/data/apartments/of/2026
  a line of somebody else's log, which is as long as it is long
hint: It has no app's NAME.json. Change
      to the directory that has one, or
      make an app:
      mlcli init demo --python-version 3.11
`,
    );
  });

  it("has its further lines below its text, each line a message of its own", () => {
    const { err } = fakeContext({ isTerminal: true, columns: 30 });
    tell(err, warningText("the code is older than its image", "Run mlcli build -t v2 first."));
    tell(err, noteText("nothing else is known here to differ"));
    assertEquals(
      err.text,
      `warning: the code is older
         than its image
hint: Run mlcli build -t v2
      first.
note: nothing else is known
      here to differ
`,
    );
  });
});
