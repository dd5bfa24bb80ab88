/** Ways to the other pages of a list; a way that there is not is null. */
type PagerProps = { label: string; back: Way | null; next: Way | null; position?: string }
type Way = { text: string; href: string }

export function Pager({ label, back, next, position }: PagerProps) {
  if (!back && !next) return null
  return (
    <nav class="pager" aria-label={label}>
      {back && (
        <a class="button" href={back.href}>
          {back.text}
        </a>
      )}
      {position && <span class="muted">{position}</span>}
      {next && (
        <a class="button" href={next.href}>
          {next.text}
        </a>
      )}
    </nav>
  )
}
