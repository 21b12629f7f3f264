import { assertEquals } from "@std/assert";
import { Mask } from "../../../runtime/local/masked.ts";
import { fakeContext } from "../../helpers/fake_context.ts";
import { it, suite } from "../../helpers/suite.ts";

const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";

/** The pieces of a program's output, and what is left of them. */
const OUTPUTS: Readonly<Record<string, readonly [pieces: readonly string[], shown: string]>> = {
  "output without a secret": [["epoch 1\n", "loss 0.1"], "epoch 1\nloss 0.1"],
  "a secret in one piece": [[`key=${SECRET};`], `key=${"*".repeat(40)};`],
  "two secrets side by side": [[SECRET + SECRET], "*".repeat(80)],
  "a secret in two pieces": [
    [`a ${SECRET.slice(0, 7)}`, `${SECRET.slice(7)} b`],
    `a ${"*".repeat(40)} b`,
  ],
  "a secret in single characters": [[...SECRET, "."], `${"*".repeat(40)}.`],
  "a beginning that goes on otherwise": [[SECRET.slice(0, 39), "?"], `${SECRET.slice(0, 39)}?`],
  "a beginning at the end": [["w"], "w"],
};

suite("Mask", () => {
  for (const [title, [pieces, shown]] of Object.entries(OUTPUTS)) {
    it(`Mask shows ${title} without the secret`, async () => {
      const { out, err } = fakeContext();
      const mask = new Mask([SECRET, "test"]);
      const masked = mask.of({ out, err });
      for (const piece of pieces) await masked.out.write(new TextEncoder().encode(piece));
      await mask.end();
      assertEquals([out.text, err.text], [shown, ""]);
      assertEquals(mask.text(pieces.join("")), shown);
    });
  }

  it("Mask keeps the words of emulators, such as test", () => {
    assertEquals(new Mask(["test", ""]).text("test 1"), "test 1");
  });

  it("Mask covers a secret of asterisks", () => {
    const stars = "*".repeat(40);
    assertEquals(new Mask([stars]).text(stars), stars);
  });
});
