/** A writer that changes guides of one site in every way, over HTTP and by SQL. */
import type { Access, Random } from './writers.ts'

const SLUGS = 30

/** @returns the number of failures */
export async function writeGuides({ manage, sql, siteId }: Access, random: Random, writes: number) {
  let failed = 0
  for (let i = 0; i < writes; i++) {
    const slug = `guide-${Math.floor(random() * SLUGS)}`
    const kind = random()
    const here = `where site_id = '${siteId}' and slug = '${slug}'`
    let status = 200
    if (kind < 0.5) {
      const fields = { title: `Guide ${random()}`, contentHtml: `<p>${random()}</p>` }
      status = await manage('PUT', `/guides/${slug}`, {
        ...fields,
        status: random() < 0.8 ? 'published' : 'draft',
      })
    } else if (kind < 0.6) status = await manage('DELETE', `/guides/${slug}/publication`)
    else if (kind < 0.75) status = await manage('DELETE', `/guides/${slug}`)
    else if (kind < 0.85) await sql(`update guides set slug = '${slug}-${random()}' ${here}`)
    else await sql(`update guides set title = 'By hand ${random()}' ${here}`)
    if (status >= 500) failed++
  }
  return failed
}
