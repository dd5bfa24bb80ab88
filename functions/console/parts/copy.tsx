/** Texts to take elsewhere. */

/** Shown by the script alone, since only a script can copy; without a text it copies the lines of its snippet. */
function CopyButton({ text = '', what }: { text?: string; what: string }) {
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

/** Lines of code with a button to copy them; many of them scroll in a box. */
export function Snippet({ title, text, scrolls }: { title: string; text: string; scrolls?: boolean }) {
  const box = scrolls ? { class: 'scrolls', tabindex: 0, role: 'region', 'aria-label': title } : {}
  return (
    <div class="snippet">
      <div class="snippet-head">
        <p>{title}</p>
        <CopyButton what={title} />
      </div>
      <pre {...box}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
