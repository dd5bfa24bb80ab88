import { describe, expect, it } from 'vitest'
import { guideUrl, postUrl, siteUrl } from '../../../../src/content/model/urls.ts'
import { siteScope } from '../../../support/scope.ts'

describe('siteUrl', () => {
  it('is the home page', () => {
    expect(siteUrl(siteScope({ domain: 'example.org' }))).toBe('https://example.org/')
  })
})

describe('postUrl', () => {
  it.each([
    [null, 'https://site.example.com/blog/a'],
    ['en', 'https://site.example.com/blog/a'],
    ['EN', 'https://site.example.com/blog/a'],
    ['en-GB', 'https://site.example.com/en-GB/blog/a'],
    ['de', 'https://site.example.com/de/blog/a'],
  ])('in language %s is %s', (language, url) => {
    expect(postUrl(siteScope(), { slug: 'a', language })).toBe(url)
  })

  it('fills the template of the site with the encoded slug', () => {
    const post = { slug: 'é_~.-', language: null }
    expect(postUrl(siteScope({ postPath: '/u/{slug}.html' }), post)).toBe(
      'https://site.example.com/u/%C3%A9_~.-.html',
    )
    expect(postUrl(siteScope({ postPath: '/{slug}' }), { slug: "$&$'", language: null })).toBe(
      "https://site.example.com/%24%26%24'",
    )
  })
})

describe('guideUrl', () => {
  it('has no language', () => {
    const site = siteScope({ defaultLanguage: 'de', guidePath: '/hilfe/{slug}/' })
    expect(guideUrl(site, { slug: '指南' })).toBe('https://site.example.com/hilfe/%E6%8C%87%E5%8D%97/')
  })
})
