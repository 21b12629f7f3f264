import { join } from "@std/path";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { MlcliError } from "../../../runtime/errors.ts";
import { type Configuration, readConfiguration } from "../../../runtime/app/configuration.ts";
import { appObject } from "../../helpers/app_object.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

async function read(text: string, file = "Demo.json"): Promise<Configuration> {
  await using directory = await makeDirectory({ [file]: text });
  return await readConfiguration(join(directory.path, file));
}

const DEFAULTS = appObject("/", "demo").configuration;

const ACCEPTED: readonly (readonly [text: string, expected: Partial<Configuration>])[] = [
  ["{}", {}],
  ["\uFEFF{}", {}],
  ['{"unknown": 1, "cloud": {"region": 2}}', { otherKeys: ["unknown", "cloud"] }],
  ['{"train": {"ec2_type": "x", "a": [1]}, "process": null, "deploy": ""}', {
    sections: { train: { ec2_type: "x", a: [1] } },
  }],
  ['{"cloud_region": null, "cloud_profile": "", "python_version": ""}', {}],
  ['{"image_name": "team/demo"}', { imageName: "team/demo" }],
  ['{"image_name": "Registry.example:5000/a/b__c"}', {
    imageName: "Registry.example:5000/a/b__c",
  }],
  ['{"python_version": "3.10"}', { pythonVersion: "3.10" }],
  ['{"python_version": "3.14.0rc2"}', { pythonVersion: "3.14.0rc2" }],
  ['{"python_version": "3.8"}', { pythonVersion: "3.8" }],
  ['{"python_version": "3"}', { pythonVersion: "3" }],
  ['{"base_image": "a", "python_version": "3.9"}', {
    ...{ baseImage: "a", pythonVersion: "3.9", ignoresPythonVersion: true },
  }],
  ['{"base_image": "a", "python_version": ""}', { baseImage: "a" }],
  ['{"$schema": "./.schema.json"}', {}],
  ['{"requirements": "./sub//more.txt"}', { requirements: "sub/more.txt" }],
  ['{"requirements": "..named/a.txt"}', { requirements: "..named/a.txt" }],
  ['{"certificate_file": "./certs/company.pem"}', { certificateFile: "certs/company.pem" }],
  ['{"base_image": "debian:bookworm"}', { baseImage: "debian:bookworm" }],
  ['{"platform": "linux/arm64/v8"}', { platform: "linux/arm64/v8" }],
  ['{"cloud_region": "eu-west-1", "cloud_profile": "my team"}', {
    cloudRegion: "eu-west-1",
    cloudProfile: "my team",
  }],
];

const REFUSED: readonly (readonly [text: string, ...words: readonly string[]])[] = [
  ["", "Demo.json is not valid JSON"],
  ['{\n  "cloud_region": "eu-west-1",\n}', "Demo.json is not valid JSON", "line 3 column 1"],
  ["[]", "Demo.json must contain a JSON object", "an array"],
  ["null", "must contain a JSON object", "null"],
  ['"text"', "must contain a JSON object", "a string"],
  ['{"train": "ml.m5.large"}', 'Demo.json: "train" must be an object', 'but is "ml.m5.large"'],
  ['{"process": [1]}', 'Demo.json: "process" must be an object with options of mlcli process'],
  ['{"cloud_region": 1}', 'Demo.json: "cloud_region" must be a region', "but is a number"],
  ['{"cloud_region": "eu west"}', '"cloud_region"', 'but is "eu west"'],
  [
    '{"cloud_profile": "a\\nhint: b"}',
    '"cloud_profile" must be a profile name',
    '"a\\nhint: b"',
  ],
  ['{"cloud_profile": ["a"]}', '"cloud_profile" must be a profile name', "an array"],
  ['{"image_name": {}}', '"image_name" must be an image name', "an object"],
  ['{"image_name": "Demo"}', '"image_name" must be an image name in lower case'],
  ['{"image_name": "demo:v1"}', '"image_name"', "without a tag"],
  ['{"image_name": "demo/"}', '"image_name"'],
  ['{"image_name": "de..mo"}', '"image_name"'],
  ['{"python_version": 3.10}', '"python_version" must be a string', "but is a number"],
  ['{"python_version": "latest"}', '"python_version" must be a Python version'],
  ...["2.7", "3.7", "3.7.17", "3.0", "3.08", "0.9"].map((version) =>
    [`{"python_version": "${version}"}`, "of 3.8 or later", `but is "${version}"`] as const
  ),
  ['{"requirements": true}', '"requirements" must be a path', "a boolean"],
  ['{"requirements": "/etc/requirements.txt"}', '"requirements"', "inside this directory"],
  ['{"requirements": "../requirements.txt"}', '"requirements"', "inside this directory"],
  ['{"requirements": "a/../../b.txt"}', '"requirements"', "inside this directory"],
  ['{"requirements": "."}', '"requirements"'],
  ['{"requirements": "directory/"}', '"requirements"'],
  ['{"requirements": ".env"}', '"requirements"', "not a private file"],
  ['{"requirements": "a/../.AWS/credentials"}', '"requirements"', "not a private file"],
  ['{"certificate_file": "/etc/ssl/private/a.pem"}', "certificate_file", "inside this directory"],
  ['{"certificate_file": "../a.pem"}', "certificate_file", "inside this directory"],
  ['{"certificate_file": ".ssh/id_rsa"}', "certificate_file", "not a private file"],
  ['{"base_image": 12}', '"base_image" must be an image'],
  ['{"platform": "amd64"}', '"platform" must be', "linux/amd64"],
];

suite("readConfiguration", () => {
  for (const [text, expected] of ACCEPTED) {
    it(`reads ${JSON.stringify(text)}`, async () => {
      assertEquals(await read(text), { ...DEFAULTS, ...expected });
    });
  }

  for (const [text, ...words] of REFUSED) {
    it(`refuses ${JSON.stringify(text)}`, async () => {
      const error = await assertRejects(() => read(text), MlcliError);
      assertEquals(error.name, "MlcliError");
      for (const word of words) assertStringIncludes(error.message, word);
      assert(error.hint);
    });
  }

  it("says how to write a Python version that lost its zero", async () => {
    const error = await assertRejects(() => read('{"python_version": 3.10}'), MlcliError);
    assertStringIncludes(error.hint ?? "", 'as in "3.10"');
  });

  it("asks for an image name where the app's cannot be one", async () => {
    const error = await assertRejects(() => read("{}", "a..b.json"), MlcliError, '"a..b"');
    assertStringIncludes(error.hint ?? "", '"image_name"');
    assertEquals((await read('{"image_name": "a.b"}', "a..b.json")).imageName, "a.b");
  });

  it("names a file that it cannot read", async () => {
    await using directory = await makeDirectory();
    const path = join(directory.path, "demo.json");
    await assertRejects(() => readConfiguration(path), MlcliError, "Cannot read demo.json");
  });
});
