import { homedir } from "node:os";
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { checkProfile, profileValue } from "../../../runtime/aws/profiles.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const ENV = { AWS_CONFIG_FILE: "DIR/config", AWS_SHARED_CREDENTIALS_FILE: "DIR/credentials" };

/** Runs with files in a directory, DIR in the environment. */
async function withFiles<T>(
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>>,
  work: (env: (name: string) => string | undefined, directory: string) => Promise<T>,
): Promise<T> {
  await using directory = await makeDirectory(files);
  return await work((name) => env[name]?.replace("DIR", () => directory.path), directory.path);
}

const named = (value: string) => ({ value, where: "AWS_PROFILE" });

/** Sections, a profile, and the files in which each is that profile, as for the SDK. */
const SECTIONS: readonly (readonly [
  section: string,
  profile: string,
  where: "config" | "credentials" | "both" | "neither",
])[] = [
  ["[dev]", "dev", "credentials"],
  ["[profile dev]", "dev", "config"],
  ["  [ profile \t dev ] # mine", "dev", "config"],
  ['[profile "my dev"]', "my dev", "config"],
  ["['dev']", "dev", "credentials"],
  ["[default]", "default", "both"],
  ["[profile default]", "default", "config"],
  ["key = 1\r\n[profile dev]\r\nkey = 2\r\n", "dev", "config"],
  ["key = 1\r\n[dev]\r\nkey = 2\r\n", "dev", "credentials"],
  ["[profile a.b]", "a.b", "config"],
  ["[profile a.b]", "axb", "neither"],
  ["[profile dev]", "Dev", "neither"],
  ["[profile developer]", "dev", "neither"],
  ["[profile my dev]", "dev", "neither"],
  ["[sso-session dev]", "dev", "neither"],
  ["[profiled]", "d", "neither"],
  ["# [profile dev]", "dev", "neither"],
  ["; [dev]", "dev", "neither"],
  ["key = [dev]", "dev", "neither"],
  ["[profile dev", "dev", "neither"],
  ["[]", "", "neither"],
  ["", "default", "neither"],
];

suite("checkProfile", () => {
  for (const [section, profile, where] of SECTIONS) {
    it(`${JSON.stringify(section)} is the profile "${profile}" in ${where}`, async () => {
      for (const file of ["config", "credentials"]) {
        await withFiles({ [file]: section }, ENV, async (env) => {
          if (where === "both" || where === file) return await checkProfile(named(profile), env);
          await assertRejects(() => checkProfile(named(profile), env), AwsError, profile);
        });
      }
    });
  }

  const places: readonly {
    readonly name: string;
    readonly env: Readonly<Record<string, string>>;
    readonly files: readonly [config: string, credentials: string];
  }[] = [
    {
      name: "variables before HOME",
      env: { ...ENV, HOME: "/home/jo", USERPROFILE: "/jo" },
      files: ["DIR/config", "DIR/credentials"],
    },
    {
      name: "HOME before USERPROFILE",
      env: { HOME: "DIR/jo", USERPROFILE: "DIR/windows" },
      files: ["DIR/jo/.aws/config", "DIR/jo/.aws/credentials"],
    },
    {
      name: "USERPROFILE where there is no HOME",
      env: { USERPROFILE: "DIR/windows" },
      files: ["DIR/windows/.aws/config", "DIR/windows/.aws/credentials"],
    },
    {
      name: "the system's own word where there is neither",
      env: {},
      files: [`${homedir()}/.aws/config`, `${homedir()}/.aws/credentials`],
    },
    {
      name: "an empty variable is not set",
      env: { AWS_CONFIG_FILE: "", AWS_SHARED_CREDENTIALS_FILE: "", HOME: "", USERPROFILE: "DIR" },
      files: ["DIR/.aws/config", "DIR/.aws/credentials"],
    },
    {
      name: "~ in a variable is HOME, at its start alone",
      env: { AWS_CONFIG_FILE: "~/c", AWS_SHARED_CREDENTIALS_FILE: "DIR/~/k", HOME: "DIR/$&" },
      files: ["DIR/$&/c", "DIR/~/k"],
    },
  ];
  for (const { name, env: variables, files } of places) {
    it(`looks there, and says where: ${name}`, async () => {
      await withFiles({}, variables, async (env, directory) => {
        const error = await assertRejects(() => checkProfile(named("dev"), env), AwsError);
        const where = files.join(" or ").replaceAll("DIR", () => directory);
        assertEquals([error.refusal, error.message, error.hint], [
          "credentials",
          'AWS profile "dev" not found',
          `Check AWS_PROFILE: ${where} must contain the profile. Create it with aws configure ` +
          "--profile dev, or list all profiles with aws configure list-profiles.",
        ]);
      });
      for (const file of files.filter((file) => file.startsWith("DIR/"))) {
        await withFiles(
          { [file.slice(4)]: "[dev]\n[profile dev]" },
          variables,
          (env) => checkProfile(named("dev"), env),
        );
      }
    });
  }

  it("quotes the name of a profile in the command of its hint", async () => {
    await withFiles({}, ENV, async (env) => {
      const check = () => checkProfile(named("$(touch x)"), env);
      const { hint = "" } = await assertRejects(check, AwsError);
      assertStringIncludes(hint, "Create it with aws configure --profile '$(touch x)', or");
    });
  });

  it("waits for nobody to write to a named pipe", async () => {
    await withFiles({}, ENV, async (env, directory) => {
      await new Deno.Command("mkfifo", { args: [`${directory}/config`] }).output();
      const error = await assertRejects(() => checkProfile(named("dev"), env), AwsError);
      assertEquals(error.message, `Cannot read ${directory}/config: it is a named pipe`);
    });
  });

  it("says which file it cannot read", async () => {
    await withFiles({ "config/": "" }, ENV, async (env, directory) => {
      const error = await assertRejects(() => checkProfile(named("dev"), env), AwsError);
      assertEquals([error.refusal, error.message, error.hint], [
        "credentials",
        `Cannot read ${directory}/config: Is a directory`,
        "Check that it is a regular file and that you can read it",
      ]);
      assertEquals(error.cause instanceof Error, true);
    });
  });
});

/** What the two files hold, and what that says about `key` of the profile `dev`. */
const VALUES: readonly (readonly [
  name: string,
  config: string,
  credentials: string,
  value: string | undefined,
])[] = [
  ["the first file counts", "[profile dev]\nkey = 1", "[dev]\nkey = 2", "1"],
  ["the second where the first says nothing", "[profile dev]\nother = 1", "[dev]\nkey = 2", "2"],
  ["the second where the first has no such profile", "[default]\nkey = 1", "[dev]\nkey = 2", "2"],
  ["nothing", "[default]\nkey = 1", "", undefined],
  ["a line before all sections is nobody's", "key = 1\n[profile dev]", "", undefined],
  ["the next section's is not its own", "[profile dev]\n[profile b]\nkey = 1", "", undefined],
  ["its own among others", "[a]\nkey=0\n[profile dev]\nkey=1\n[b]\nkey=2", "", "1"],
  ["a section that comes twice", "[profile dev]\nx = 1\n[b]\n[profile dev]\nkey = 2", "", "2"],
  ["spaces are not part of it", "[profile dev]\n\tkey  =  a b \r\n", "", "a b"],
  ["what follows the first = is", "[profile dev]\nkey=a=b", "", "a=b"],
  ["an empty value is none", "[profile dev]\nkey =\n", "[dev]\nkey = 2", "2"],
  [
    "a section of the other file's form is none",
    "[dev]\nkey = 1",
    "[profile dev]\nkey = 2",
    undefined,
  ],
  ["the last one counts", "[profile dev]\nkey = 1\nkey = 2\n[profile dev]\nkey = 3", "", "3"],
  ["a comment behind it is not part of it", "[profile dev]\nkey = a;b#c ; mine # own", "", "a;b#c"],
  ["one below another key is that one's", "[profile dev]\ns3 =\n  key = 1\nx = 1", "", undefined],
  ["one after those is its own", "[profile dev]\ns3 =\n  a = 1\nb = 1\n key = 2", "", "2"],
  ["a comment is none", "[profile dev]\n# key = 1\n;key = 2", "", undefined],
  ["another key that begins alike", "[profile dev]\nkeys = 1", "", undefined],
];

suite("profileValue", () => {
  for (const [name, config, credentials, expected] of VALUES) {
    it(name, async () => {
      const value = await withFiles(
        { config, credentials },
        ENV,
        (env) => profileValue("dev", "key", env),
      );
      assertEquals(value, expected);
    });
  }

  it("says nothing where no file is", async () => {
    assertEquals(await withFiles({}, ENV, (env) => profileValue("dev", "key", env)), undefined);
  });
});
