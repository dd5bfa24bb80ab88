/** What the pages of a post and of a guide have alike. */
import type { Child } from 'hono/jsx'
import { AppError } from '../../../src/errors.ts'
import type { Guide } from '../../../src/guides.ts'
import type { Post } from '../../../src/posts/post.ts'
import type { Http } from '../../http/env.ts'
import type { z } from '../../http/openapi.ts'
import { baseUrl } from '../first-request.tsx'
import { readForm } from '../form.ts'
import { Badge } from '../parts/badge.tsx'
import { Snippet } from '../parts/copy.tsx'
import { Section } from '../parts/heading.tsx'
import { pathIn } from '../site.ts'

export type Kind = 'posts' | 'guides'
type Article = Post | z.infer<typeof Guide>

/** Longer JSON has a page of its own. */
const MAX_JSON_SHOWN = 200_000
/** Characters of HTML that need less room; how much they need, only a script could tell. */
const SHORT = 400

export function articlePath(c: Http, kind: Kind, slug: string): string {
  return pathIn(c, `/content/${kind}/${encodeURIComponent(slug)}`)
}

export function Status({ status, readyAt = null }: { status: Article['status']; readyAt?: Date | null }) {
  if (status === 'published') return <Badge tone="success" text="Published" />
  return (
    <span>
      <Badge text="Draft" /> {readyAt && <Badge tone="success" text="Ready" />}
    </span>
  )
}

const BANDS = {
  premium: { tone: 'success', text: 'Premium' },
  standard: { tone: 'neutral', text: 'Standard' },
  review: { tone: 'warning', text: 'Review' },
} as const

export function Band({ band }: { band: Post['qualityBand'] }) {
  return band ? <Badge {...BANDS[band]} /> : <span class="muted">Not checked</span>
}

type HeadProps = { c: Http; kind: Kind; article: Article; states: Child; children?: Child }

/** Title, states and the buttons that change them; `children` are further buttons. */
export function Head({ c, kind, article, states, children }: HeadProps) {
  const draft = article.status === 'draft'
  return (
    <div class="article-head">
      <p>
        <a href={pathIn(c, kind === 'posts' ? '/content' : '/content/guides')}>
          {kind === 'posts' ? 'Posts' : 'Guides'}
        </a>
      </p>
      <h1>{article.title}</h1>
      <p class="states">{states}</p>
      <div class="actions">
        {children}
        <form method="post" action={`${articlePath(c, kind, article.slug)}/publication`}>
          <button
            type="submit"
            name="status"
            value={draft ? 'published' : 'draft'}
            class={draft ? 'button primary' : 'button'}
          >
            {draft ? 'Publish' : 'Unpublish'}
          </button>
        </form>
      </div>
    </div>
  )
}

/** The status that a form asks for. @throws AppError invalid_body for any other */
export async function statusAsked(c: Http): Promise<'draft' | 'published'> {
  const { status } = await readForm(c)
  if (status !== 'draft' && status !== 'published')
    throw new AppError('invalid_body', { path: 'status', message: 'must be draft or published' })
  return status
}

export function Preview({ c, kind, article }: { c: Http; kind: Kind; article: Article }) {
  const path = `${articlePath(c, kind, article.slug)}/preview`
  if (article.contentHtml.trim() === '') {
    return (
      <Section id="preview" title="Preview">
        <p class="muted">The content is empty.</p>
      </Section>
    )
  }
  return (
    <Section
      id="preview"
      title="Preview"
      action={<a href={path}>Open by itself</a>}
      lead="The content in plain typography; scripts, forms and links do nothing in it."
    >
      <iframe
        class={article.contentHtml.length < SHORT ? 'preview short' : 'preview'}
        src={path}
        title={`Preview of ${article.title}`}
        sandbox=""
      />
    </Section>
  )
}

/** The article as the API answers it, and the request that asks for it. */
export function Json({ c, kind, article, note }: { c: Http; kind: Kind; article: Article; note?: Child }) {
  const expansion = kind === 'posts' ? '?include=provenance' : ''
  const url = `${baseUrl(c)}/sites/${c.get('site').id}/${kind}/${encodeURIComponent(article.slug)}${expansion}`
  const json = JSON.stringify(article, null, 2)
  return (
    <Section id="json" title="JSON" lead={note ?? 'As the API gives it.'}>
      <Snippet title="Request" text={`curl -H "Authorization: Bearer $API_KEY" \\\n  "${url}"`} />
      {json.length <= MAX_JSON_SHOWN ? (
        <Snippet title="Answer" text={json} scrolls />
      ) : (
        <p>
          The answer has {Math.round(json.length / 1_000).toLocaleString('en')},000 characters:{' '}
          <a href={`${articlePath(c, kind, article.slug)}/json`}>open it by itself</a>.
        </p>
      )}
    </Section>
  )
}
