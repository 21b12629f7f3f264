/** A form that sends a request to a server, and shows its answer. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { answerText } from "./answers.ts";
import { Failed, Scrolled, usePage } from "./parts.tsx";
import { curlLine, invokeLine } from "./request_lines.ts";
import type { ServerAnswer } from "./source.ts";

interface TryProps {
  readonly port: number;
  /** The app that is served. */
  readonly served: string;
}

export function TryServer({ port, served }: TryProps): JSX.Element {
  const { source, app } = usePage();
  const sample = app.app === served ? app.sample : null;
  const [contentType, setContentType] = useState(sample?.content_type ?? "application/json");
  const [accept, setAccept] = useState("");
  const [text, setText] = useState(sample?.body.trimEnd() ?? "");
  const [file, setFile] = useState<File>();
  const [isSending, setSending] = useState(false);
  const [result, setResult] = useState<JSX.Element>();
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    setSending(true);
    const asked = source.ask(port, { contentType, accept, body: file ?? text });
    setResult(
      await asked.then(
        (answer) => <Answer of={answer} port={port} />,
        (error) => <Failed error={error} />,
      ),
    );
    setSending(false);
  };
  const tried = { port, contentType, accept, body: file ? { file: file.name } : { text } };
  return (
    <details>
      <summary>Try it</summary>
      <form class="try" onSubmit={send}>
        <div class="tools">
          <Field label="Content type" value={contentType} onChange={setContentType} required />
          <Field label="Accept (may be empty)" value={accept} onChange={setAccept} />
          <label>
            File instead of text{" "}
            <input type="file" onChange={(event) => setFile(event.currentTarget.files?.[0])} />
          </label>
        </div>
        <label>
          Request
          <textarea
            rows={5}
            spellcheck={false}
            disabled={file !== undefined}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isSending}>Send</button>
        <div role="status">{isSending ? "Waiting for the answer …" : result}</div>
        <Line name="curl" text={curlLine(tried)} />
        <Line name="mlcli" text={invokeLine(tried)} />
      </form>
    </details>
  );
}

interface FieldProps {
  readonly label: string;
  readonly value: string;
  readonly required?: boolean;
  readonly onChange: (value: string) => void;
}

function Field({ label, value, required, onChange }: FieldProps): JSX.Element {
  const change = (event: { currentTarget: HTMLInputElement }) =>
    onChange(event.currentTarget.value);
  return (
    <label>
      {label} <input value={value} list="types" required={required} onInput={change} />
    </label>
  );
}

function Answer({ of, port }: Readonly<{ of: ServerAnswer; port: number }>): JSX.Element {
  const { status, contentType, milliseconds, body } = of;
  return (
    <>
      <p>HTTP {status}, {contentType || "of no type"}, {milliseconds} ms</p>
      <Scrolled label={`Answer of port ${port}`}>
        <pre>{answerText(contentType, body)}</pre>
      </Scrolled>
    </>
  );
}

/** The same request from a terminal. */
function Line({ name, text }: Readonly<{ name: string; text: string }>): JSX.Element {
  const [copied, setCopied] = useState("");
  const copy = (): Promise<void> => navigator.clipboard.writeText(text).then(() => setCopied(text));
  return (
    <div class="line">
      <pre>{text}</pre>
      {/* A page that is not on this machine, and not behind HTTPS, has no clipboard. */}
      {navigator.clipboard && (
        <button type="button" aria-label={`Copy the line with ${name}`} onClick={copy}>
          {copied === text ? "Copied" : "Copy"}
        </button>
      )}
    </div>
  );
}
