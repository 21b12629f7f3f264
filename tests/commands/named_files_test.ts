import { assertEquals } from "@std/assert";
import { userVariables } from "../../commands/named_files.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { inFile, typed } from "../helpers/settings.ts";
import { it, suite } from "../helpers/suite.ts";

suite("userVariables", () => {
  it("userVariables prefers --env to --env-file, and --env-file to the configuration file", async () => {
    await using directory = await makeDirectory({ "one.env": "B=one\nC=one\n" });
    const variable = (name: string, value: string) => ({ name, value, source: "it" });
    const env = [
      ...["A", "B", "C"].map((name) => inFile(variable(name, "file"))),
      typed(variable("C", "typed")),
    ];
    const options = { env, envFile: ["one.env"] };
    const context = { env: () => undefined, cwd: directory.path };
    const variables = await userVariables(options, context);
    assertEquals(variables, { A: "file", B: "one", C: "typed" });
  });
});
