/** Hidden until the script runs, since only a script can copy. Without `text` it copies the code of its snippet. */
export function CopyButton({ text = '', what }: { text?: string; what: string }) {
  return (
    <button type="button" class="button small" data-copy={text} hidden>
      Copy<span class="visually-hidden"> {what}</span>
    </button>
  )
}

/** `scrolls` lets a long text scroll inside its box. */
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
