/** Texts to take elsewhere. */

/** Shown by the script alone, since only a script can copy. */
function CopyButton({ text, what }: { text: string; what: string }) {
  return (
    <button type="button" class="button small" data-copy={text} hidden>
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  )
}

/** A labelled text with a button to copy it. */
export function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div class="copyable">
      <dt>{label}</dt>
      <dd>
        <code>{text}</code>
        <CopyButton text={text} what={label} />
      </dd>
    </div>
  )
}

/** Lines of code with a button to copy them. */
export function Snippet({ title, text }: { title: string; text: string }) {
  return (
    <div class="snippet">
      <div class="snippet-head">
        <p>{title}</p>
        <CopyButton text={text} what={title} />
      </div>
      <pre>
        <code>{text}</code>
      </pre>
    </div>
  )
}
