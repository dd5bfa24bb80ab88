/** Ways to the pages of a list that has numbers for them. */
type PagesProps = { label: string; page: number; totalPages: number; href: (page: number) => string }

export function Pages({ label, page, totalPages, href }: PagesProps) {
  if (totalPages <= 1) return null
  return (
    <nav class="pages" aria-label={label}>
      <ul>
        {page > 1 && (
          <li>
            <a class="button small" href={href(page - 1)} rel="prev">
              Previous
            </a>
          </li>
        )}
        {numbersAround(page, totalPages).map((number, index, numbers) => (
          <li>
            {index > 0 && number > numbers[index - 1]! + 1 && <span class="muted">…</span>}
            <a href={href(number)} aria-current={number === page ? 'page' : undefined}>
              <span class="visually-hidden">Page </span>
              {number.toLocaleString('en')}
            </a>
          </li>
        ))}
        {page < totalPages && (
          <li>
            <a class="button small" href={href(page + 1)} rel="next">
              Next
            </a>
          </li>
        )}
      </ul>
    </nav>
  )
}

/** The first, the last, and what is next to the page. */
function numbersAround(page: number, last: number): number[] {
  const near = [1, page - 1, page, page + 1, last]
  return [...new Set(near)].filter((number) => number >= 1 && number <= last)
}
