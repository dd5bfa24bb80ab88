/** Metadata of Yoast SEO and Rank Math. */
import { losing, type PostLoss } from './post-loss.ts'

export type Seo = {
  metaDescription?: string
  ogTitle?: string
  ogDescription?: string
  canonical?: string
  image?: string
  losses: PostLoss[]
}

type Names = { title: string; siteName: string }

const METHODS = {
  title: ['_yoast_wpseo_title', 'rank_math_title'],
  description: ['_yoast_wpseo_metadesc', 'rank_math_description'],
  ogTitle: ['_yoast_wpseo_opengraph-title', 'rank_math_facebook_title'],
  ogDescription: ['_yoast_wpseo_opengraph-description', 'rank_math_facebook_description'],
  canonical: ['_yoast_wpseo_canonical', 'rank_math_canonical_url'],
  image: ['_yoast_wpseo_opengraph-image', 'rank_math_facebook_image'],
  robots: ['_yoast_wpseo_meta-robots-noindex', 'rank_math_robots'],
}
const NO_TEMPLATE_SPACE = / {2,}/g

export const SEO_KEYS = new Set(Object.values(METHODS).flat())

export function seoOf(meta: ReadonlyMap<string, string>, names: Names): Seo {
  const losses: PostLoss[] = []
  const lose = losing(losses)
  const text = (kind: 'title' | 'description' | 'ogTitle' | 'ogDescription') => {
    for (const key of METHODS[kind]) {
      const template = meta.get(key)?.trim()
      if (!template) continue
      const filled = fillIn(template, names)
      if (filled !== null) return filled || undefined
      lose(key, 'it contains variables of the plugin', JSON.stringify(template))
    }
    return undefined
  }
  const first = (keys: string[]) => keys.map((key) => meta.get(key)?.trim()).find(Boolean)

  const title = text('title')
  const ownTitle = text('ogTitle')
  if (title && ownTitle && title !== ownTitle) {
    lose(
      'SEO title',
      'another title for search engines is left out, since there is an ogTitle',
      JSON.stringify(title),
    )
  }
  const robots = METHODS.robots.map((key) => meta.get(key) ?? '')
  if (robots[0] === '1' || robots[1]?.includes('"noindex"')) {
    lose('noindex', 'it was hidden from search engines, and no longer is')
  }
  return {
    ...defined('metaDescription', text('description')),
    ...defined('ogTitle', ownTitle ?? title),
    ...defined('ogDescription', text('ogDescription')),
    ...defined('canonical', first(METHODS.canonical)),
    ...defined('image', first(METHODS.image)),
    losses,
  }
}

/** Fills a template such as `%%title%% %%sep%% %%sitename%%` or `%title%`; null if it has other variables. */
function fillIn(template: string, { title, siteName }: Names): string | null {
  const values: Record<string, string> = { title, sitename: siteName, sep: '-', page: '' }
  let isFilled = true
  const filled = template.replace(/%%?([a-z_]+)%%?/gi, (variable, name: string) => {
    const value = values[name.toLowerCase()]
    // A single percent sign is text, as in `20% of 50%`.
    if (value === undefined && variable.startsWith('%%')) isFilled = false
    return value ?? variable
  })
  return isFilled ? filled.replace(NO_TEMPLATE_SPACE, ' ').trim() : null
}

function defined<Name extends string>(name: Name, value: string | undefined) {
  return (value ? { [name]: value } : {}) as Partial<Record<Name, string>>
}
