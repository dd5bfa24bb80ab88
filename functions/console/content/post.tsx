/** A post: what it says and what is known of it, and its ways between its states. */
import { Hono } from 'hono'
import { AppError } from '../../../src/errors.ts'
import { inspectPost, type Translation } from '../../../src/posts/browse.ts'
import type { Post } from '../../../src/posts/post.ts'
import { getPost } from '../../../src/posts/read.ts'
import { markPostReady, setPostStatus } from '../../../src/posts/states.ts'
import { postUrl } from '../../../src/urls.ts'
import type { Env, Http } from '../../http/env.ts'
import { explain } from '../../http/errors.ts'
import { sitePage } from '../layout.tsx'
import { Done } from '../parts/done.tsx'
import { Facts } from '../parts/facts.tsx'
import { PageHeading, Section } from '../parts/heading.tsx'
import { Notice } from '../parts/notice.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { articlePath, Band, Head, Json, Preview, Status, statusAsked } from './article.tsx'
import { previewPage } from './preview.tsx'
import { Faq, Seo, Sources } from './statements.tsx'

const PATH = '/content/posts/:slug'

export const post = new Hono<Env>()

post.get(PATH, async (c) => {
  const { post, readyAt, translations } = await inspectPost(c.get('ctx'), c.get('site'), c.req.param('slug'))
  const notice = NOTICES.find(([name]) => name === c.req.query('done'))
  return sitePage(
    c,
    { tab: 'Content', title: post.title },
    <>
      <Head
        c={c}
        kind="posts"
        article={post}
        states={
          <>
            <Status status={post.status} readyAt={readyAt} /> <Band band={post.qualityBand} />
          </>
        }
      >
        {post.status === 'draft' && readyAt === null && (
          <form method="post" action={`${articlePath(c, 'posts', post.slug)}/readiness`}>
            <button type="submit" class="button">
              Mark ready
            </button>
          </form>
        )}
      </Head>
      {notice?.[1] === 'success' && <Done c={c}>{notice[2]}</Done>}
      {notice && notice[1] !== 'success' && <Notice tone={notice[1]}>{notice[2]}</Notice>}
      <Preview c={c} kind="posts" article={post} />
      <Section id="fields" title="Fields">
        <Facts facts={factsOf(c, post, readyAt)} />
      </Section>
      {translations.length > 0 && <Translations c={c} translations={translations} />}
      <Seo seo={post.seo} />
      <Faq faq={post.faqJsonLd} />
      <Sources provenance={post.provenance} />
      <Json c={c} kind="posts" article={post} />
    </>,
  )
})

const NOTICES = [
  ['published', 'success', 'Published: the post is in the sitemap now.'],
  ['unpublished', 'success', 'Unpublished: the post is a draft again, and no longer in the sitemap.'],
  ['ready', 'success', 'Marked ready: article.ready is on its way.'],
  ['unsent', 'warning', 'Marked ready. No webhook is set, so nothing is sent.'],
  ['already', 'info', 'The draft was ready already, so nothing is sent again.'],
] as const

function factsOf(c: Http, post: Post, readyAt: Date | null): Parameters<typeof Facts>[0]['facts'] {
  const url = postUrl(c.get('site'), post)
  return [
    ['Slug', <code>{post.slug}</code>],
    ['Address', post.status === 'published' ? <a href={url}>{url}</a> : `${url}, once it is published`],
    ['Language', post.language],
    ['Excerpt', post.excerpt],
    ['Reading time', post.readingTimeMinutes !== null && `${post.readingTimeMinutes} min`],
    ['Published', <Time at={post.publishedAt} none="Not yet" />],
    ['Updated', <Time at={post.updatedAt} />],
    ['Marked ready', post.status === 'draft' && <Time at={readyAt} none="Not yet" />],
    ['Review', post.reviewStatus && REVIEWS[post.reviewStatus]],
    ['Assurance', post.assuranceLabel],
    ['Made with AI', post.aiGenerated ? 'Yes' : 'No'],
    ['ID', <code>{post.id}</code>],
  ]
}

const REVIEWS = { pending: 'Pending', approved: 'Approved', changes_requested: 'Changes requested' }

function Translations({ c, translations }: { c: Http; translations: Translation[] }) {
  return (
    <Section id="translations" title="Translations">
      <Table
        label="Translations"
        columns={['Title', 'Language', 'Status', '']}
        rows={translations.map(({ slug, title, language, status, isSource }) => [
          <a href={articlePath(c, 'posts', slug)}>{title}</a>,
          language ?? <span class="muted">None</span>,
          <Status status={status} />,
          isSource && 'The source',
        ])}
      />
    </Section>
  )
}

post.get(`${PATH}/preview`, async (c) => {
  const { post } = await getPost(c.get('ctx'), c.get('site'), c.req.param('slug'), { provenance: false })
  return previewPage(c, post)
})

post.get(`${PATH}/json`, async (c) => {
  const { post } = await getPost(c.get('ctx'), c.get('site'), c.req.param('slug'), { provenance: true })
  return c.json(post)
})

post.post(`${PATH}/publication`, async (c) => {
  const status = await statusAsked(c)
  const { slug } = await setPostStatus(c.get('ctx'), c.get('site'), c.req.param('slug'), status)
  const done = status === 'published' ? 'published' : 'unpublished'
  return c.redirect(`${articlePath(c, 'posts', slug)}?done=${done}`, 303)
})

post.post(`${PATH}/readiness`, async (c) => {
  const slug = c.req.param('slug')
  try {
    const { alreadyReady, eventId } = await markPostReady(c.get('ctx'), c.get('site'), slug)
    const done = alreadyReady ? 'already' : eventId ? 'ready' : 'unsent'
    return c.redirect(`${articlePath(c, 'posts', slug)}?done=${done}`, 303)
  } catch (error) {
    const refused =
      error instanceof AppError && (error.code === 'draft_unchecked' || error.code === 'not_a_draft')
    if (!refused) throw error
    return notReadyPage(c, slug, error)
  }
})

function notReadyPage(c: Http, slug: string, refusal: AppError) {
  return sitePage(
    c,
    { tab: 'Content', title: 'Not marked ready', status: 409 },
    <>
      <PageHeading title="Not marked ready" />
      <Notice tone="danger">{explain(refusal, c).text}.</Notice>
      <p>
        {refusal.code === 'draft_unchecked' ? (
          <>
            Put the post again with a <code>qualityBand</code> or a <code>trustScore</code>, then mark it
            ready.
          </>
        ) : (
          'Unpublish the post first.'
        )}
      </p>
      <div class="actions">
        <a class="button" href={articlePath(c, 'posts', slug)}>
          Back to the post
        </a>
      </div>
    </>,
  )
}
