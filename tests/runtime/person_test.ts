import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { MlcliError } from "../../runtime/errors.ts";
import { personFile, personSettings, wantsColour, withSetting } from "../../runtime/person.ts";
import { makeDirectory } from "../helpers/directory.ts";
import { it, suite } from "../helpers/suite.ts";

type Variables = Readonly<Record<string, string>>;

const envOf = (variables: Variables) => (name: string): string | undefined => variables[name];

suite("colour", () => {
  const rows: readonly (readonly [env: Variables, isTerminal: boolean, wanted: boolean])[] = [
    [{}, true, true],
    [{}, false, false],
    [{ TERM: "dumb" }, true, false],
    [{ NO_COLOR: "1" }, true, false],
    [{ NO_COLOR: "" }, true, true],
    [{ FORCE_COLOR: "1" }, false, true],
    [{ FORCE_COLOR: "true" }, false, true],
    [{ FORCE_COLOR: "0" }, true, false],
    [{ CLICOLOR_FORCE: "1" }, false, true],
    [{ CLICOLOR_FORCE: "0" }, false, false],
    [{ CLICOLOR: "0" }, true, false],
    [{ NO_COLOR: "1", FORCE_COLOR: "1" }, true, false],
    [{ FORCE_COLOR: "1", TERM: "dumb" }, false, true],
  ];
  for (const [env, isTerminal, wanted] of rows) {
    const where = isTerminal ? "on a terminal" : "in a pipe";
    it(`${where} with ${JSON.stringify(env)}: ${wanted}`, () => {
      assertEquals(wantsColour(isTerminal, false, envOf(env)), wanted);
      assertEquals(wantsColour(isTerminal, true, envOf(env)), false, "--no-color");
    });
  }

  it("follows the person's setting where no variable says anything", async () => {
    for (const [color, isTerminal, wanted] of [["always", false, true], ["never", true, false]]) {
      await using place = await makeDirectory({ "mlcli/config.json": JSON.stringify({ color }) });
      const own = { XDG_CONFIG_HOME: place.path };
      assertEquals(wantsColour(isTerminal as boolean, false, envOf(own)), wanted as boolean);
      assertEquals(wantsColour(true, false, envOf({ ...own, FORCE_COLOR: "1" })), true);
      assertEquals(wantsColour(true, false, envOf({ ...own, NO_COLOR: "1" })), false);
    }
  });
});

suite("a person's settings", () => {
  it("lie where the specification says", () => {
    for (
      const [env, path] of [
        [{ XDG_CONFIG_HOME: "/c", HOME: "/h" }, "/c/mlcli/config.json"],
        [{ XDG_CONFIG_HOME: "relative", HOME: "/h" }, "/h/.config/mlcli/config.json"],
        [{ XDG_CONFIG_HOME: "c:/c", APPDATA: "/data", HOME: "/h" }, "/h/.config/mlcli/config.json"],
        [{ HOME: "" }, undefined],
      ] as const
    ) assertEquals(personFile(envOf(env)), path);
  });

  it("are none where there is no file, and an error where it cannot be used", async () => {
    await using place = await makeDirectory({});
    const env = envOf({ XDG_CONFIG_HOME: place.path });
    assertEquals(personSettings(env), {});
    await Deno.mkdir(join(place.path, "mlcli"));
    for (
      const [text, reason] of [
        ["{", "it is not a JSON object"],
        ["[]", "it is not a JSON object"],
        ['{"output": "xml"}', '"output" has an invalid value'],
        ['{"trusted_registries": "ghcr.io"}', '"trusted_registries" has an invalid value'],
        ['{"region": 3}', '"region" has an invalid value'],
      ] as const
    ) {
      await Deno.writeTextFile(join(place.path, "mlcli/config.json"), text);
      const { message } = assertThrows(() => personSettings(env), MlcliError, reason);
      assertEquals(message.includes(join(place.path, "mlcli/config.json")), true);
      // Colour has to be decided before anything can be said.
      assertEquals(wantsColour(true, false, env), true);
    }
  });

  it("are none of what is no file, or too large", async () => {
    await using place = await makeDirectory({ "mlcli/.keep": "" });
    const path = join(place.path, "mlcli/config.json");
    const env = envOf({ XDG_CONFIG_HOME: place.path });
    for (
      const make of [
        () => new Deno.Command("mkfifo", { args: [path] }).output(),
        () => Deno.symlink("/dev/zero", path),
        () => Deno.writeTextFile(path, " ".repeat(100_001)),
      ]
    ) {
      await make();
      assertThrows(() => personSettings(env), MlcliError, "it is not a file, or is too large");
      await Deno.remove(path);
    }
  });

  it("take what they are for alone, and keep what they do not know", () => {
    const before = { other: 1, output: "json" } as unknown as Parameters<typeof withSetting>[0];
    assertEquals<unknown>(withSetting(before, "region", "eu-west-1"), {
      other: 1,
      output: "json",
      region: "eu-west-1",
    });
    assertEquals<unknown>(withSetting(before, "output", undefined), { other: 1 });
    assertEquals(withSetting({}, "trusted_registries", "ghcr.io, quay.io:5000"), {
      trusted_registries: ["ghcr.io", "quay.io:5000"],
    });
    for (
      const [name, text] of [
        ["color", "yes"],
        ["output", "JSON"],
        ["region", "eu west"],
        ["profile", "a\nb"],
        ["trusted_registries", "https://ghcr.io"],
        ["trusted_registries", "ghcr.io,,quay.io"],
      ] as const
    ) {
      assertThrows(
        () => withSetting({}, name, text),
        MlcliError,
        `"${text}" is not a valid value for ${name}`,
      );
    }
  });
});
