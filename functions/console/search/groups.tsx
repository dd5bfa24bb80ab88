import type { Child } from 'hono/jsx'
import { Marked } from './marked.tsx'

export type Result = {
  text: string
  /** Before the text, and at the end of the line. */
  mark: Child
  about?: Child
  /** The text is ours, so that a match in it means nothing. */
  isUnmarked?: true
} & ({ href: string } | { action: string; posts: [name: string, value: string] } | { copies: string })

export type Group = { title: string; count?: string; found: Result[] }

export function Groups({ groups, q }: { groups: Group[]; q: string }) {
  return (
    <>
      {groups
        .filter(({ found }) => found.length > 0)
        .map(({ title, count, found }) => (
          <section>
            <h2 class="hint" dir="auto">
              {title} {count}
            </h2>
            <ul class="items">
              {found.map((each) => (
                <li>
                  <ResultLine found={each} q={q} />
                </li>
              ))}
            </ul>
          </section>
        ))}
    </>
  )
}

/** A command that changes something posts, as its button does. */
function ResultLine({ found, q }: { found: Result; q: string }) {
  const content = (
    <>
      {found.mark}
      <bdi>{found.isUnmarked ? found.text : <Marked text={found.text} q={q} />}</bdi>
      {found.about && <span class="hint">{found.about}</span>}
    </>
  )
  if ('href' in found) return <a href={found.href}>{content}</a>
  if ('copies' in found)
    return (
      <button type="button" data-copy={found.copies} hidden>
        {content}
      </button>
    )
  const [name, value] = found.posts
  return (
    <button type="submit" formmethod="post" formaction={found.action} name={name || undefined} value={value}>
      {content}
    </button>
  )
}
