/** A guide: what it says and what is known of it, published or not. */
import { Hono } from 'hono'
import { getGuide, setGuideStatus } from '../../../src/guides.ts'
import { guideUrl } from '../../../src/urls.ts'
import type { Env, Http } from '../../http/env.ts'
import { sitePage } from '../layout.tsx'
import { Done } from '../parts/done.tsx'
import { Facts } from '../parts/facts.tsx'
import { Section } from '../parts/heading.tsx'
import { Time } from '../parts/time.tsx'
import { articlePath, Head, Json, Preview, Status, statusAsked } from './article.tsx'
import { previewPage } from './preview.tsx'

const PATH = '/content/guides/:slug'

export const guide = new Hono<Env>()

guide.get(PATH, async (c) => {
  const guide = await read(c, c.req.param('slug'))
  const url = guideUrl(c.get('site'), guide)
  const published = guide.status === 'published'
  const done = c.req.query('done')
  return sitePage(
    c,
    { tab: 'Content', title: guide.title },
    <>
      <Head c={c} kind="guides" article={guide} states={<Status status={guide.status} />} />
      {done === 'published' && <Done c={c}>Published: the API and the sitemap show the guide now.</Done>}
      {done === 'unpublished' && (
        <Done c={c}>
          Unpublished: the guide is a draft again, and neither the API nor the sitemap shows it.
        </Done>
      )}
      <Preview c={c} kind="guides" article={guide} />
      <Section id="fields" title="Fields">
        <Facts
          facts={[
            ['Slug', <code>{guide.slug}</code>],
            ['Address', published ? <a href={url}>{url}</a> : `${url}, once it is published`],
            ['Excerpt', guide.excerpt],
            ['Reading time', guide.readingTimeMinutes !== null && `${guide.readingTimeMinutes} min`],
            ['Published', <Time at={guide.publishedAt} none="Not yet" />],
            ['Updated', <Time at={guide.updatedAt} />],
            ['ID', <code>{guide.id}</code>],
          ]}
        />
      </Section>
      <Json
        c={c}
        kind="guides"
        article={guide}
        note={
          published ? undefined : 'As the API will give it once it is published; until then it answers 404.'
        }
      />
    </>,
  )
})

guide.get(`${PATH}/preview`, async (c) => previewPage(c, await read(c, c.req.param('slug'))))

guide.get(`${PATH}/json`, async (c) => c.json(await read(c, c.req.param('slug'))))

guide.post(`${PATH}/publication`, async (c) => {
  const status = await statusAsked(c)
  const { slug } = await setGuideStatus(c.get('ctx'), c.get('site'), c.req.param('slug'), status)
  const done = status === 'published' ? 'published' : 'unpublished'
  return c.redirect(`${articlePath(c, 'guides', slug)}?done=${done}`, 303)
})

async function read(c: Http, slug: string) {
  return (await getGuide(c.get('ctx'), c.get('site'), slug, { drafts: true })).guide
}
