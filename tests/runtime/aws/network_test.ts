import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { AwsError } from "../../../runtime/aws/errors.ts";
import {
  checkProxies,
  namesProxy,
  proxyLogins,
  trustedCertificates,
} from "../../../runtime/aws/network.ts";
import { makeDirectory } from "../../helpers/directory.ts";
import { it, suite } from "../../helpers/suite.ts";

const VARIABLES = [
  ...["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"],
] as const;

type Environment = Readonly<Record<string, string>>;
const reader = (env: Environment) => (name: string): string | undefined => env[name];

suite("checkProxies", () => {
  const accepted = [
    ...["", "proxy", "proxy:3128", "10.0.0.1:8080", "http://proxy:3128", "https://proxy"],
    ...["HTTP://PROXY/", "socks5://proxy:1080", "socks5h://proxy", "jo:secret@proxy:1"],
    ...["http://jo:a%b@proxy", "http://[::1]:3128"],
  ];
  for (const value of accepted) {
    it(`takes "${value}" for an address`, () => {
      for (const name of VARIABLES) checkProxies(reader({ [name]: value }));
    });
  }

  const refused = [
    ...["ftp://proxy", "socks://proxy", "socks4://proxy", "://proxy", "http://", "socks5://"],
    ...["proxy:port", "http://pro xy", "http://proxy:99999", "shttp://proxy", "[::1"],
  ];
  for (const value of refused) {
    it(`does not take "${value}" for one, and does not show it`, () => {
      for (const name of VARIABLES) {
        const error = assertThrows(() => checkProxies(reader({ [name]: value })), AwsError);
        assertEquals([error.refusal, error.message, error.hint, error.cause], [
          "unreachable",
          `${name} does not contain a valid proxy address`,
          `Set ${name} to an address such as http://proxy:3128`,
          undefined,
        ]);
      }
    });
  }

  it("checks each variable, and no other one", () => {
    const wrong = { NO_PROXY: "://", no_proxy: "://", FTP_PROXY: "://" };
    checkProxies(reader(wrong));
    const env = { ...wrong, HTTPS_PROXY: "proxy", all_proxy: "://" };
    assertThrows(() => checkProxies(reader(env)), AwsError, "all_proxy does not");
  });
});

suite("namesProxy", () => {
  const rows: readonly (readonly [env: Environment, expected: boolean])[] = [
    [{}, false],
    [{ HTTPS_PROXY: "", http_proxy: "" }, false],
    [{ NO_PROXY: "*" }, false],
    ...VARIABLES.map((name) => [{ [name]: "proxy" }, true] as const),
  ];
  for (const [env, expected] of rows) {
    it(`${JSON.stringify(env)}: ${expected}`, () => {
      assertEquals(namesProxy(reader(env)), expected);
    });
  }
});

suite("proxyLogins", () => {
  const rows: readonly (readonly [env: Environment, logins: readonly (readonly string[])[]])[] = [
    [{}, []],
    [{ HTTPS_PROXY: "http://proxy" }, []],
    [{ HTTPS_PROXY: "http://jo@proxy" }, []],
    [{ HTTPS_PROXY: "ftp://jo:secret@proxy" }, []],
    [{ HTTPS_PROXY: "http://jo:secret@proxy" }, [["jo", "secret"]]],
    [{ http_proxy: "jo:secret@proxy:1" }, [["jo", "secret"]]],
    [{ ALL_PROXY: "socks5://:secret@proxy" }, [["", "secret"]]],
    [{ HTTPS_PROXY: "http://j%40:%2Fa%20b@proxy" }, [["j@", "/a b"]]],
    [{ HTTPS_PROXY: "http://jo:100%@proxy" }, [["jo", "100%"]]],
    [{ HTTPS_PROXY: "http://100%:a%2Fb@proxy" }, [["100%", "a/b"]]],
    [
      {
        all_proxy: "http://c:three@p",
        HTTPS_PROXY: "http://a:one@p",
        HTTP_PROXY: "http://b:two@p",
      },
      [["a", "one"], ["b", "two"], ["c", "three"]],
    ],
  ];
  for (const [env, logins] of rows) {
    it(`of ${JSON.stringify(env)}: ${JSON.stringify(logins)}`, () => {
      const found = proxyLogins(reader(env)).map(({ name, password }) => [name, password]);
      assertEquals(found, logins);
    });
  }
});

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

const CHECK = "Check that you can read the file, which is set by";
const PEM = "to a file with PEM certificates (-----BEGIN CERTIFICATE-----)";

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
      `No valid certificates in DIR/${file}.pem`,
      `Set AWS_CA_BUNDLE ${PEM}`,
    ] as const
  ),
  [
    "one that SSL_CERT_FILE names and that holds none",
    { profile: "bare", env: { SSL_CERT_FILE: "DIR/none.pem" } },
    "No valid certificates in DIR/none.pem",
    `Set SSL_CERT_FILE ${PEM}`,
  ],
  [
    "one that is not there",
    { env: { AWS_CA_BUNDLE: "DIR/lost.pem" } },
    "Cannot read the certificates in DIR/lost.pem",
    `${CHECK} AWS_CA_BUNDLE`,
  ],
  [
    "one of a profile that is not there",
    { profile: "lost", env: {} },
    "Cannot read the certificates in DIR/lost.pem",
    `${CHECK} ca_bundle in profile lost`,
  ],
  [
    "one below the home of somebody else",
    { profile: "user", env: { HOME: "DIR/home/" } },
    "Cannot read the certificates in ~x.pem",
    `${CHECK} ca_bundle in profile user`,
  ],
  [
    "a directory",
    { env: { AWS_CA_BUNDLE: "DIR/folder" } },
    "Cannot read the certificates in DIR/folder",
    `${CHECK} AWS_CA_BUNDLE`,
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
