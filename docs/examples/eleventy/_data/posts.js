const { CONTENT_URL, CONTENT_SITE, CONTENT_KEY } = process.env
const CHANGES = `${CONTENT_URL}/api/v1/sites/${CONTENT_SITE}/changes?include=content&limit=500`

/** Eleventy makes folders from slugs. */
const SLUG = /^(?!\.{1,2}$)[\p{L}\p{M}\p{N}_.~-]{1,200}$/u

/** The published posts, newest first. */
export default async function readPosts() {
  const posts = new Map()
  for (let query = '', hasMore = true; hasMore; ) {
    const response = await fetch(CHANGES + query, { headers: { Authorization: `Bearer ${CONTENT_KEY}` } })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const page = await response.json()
    for (const { type, id, post } of page.items) type === 'delete' ? posts.delete(id) : posts.set(id, post)
    query = `&cursor=${page.cursor}`
    hasMore = page.hasMore
  }
  const published = [...posts.values()].filter((post) => post?.status === 'published')
  for (const { slug } of published) if (!SLUG.test(slug)) throw new Error(`malformed slug: ${slug}`)
  return published.sort((a, b) => (a.publishedAt < b.publishedAt ? 1 : -1))
}
