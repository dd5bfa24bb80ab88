/** Skipped without the real content. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { wordpressFile } from '../../../src/cli/wordpress/file.ts'
import { bundleArticle } from '../support/bundle.ts'
import { readAll } from './support/wxr.ts'

const FILE = join(import.meta.dirname, '../../../../shared/corpus/wordpress/themeunittestdata.wordpress.xml')

describe.skipIf(!existsSync(FILE))('the theme unit test (../shared/corpus/wordpress)', () => {
  it('is imported completely: 51 posts and 21 pages; 38 uploads and 70 menu entries are left out and named', async () => {
    const { source, found, losses, skipped } = await readAll(
      await wordpressFile(FILE, { pages: 'guides', defaultLanguage: 'en' }),
    )
    expect(source.total).toBe(72)
    expect(skipped).toEqual([])
    const count = (kind: string, status: string) =>
      found.filter((one) => one.kind === kind && one.article.status === status).length
    expect([count('posts', 'published'), count('posts', 'draft'), count('guides', 'published')]).toEqual([
      48, 3, 21,
    ])
    const lost = (field: string) => losses.filter((loss) => loss.field === field)
    expect(
      ['attachment', 'nav_menu_item', 'enclosure', '_wp_page_template'].map((field) => lost(field).length),
    ).toEqual([38, 70, 2, 3])
    expect(lost('wp:comment').map(({ detail }) => detail)).toEqual(['32'])

    const article = (slug: string) => found.find((one) => one.article.slug === slug)?.article
    expect(found.every(({ article: { title } }) => title.trim() !== '')).toBe(true)
    expect(new Set(found.map(({ kind, article: { slug } }) => kind + slug)).size).toBe(72)
    expect(
      found.filter(({ article: { contentHtml } }) => contentHtml === '').map(({ article: { slug } }) => slug),
    ).toEqual(['edge-case-no-content', 'επίπεδο-3'])
    expect(
      found.filter(({ article: { contentHtml } }) =>
        /<script|<style|<iframe|<!--|\sclass="(?!align|has-text-align-)|wp:|\son\w+=/i.test(
          contentHtml.replace(/<(pre|code)>.*?<\/\1>/gs, ''),
        ),
      ),
    ).toEqual([])
    expect(article('markup-title-with-markup')?.title).toBe('Markup: Title With Markup')
    expect(article('title-with-special-characters')?.title).toBe(
      'Markup: Title With Special Characters ~`!@#$%^&*()-_=+{}[]/\\;:\'"?,.>',
    )
    expect(article('edge-case-no-title')?.title).toMatch(/^This post has no title, but .*…$/)
    expect(article('template-password-protected')?.status).toBe('draft')
    expect(article('scheduled')).toMatchObject({ status: 'draft', publishedAt: '2030-01-01T19:00:18.000Z' })
    expect(article('draft')).toMatchObject({ status: 'draft', title: 'Draft' })
    expect(article('template-more-tag')?.excerpt).toMatch(/^This content is before the more tag\./)
    expect(article('post-format-gallery')?.contentHtml.match(/<figure>/g)?.length).toBeGreaterThan(10)
    expect(article('edge-case-many-tags')?.tags).toHaveLength(45)
    expect(bundleArticle(article('template-featured-image-horizontal'))).toMatchObject({
      author: { '@type': 'Person', name: 'Theme Buster' },
      image: {
        '@type': 'ImageObject',
        url: expect.stringMatching(/^https:\/\/.*\.jpg$/),
        caption: 'Horizontal Featured Image',
      },
    })
  })
})
