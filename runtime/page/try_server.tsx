/** A form that sends a request to a server, and shows its answer. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { answerText } from "./answers.ts";
import { Failed, Scrolled, usePage } from "./parts.tsx";
import { curlLine, invokeLine, type TriedRequest } from "./request_lines.ts";
import type { ServerAnswer } from "./source.ts";

const [JSON_TYPE, CSV_TYPE] = ["application/json", "text/csv"];

type Result = { readonly answer: ServerAnswer } | { readonly error: Error };

export function TryServer(
  { port, app: ofServer }: { readonly port: number; readonly app: string },
): JSX.Element {
  const { source, app } = usePage();
  const sample = app.app === ofServer ? app.sample : null;
  const [contentType, setContentType] = useState(sample?.content_type ?? JSON_TYPE);
  const [isOther, setOther] = useState(![JSON_TYPE, CSV_TYPE].includes(contentType));
  const [accept, setAccept] = useState("");
  const [text, setText] = useState(sample?.body ?? "");
  const [file, setFile] = useState<File>();
  const [isSending, setSending] = useState(false);
  const [result, setResult] = useState<Result>();
  const body = file ? { file: file.name } : { text };
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    const request = { contentType, accept, body: file ?? text };
    setResult(
      await source.ask(port, request).then((answer) => ({ answer }), (error) => ({ error })),
    );
    setSending(false);
  };
  return (
    <details>
      <summary>Try it</summary>
      <form class="try" onSubmit={send}>
        <div class="tools">
          <label>
            Content type{" "}
            <select
              value={isOther ? "" : contentType}
              onChange={({ currentTarget: { value } }) => {
                setOther(value === "");
                setContentType(value);
              }}
            >
              <option value={JSON_TYPE}>JSON</option>
              <option value={CSV_TYPE}>CSV</option>
              <option value="">Another</option>
            </select>
          </label>
          {isOther && (
            <Field label="Which" value={contentType} onChange={setContentType} isRequired />
          )}
          <Field label="Accept (may be empty)" value={accept} onChange={setAccept} />
          <label>
            File instead of text{" "}
            <input
              type="file"
              onChange={(event) =>
                setFile(event.currentTarget.files?.[0])}
            />
          </label>
        </div>
        <label>
          Request
          <textarea
            rows={6}
            spellcheck={false}
            disabled={file !== undefined}
            value={text}
            onInput={(event) =>
              setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isSending}>Send</button>
        <div role="status">
          {isSending ? "Waiting for the answer …" : result && <Answer of={result} />}
        </div>
        <Lines of={{ port, contentType, accept, body }} />
      </form>
    </details>
  );
}

function Field({ label, value, onChange, isRequired }: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isRequired?: boolean;
}): JSX.Element {
  return (
    <label>
      {label}{" "}
      <input
        value={value}
        required={isRequired}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}

function Answer({ of }: { readonly of: Result }): JSX.Element {
  if ("error" in of) return <Failed error={of.error} />;
  const { status, contentType, milliseconds, body } = of.answer;
  return (
    <>
      <p>HTTP {status}, {contentType || "of no type"}, {milliseconds} ms</p>
      <Scrolled label="Answer">
        <pre>{answerText(contentType, body)}</pre>
      </Scrolled>
    </>
  );
}

/** The same request from a terminal. */
function Lines({ of }: { readonly of: TriedRequest }): JSX.Element {
  const [copied, setCopied] = useState("");
  return (
    <>
      {[curlLine(of), invokeLine(of)].map((line, index) => (
        <div key={index} class="line">
          <Scrolled label={index === 0 ? "With curl" : "With mlcli"}>
            <pre>{line}</pre>
          </Scrolled>
          <button
            type="button"
            aria-label={index === 0 ? "Copy the line with curl" : "Copy the line with mlcli"}
            onClick={() => void navigator.clipboard?.writeText(line).then(() => setCopied(line))}
          >
            {copied === line ? "Copied" : "Copy"}
          </button>
        </div>
      ))}
    </>
  );
}
