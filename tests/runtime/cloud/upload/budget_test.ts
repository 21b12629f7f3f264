import { assertEquals } from "@std/assert";
import { Budget } from "../../../../runtime/cloud/upload/budget.ts";
import { it, suite } from "../../../helpers/suite.ts";

/** Lets all that can go on go on. */
const settled = () => new Promise((done) => setTimeout(done));

suite("a budget", () => {
  it("lets in what fits, in the order of asking", async () => {
    const budget = new Budget(10);
    const inside: string[] = [];
    const take = async (name: string, bytes: number) => {
      const taken = await budget.take(bytes);
      inside.push(name);
      return taken;
    };
    const first = take("first", 6);
    const second = take("second", 6);
    // It would fit, but has to wait for its turn.
    const third = take("third", 1);
    await settled();
    assertEquals(inside, ["first"]);
    (await first)[Symbol.dispose]();
    await settled();
    assertEquals(inside, ["first", "second", "third"]);
    for (const taken of [second, third]) (await taken)[Symbol.dispose]();
  });

  it("lets in alone what is more than all of it, and takes back once", async () => {
    const budget = new Budget(10);
    const all = await budget.take(100);
    let isIn = false;
    const next = budget.take(1).then((taken) => (isIn = true, taken));
    await settled();
    assertEquals(isIn, false);
    all[Symbol.dispose]();
    all[Symbol.dispose]();
    (await next)[Symbol.dispose]();
    assertEquals(isIn, true);
    const rest = await budget.take(10);
    let isOver = false;
    budget.take(1).then(() => isOver = true);
    await settled();
    assertEquals(isOver, false);
    rest[Symbol.dispose]();
  });
});
