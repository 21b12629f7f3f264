import { assertEquals, assertRejects } from "@std/assert";
import { trustedCertificates } from "../../../runtime/aws/network.ts";
import { AwsError } from "../../../runtime/aws/errors.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

/** Of nobody, whose key is lost. */
const BODY = `
MIIBdjCCAR2gAwIBAgIUdl7IGv0OEVUYOaqr66zflbGnSNwwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGTm9ib2R5MB4XDTI2MTEyMjAyMzE1OFoXDTI2MTEyNDAyMzE1
OFowETEPMA0GA1UEAwwGTm9ib2R5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
NsvxyPDJyiMxORMBzGfNj6X+NMX9VR/lDWXphjMJRug3ooDLQ8b3zCAL5TW2ETD9
D5JGK01JliFCCTpqaPZcvaNTMFEwHQYDVR0OBBYEFCwkoGItsltnTmvd/yWJy8b9
vimWMB8GA1UdIwQYMBaAFCwkoGItsltnTmvd/yWJy8b9vimWMA8GA1UdEwEB/wQF
MAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgaB4v2ZzVAuN+0/Cwew7R/Ly3WGvlDWrE
JfENrAwHykQCIDF5ZEM0yFfxzye38CbY+97O6hIFylllKGheRD0ekmyO
`;

const pem = (body: string, line = "\n"): string =>
  `-----BEGIN CERTIFICATE-----${body}-----END CERTIFICATE-----`.replaceAll("\n", line);

/** A certificate that tells from which file it came: by how many empty lines it has. */
const marked = (empty: number): string => pem(BODY + "\n".repeat(empty));
const ONE = marked(1);
const TWO = marked(2);
const PROFILE = marked(3);
const HOME = marked(4);

const FILES = {
  "one.pem": ONE,
  "old~/one.pem": ONE,
  "two.pem": `# a comment\n${TWO}\n`,
  "profile.pem": PROFILE,
  "home/home.pem": HOME,
  "home/~x.pem": HOME,
  "both.pem": `ours\n${ONE}\ntheirs\n${TWO}`,
  "crlf.pem": pem(BODY, "\r\n"),
  "none.pem": "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
  "empty.pem": "",
  "cut.pem": `-----BEGIN CERTIFICATE-----${BODY}`,
  "broken.pem": pem("\nAAAA\n"),
  "half.pem": `${ONE}\n${pem("\nAAAA\n")}`,
  "folder/": "",
  config: "[default]\nca_bundle = DIR/profile.pem\n[profile home]\nca_bundle = ~/home.pem\n" +
    "[profile none]\nca_bundle =\n[profile bare]\nregion = eu-west-1\n" +
    "[profile lost]\nca_bundle = DIR/lost.pem\n[profile user]\nca_bundle = ~x.pem\n" +
    "[profile tilde]\nca_bundle = DIR/old~/one.pem\n",
};

interface Surroundings {
  readonly profile?: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Asks with the files in a directory, which DIR names. */
async function certificates({ profile, env }: Surroundings): Promise<readonly string[]> {
  await using directory = await makeDirectory(FILES);
  const inPlace = (text?: string) => text?.replaceAll("DIR", directory.path);
  await directory.write({ config: inPlace(FILES.config)! });
  const all: Surroundings["env"] = { AWS_CONFIG_FILE: "DIR/config", ...env };
  try {
    return await trustedCertificates(profile, (name) => inPlace(all[name]));
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    const words = [error.message, error.hint, error.quote].map((text) =>
      text?.replaceAll(directory.path, "DIR")
    );
    throw new AwsError(error.refusal, words[0]!, { hint: words[1], quote: words[2] });
  }
}

const NO_PROFILE = { AWS_CONFIG_FILE: "DIR/nowhere" };

const FOUND: readonly (readonly [
  name: string,
  surroundings: Surroundings,
  expected: readonly string[],
])[] = [
  ["nothing names a file", { env: NO_PROFILE }, []],
  ["AWS_CA_BUNDLE", { env: { ...NO_PROFILE, AWS_CA_BUNDLE: "DIR/one.pem" } }, [ONE]],
  ["SSL_CERT_FILE", { env: { ...NO_PROFILE, SSL_CERT_FILE: "DIR/one.pem" } }, [ONE]],
  ["DENO_CERT", { env: { ...NO_PROFILE, DENO_CERT: "DIR/one.pem" } }, [ONE]],
  ["AWS_CA_BUNDLE before the profile", { env: { AWS_CA_BUNDLE: "DIR/one.pem" } }, [ONE]],
  ["the profile before SSL_CERT_FILE", { env: { SSL_CERT_FILE: "DIR/one.pem" } }, [PROFILE]],
  [
    "SSL_CERT_FILE before DENO_CERT",
    { env: { ...NO_PROFILE, DENO_CERT: "DIR/one.pem", SSL_CERT_FILE: "DIR/two.pem" } },
    [TWO],
  ],
  [
    "DENO_CERT where SSL_CERT_FILE names nothing",
    { env: { ...NO_PROFILE, DENO_CERT: "DIR/one.pem", SSL_CERT_FILE: "DIR/lost.pem" } },
    [ONE],
  ],
  ["none where they all name nothing", { env: { ...NO_PROFILE, DENO_CERT: "DIR/lost.pem" } }, []],
  [
    "an empty variable names nothing",
    { profile: "bare", env: { AWS_CA_BUNDLE: "", SSL_CERT_FILE: "", DENO_CERT: "DIR/one.pem" } },
    [ONE],
  ],
  ["the default profile", { env: {} }, [PROFILE]],
  ["the named profile alone", { profile: "bare", env: {} }, []],
  ["a profile that names nothing", { profile: "none", env: {} }, []],
  ["a profile below HOME", { profile: "home", env: { HOME: "DIR/home" } }, [HOME]],
  ["a profile below USERPROFILE", { profile: "home", env: { USERPROFILE: "DIR/home" } }, [HOME]],
  [
    "HOME before USERPROFILE",
    { profile: "home", env: { HOME: "DIR/home", USERPROFILE: "DIR/x" } },
    [HOME],
  ],
  ["a profile where ~ is part of a name", { profile: "tilde", env: { HOME: "x" } }, [ONE]],
  ["all of a file", { env: { AWS_CA_BUNDLE: "DIR/both.pem" } }, [ONE, TWO]],
  ["lines that end as on Windows", { env: { AWS_CA_BUNDLE: "DIR/crlf.pem" } }, [pem(BODY, "\r\n")]],
];

const CHECK = "names this file: check both.";
const PEM = "names this file. It should hold certificates as PEM: " +
  "-----BEGIN CERTIFICATE----- and so on.";

const REFUSED: readonly (readonly [
  name: string,
  surroundings: Surroundings,
  message: string,
  hint: string,
])[] = [
  ...["none", "empty", "cut", "broken", "half"].map((file) =>
    [
      `a file that is ${file}`,
      { env: { AWS_CA_BUNDLE: `DIR/${file}.pem` } },
      `No certificates in DIR/${file}.pem`,
      `AWS_CA_BUNDLE ${PEM}`,
    ] as const
  ),
  [
    "one that SSL_CERT_FILE names and that holds none",
    { profile: "bare", env: { SSL_CERT_FILE: "DIR/none.pem" } },
    "No certificates in DIR/none.pem",
    `SSL_CERT_FILE ${PEM}`,
  ],
  [
    "one that is not there",
    { env: { AWS_CA_BUNDLE: "DIR/lost.pem" } },
    "Cannot read the certificates: DIR/lost.pem",
    `AWS_CA_BUNDLE ${CHECK}`,
  ],
  [
    "one of a profile that is not there",
    { profile: "lost", env: {} },
    "Cannot read the certificates: DIR/lost.pem",
    `ca_bundle in profile lost ${CHECK}`,
  ],
  [
    "one below the home of somebody else",
    { profile: "user", env: { HOME: "DIR/home/" } },
    "Cannot read the certificates: ~x.pem",
    `ca_bundle in profile user ${CHECK}`,
  ],
  [
    "a directory",
    { env: { AWS_CA_BUNDLE: "DIR/folder" } },
    "Cannot read the certificates: DIR/folder",
    `AWS_CA_BUNDLE ${CHECK}`,
  ],
];

suite("trustedCertificates", () => {
  for (const [name, surroundings, expected] of FOUND) {
    it(`are those of: ${name}`, async () => {
      assertEquals(await certificates(surroundings), expected);
    });
  }

  for (const [name, surroundings, message, hint] of REFUSED) {
    it(`refuses ${name}`, async () => {
      const error = await assertRejects(() => certificates(surroundings), AwsError);
      assertEquals([error.refusal, error.message, error.hint], ["unreachable", message, hint]);
      // The system's own words, where it refused.
      assertEquals(error.quote !== undefined, message.startsWith("Cannot read"));
    });
  }
});
