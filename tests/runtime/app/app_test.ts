import { join } from "@std/path";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MlcliError, NoAppHere } from "../../../runtime/errors.ts";
import { findApp, withImage, withTag } from "../../../runtime/app/app.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

type Files = Readonly<Record<string, string>>;

/** Files of a directory, and the one app that is found in it. */
const DETECTED: readonly (readonly [what: string, files: Files, name: string])[] = [
  ["a directory beside it", { "demo.json": "{}", "demo/mlcli_base/": "" }, "demo"],
  ["the key image_name", { "demo.json": '{"image_name": "x"}' }, "demo"],
  ["the key cloud_region", { "demo.json": '{"cloud_region": "eu-west-1"}' }, "demo"],
  ["the key cloud_profile", { "demo.json": '{"cloud_profile": "x"}' }, "demo"],
  ["the key base_image", { "demo.json": '{"base_image": "x"}' }, "demo"],
  ["other JSON files around it", {
    "package.json": '{"name": "x", "requirements": "y", "platform": "z"}',
    "renovate.json": "{}",
    "list.json": '["image_name"]',
    "text.json": '"image_name"',
    "broken.json": "{",
    ".hidden.json": '{"image_name": "x"}',
    "folder.json/": "",
    "empty.json": "",
    "empty/": "",
    "large.json": `{"image_name": "${"x".repeat(1024 ** 2)}"}`,
    "Demo-1.x.json": "{}",
    "Demo-1.x/mlcli_base/": "",
  }, "Demo-1.x"],
];

suite("findApp without a name", () => {
  for (const [what, files, name] of DETECTED) {
    it(`finds an app by ${what}`, async () => {
      await using directory = await makeDirectory(files);
      const app = await findApp(directory.path);
      assertEquals(app.name, name);
      assertEquals(app.directory, directory.path);
      assertEquals(app.base, join(directory.path, name, "mlcli_base"));
      assertEquals(app.configurationPath, join(directory.path, `${name}.json`));
    });
  }

  it("lists several, sorted, and asks for one", async () => {
    await using directory = await makeDirectory({
      "zeta.json": '{"cloud_region": "eu-west-1"}',
      "alpha.json": "{}",
      "alpha/mlcli_base/": "",
      "other.json": "{}",
    });
    const error = await assertRejects(
      () => findApp(directory.path),
      MlcliError,
      `Found several apps in ${directory.path}: alpha, zeta`,
    );
    assertEquals(error.name, "MlcliError");
    assertStringIncludes(error.hint ?? "", "--app-name alpha");
  });

  it("says that a directory has none", async () => {
    await using directory = await makeDirectory({ "package.json": "{}", "demo/mlcli_base/": "" });
    const error = await assertRejects(() => findApp(directory.path), NoAppHere);
    assertEquals(error.message, `Not a valid mlcli directory: ${directory.path}`);
    assertStringIncludes(error.hint ?? "", "mlcli init");
  });

  const BROKEN: readonly (readonly [what: string, files: Files])[] = [
    ["beside the app's directory", { "demo.json": "{,}", "demo/mlcli_base/": "" }],
    ["with a key of mlcli", { "demo.json": '{"cloud_region": "eu-west-1",}' }],
  ];
  for (const [what, files] of BROKEN) {
    it(`does not overlook a broken file ${what}`, async () => {
      await using directory = await makeDirectory(files);
      await assertRejects(() => findApp(directory.path), MlcliError, "demo.json is not valid");
    });
  }

  it("refuses a name that no container can have", async () => {
    await using directory = await makeDirectory({ "my app.json": '{"cloud_region": "eu-west-1"}' });
    const error = await assertRejects(() => findApp(directory.path), MlcliError, '"my app"');
    assertEquals(error.name, "MlcliError");
  });
});

suite("findApp with a name", () => {
  it("takes that one of several", async () => {
    await using directory = await makeDirectory({
      "a.json": '{"cloud_region": "eu-west-1"}',
      "b.json": "{}",
    });
    for (const name of ["a", "b"]) {
      assertEquals((await findApp(directory.path, name)).name, name);
    }
  });

  it("lists what there is when there is no such app", async () => {
    await using directory = await makeDirectory({
      "a.json": '{"cloud_region": "eu-west-1"}',
      "demo/mlcli_base/": "",
    });
    const error = await assertRejects(() => findApp(directory.path, "demo"), NoAppHere);
    assertEquals(error.message, `App not found in ${directory.path}: demo`);
    assertEquals(error.hint, "Use an app in this directory: a");
  });

  it("says how to make it where there is none at all", async () => {
    await using directory = await makeDirectory();
    const error = await assertRejects(() => findApp(directory.path, "demo"), MlcliError);
    assertEquals(error.hint, "Create the app: mlcli init demo");
  });

  for (const name of ["", "../x", "a/b", "/tmp/x", ".x", "-x", "a b", "a\\b", "é"]) {
    it(`refuses ${JSON.stringify(name)}`, async () => {
      await using directory = await makeDirectory({ "x.json": "{}" });
      const error = await assertRejects(
        () => findApp(directory.path, name),
        MlcliError,
        `Not a valid app name: "${name}"`,
      );
      assertEquals(error.name, "UsageError");
    });
  }
});

suite("the image of an app", () => {
  it("has the tag latest, unless another one is chosen", async () => {
    await using directory = await makeDirectory({ "demo.json": '{"image_name": "team/demo"}' });
    const app = await findApp(directory.path);
    assertEquals(app.image, "team/demo:latest");
    assertEquals(withTag(app, "v2").image, "team/demo:v2");
    assertEquals(withTag(withTag(app, "v2"), "v3").image, "team/demo:v3");
  });

  it("keeps its tag, if the app names an existing image", async () => {
    await using directory = await makeDirectory({ "demo.json": '{"image": "host/x:1"}' });
    const app = await findApp(directory.path);
    assertEquals(app.image, "host/x:1");
    assertEquals(withTag(app, "v2").image, "host/x:1");
    assertEquals(withImage(app, undefined).image, "host/x:1");
    const other = withImage(app, "host/y:2");
    assertEquals([other.image, other.configuration.image], ["host/y:2", "host/y:2"]);
    assertEquals(withTag(other, "v2").image, "host/y:2");
  });
});
