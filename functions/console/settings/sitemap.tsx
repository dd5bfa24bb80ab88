import {
  publishedSitemap,
  publishSitemap,
  renewSitemap,
  unpublishSitemap,
} from '../../../src/content/sitemap/publication.ts'
import { createApp } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { Done, redirectDone } from '../actions/done.tsx'
import { TABS } from '../menu.ts'
import { CopyableFact, Facts } from '../parts/facts.tsx'
import { PostButton } from '../parts/fields/form.tsx'
import { EmptyState, Section, TabbedHeading } from '../parts/page.tsx'
import { ButtonLink, DocsLink } from '../parts/site-link.tsx'

const PAGE = TABS.Settings.Sitemap
const RENEWAL = `${PAGE}/renewal`
const REMOVAL = `${PAGE}/removal`

export const sitemap = createApp()

sitemap.get(PAGE, (c) => {
  const { sitemapId, domain } = c.get('site')
  return c.render(
    <>
      <TabbedHeading title="Settings" current="Sitemap" />
      <Done of="sitemap" />
      <Section
        id="sitemap"
        title="Published sitemap and feeds"
        lead={
          <>
            Public URLs, without a key or quota. <DocsLink to="sitemap">How to use them</DocsLink>
          </>
        }
      >
        {sitemapId === null ? (
          <EmptyState title="Not published">
            <p>Only API keys can read the sitemap.</p>
            <PostButton needs="admin" class="button primary" action={PAGE}>
              Publish sitemap
            </PostButton>
          </EmptyState>
        ) : (
          <Urls {...publishedSitemap(sitemapId, new URL(c.req.url).origin)} domain={domain} />
        )}
      </Section>
    </>,
    { tab: 'Settings', title: 'Sitemap', isNarrow: true },
  )
})

sitemap.post(PAGE, async (c) => {
  await publishSitemap(c.get('ctx'), c.get('site'))
  return redirectDone(c, PAGE, 'sitemap', 'published')
})

/** Someone else may have unpublished it. */
sitemap.use(`${PAGE}/:change`, async function requirePublished(c, next) {
  if (c.get('site').sitemapId === null) {
    return redirectDone(c, PAGE, 'sitemap', 'stopped')
  }
  return next()
})

sitemap.get(RENEWAL, (c) =>
  c.render(
    <Confirm title="Renew the sitemap's URLs?" needs="admin" submit="Renew URLs" cancel={PAGE}>
      <p>
        The sitemap and the feeds get new URLs, and the old ones return 404. Right afterwards, update
        robots.txt or the proxy, and the links to the feeds. Caches other than Cloudflare's may keep the old
        ones for five minutes.
      </p>
    </Confirm>,
    { tab: 'Settings', title: 'Renew URLs', isNarrow: true },
  ),
)

sitemap.post(RENEWAL, async (c) => {
  await renewSitemap(c.get('ctx'), c.get('site'))
  return redirectDone(c, PAGE, 'sitemap', 'renewed')
})

sitemap.get(REMOVAL, (c) =>
  c.render(
    <Confirm title="Stop publishing the sitemap?" needs="admin" submit="Stop publishing" cancel={PAGE}>
      <p>
        Its URLs return 404 to crawlers and to a proxy. Caches other than Cloudflare's may keep it for five
        minutes. If you publish it again, it gets new URLs. API keys can still read the sitemap.
      </p>
    </Confirm>,
    { tab: 'Settings', title: 'Stop publishing', isNarrow: true },
  ),
)

sitemap.post(REMOVAL, async (c) => {
  await unpublishSitemap(c.get('ctx'), c.get('site'))
  return redirectDone(c, PAGE, 'sitemap', 'stopped')
})

type UrlsProps = ReturnType<typeof publishedSitemap> & { domain: string }

function Urls({ domain, ...urls }: UrlsProps) {
  const { url, proxiedUrl, rssUrl, jsonFeedUrl, proxiedRssUrl, proxiedJsonFeedUrl } = urls
  return (
    <>
      <Facts boxed>
        <CopyableFact label="Sitemap" text={url} />
        <CopyableFact label="In robots.txt" text={`Sitemap: ${url}`} />
        <CopyableFact label="RSS feed" text={rssUrl} />
        <CopyableFact label="JSON Feed" text={jsonFeedUrl} />
      </Facts>
      <details>
        <summary>Serve them from your own domain</summary>
        <p class="muted">
          Let {domain} serve them through a proxy from these URLs, as{' '}
          <DocsLink to="sitemap">the guide</DocsLink> shows, with{' '}
          <code>Sitemap: https://{domain}/sitemap.xml</code> in robots.txt.
        </p>
        <Facts boxed>
          <CopyableFact label="Sitemap" text={proxiedUrl} />
          <CopyableFact label="RSS feed" text={proxiedRssUrl} />
          <CopyableFact label="JSON Feed" text={proxiedJsonFeedUrl} />
        </Facts>
      </details>
      <div class="actions">
        <ButtonLink needs="admin" to={RENEWAL} text="Renew URLs…" />
        <ButtonLink needs="admin" to={REMOVAL} text="Stop publishing…" />
      </div>
    </>
  )
}
