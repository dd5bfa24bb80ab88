import type { Metadata } from 'next'
import { cookies, draftMode } from 'next/headers'
import { notFound } from 'next/navigation'
import { readDraft, readPost } from '../../../content'

type Props = PageProps<'/blog/[slug]'>

/** No page is built in advance. Each is rendered on its first request and cached until its tag expires. */
export const generateStaticParams = () => []

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  const { post, isPreview } = await find(params)
  return {
    title: post.title,
    description: post.seo?.metaDescription,
    ...(isPreview && { robots: 'noindex', referrer: 'no-referrer' }),
  }
}

export default async function PostPage({ params }: Props) {
  const { post, isPreview } = await find(params)
  return (
    <main lang={post.language ?? undefined}>
      {isPreview && (
        <form action="/api/preview/leave" method="post">
          This is a preview.
          <button type="submit" name="slug" value={post.slug}>
            Leave it
          </button>
        </form>
      )}
      <h1>{post.title}</h1>
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: the API does not sanitise it. This blog trusts its authors
          with scripts. If you don't, sanitise it first. */}
      <article dangerouslySetInnerHTML={{ __html: post.contentHtml }} />
    </main>
  )
}

/** The preview for visitors with its cookie, else the published post. */
async function find(params: Props['params']) {
  const slug = decodeURIComponent((await params).slug)
  const { isEnabled } = await draftMode()
  const token = isEnabled && (await cookies()).get('preview')?.value
  const draft = token ? await readDraft(slug, token) : null
  const post = draft ?? (await readPost(slug))
  if (!post) notFound()
  return { post, isPreview: draft !== null }
}
