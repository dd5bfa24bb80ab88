/** Hidden parts of a page, and images that a script loads. */
import { describe, expect, it } from 'vitest'
import { convertMdx } from '../../../src/cli/markdown/convert-mdx.ts'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { cleanHtml } from '../../../src/convert/html.ts'

const A = 'https://a.example'
const GIF = 'data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw=='
const MATH =
  '<math><semantics><mrow><mi>E</mi><mo>=</mo></mrow><annotation encoding="application/x-tex">E=</annotation></semantics></math>'
const SEEN_MATH = '<math><mrow><mi>E</mi><mo>=</mo></mrow></math>'

describe('hidden text', () => {
  it.each([
    ['<p hidden>No way</p>', '', ['hidden: No way']],
    ['<p hidden="until-found">yes</p>', '<p>yes</p>', []],
    ['<div style="display:none"><p>No way</p></div>', '', ['hidden: No way']],
    ['<p style="visibility: hidden">No</p>', '', ['hidden: No']],
    ['<p>Yes <b class="screen-reader-text">No</b></p>', '<p>Yes </p>', ['hidden: No']],
    ['<p>Yes <i aria-hidden="true">no</i></p>', '<p>Yes </p>', ['hidden: no']],
    ['<p>Yes <i class="icon" aria-hidden="true">★ →</i></p>', '<p>Yes </p>', []],
    [
      '<p>Yes <span aria-hidden="true">yes it Yes</span> it Yes</p>',
      '<p>Yes  it Yes</p>',
      ['hidden: yes it Yes'],
    ],
    ['<p>Yes it is <span hidden>Yes it is</span></p>', '<p>Yes it is </p>', []],
    ['<p>transport <span hidden>sport</span></p>', '<p>transport </p>', ['hidden: sport']],
    ['<div aria-hidden="true"><p>panel</p></div>', '<div><p>panel</p></div>', []],
    ['<a aria-hidden="true" href="/"><img src="/a.png"></a>', '<a href="/"><img src="/a.png"></a>', []],
    ['<p hidden><img src="/a.png"></p>', '', ['hidden: <img>']],
    ['<dialog><p>No way</p></dialog>', '', ['hidden: No way']],
    ['<dialog open><p>yes</p></dialog>', '<p>yes</p>', ['dialog']],
    ['<p style="position:absolute; left:-9999px">No</p>', '', ['hidden: No']],
    ['<p style="position:absolute; left:-100px">yes</p>', '<p>yes</p>', []],
    ['<p hidden><img src="/a-300x200.png"></p><img src="/a.png">', '<img src="/a.png">', []],
    ['<noscript>Turn it on</noscript>', '', ['hidden: Turn it on']],
    ['<noscript><img height="1" width="1" src="https://t.example/p"></noscript>', '', []],
    ['<template><p>no</p></template><script>no()</script>', '', ['script', 'template']],
    ['<button type="button"><svg><path d=""></path></svg></button>', '', []],
    ['<p><button>Buy</button></p>', '<p>Buy</p>', ['button']],
    ['<svg><path d=""></path><g></g></svg>', '', ['svg']],
  ])('%j becomes %j', (written, html, dropped) => {
    const clean = cleanHtml(written)
    expect({ ...clean, dropped: clean.dropped.filter((name) => name !== 'style attribute') }).toEqual({
      html,
      dropped: dropped.sort(),
    })
  })
})

describe('a formula', () => {
  it.each([
    [`<p>a ${MATH}</p>`, `<p>a ${SEEN_MATH}</p>`],
    [
      `<p><span class="katex"><span class="katex-mathml">${MATH}</span><span class="katex-html" aria-hidden="true"><span>E</span></span></span></p>`,
      `<p><span><span>${SEEN_MATH}</span></span></p>`,
    ],
    [
      `<p><span class="katex"><span class="katex-html" aria-hidden="true"><span>E</span></span></span></p>`,
      '<p><span><span><span>E</span></span></span></p>',
    ],
    [
      `<mjx-container class="MathJax"><mjx-math aria-hidden="true"><mjx-mi></mjx-mi></mjx-math><mjx-assistive-mml>${MATH}</mjx-assistive-mml></mjx-container>`,
      SEEN_MATH,
    ],
    [`<div class="wp-block-math">${MATH}</div>`, `<div>${SEEN_MATH}</div>`],
  ])('appears once: %#', (written, html) => {
    expect(cleanHtml(written)).toEqual({ html, dropped: [] })
  })
})

describe('an accordion', () => {
  it('keeps headings and texts, and drops icons', () => {
    const written = `<div class="wp-block-accordion"><div class="wp-block-accordion-item"><h3 class="wp-block-accordion-heading"><button type="button" class="wp-block-accordion-heading__toggle" aria-expanded="false"><span class="wp-block-accordion-heading__toggle-title">Why?</span><span class="wp-block-accordion-heading__toggle-icon" aria-hidden="true">+</span></button></h3><div class="wp-block-accordion-panel" role="region" aria-hidden="true" inert hidden="until-found"><p>So.</p></div></div></div><details class="wp-block-details"><summary>More</summary><p>There.</p></details>`
    expect(cleanHtml(written)).toEqual({
      html: '<div><div><h3 id="why"><span>Why?</span></h3><div><p>So.</p></div></div></div><details><summary>More</summary><p>There.</p></details>',
      dropped: [],
    })
  })
})

describe('a lazy image', () => {
  it.each([
    [`<img data-src="${A}/a.png" alt="A">`, `<img alt="A" src="${A}/a.png">`],
    [`<img data-lazy-src="${A}/a.png" src="">`, `<img src="${A}/a.png">`],
    [`<img class="lazyload" src="${GIF}" data-src="${A}/a.png">`, `<img src="${A}/a.png">`],
    [`<img src="data:image/svg+xml;base64,PHN2Zy8+" data-original="${A}/a.png">`, `<img src="${A}/a.png">`],
    [`<img src="/img/placeholder.png" data-src="${A}/a.png">`, `<img src="${A}/a.png">`],
    [`<img class="x lazy" src="${A}/small.png" data-src="${A}/a.png">`, `<img src="${A}/a.png">`],
    [`<img src="${A}/a.png" data-src="${A}/large.png">`, `<img src="${A}/a.png">`],
    [
      `<img src="${GIF}" data-srcset="${A}/a-300.png 300w, ${A}/a.png 900w">`,
      `<img src="${A}/a.png" srcset="${A}/a-300.png 300w, ${A}/a.png 900w">`,
    ],
    [`<img style="display:none" class="lazy" data-src="${A}/a.png">`, `<img src="${A}/a.png">`],
    [
      `<picture><source type="image/webp" data-srcset="${A}/a.webp"><source type="image/avif"><img data-src="${A}/a.png"></picture>`,
      `<picture><source type="image/webp" srcset="${A}/a.webp"><img src="${A}/a.png"></picture>`,
    ],
    [
      `<img src="${GIF}" data-src="${A}/a.png"><noscript><img src="${A}/a.png"></noscript>`,
      `<img src="${A}/a.png">`,
    ],
    [`<img alt="A"><noscript><img src="${A}/a.png" alt="A"></noscript>`, `<img src="${A}/a.png" alt="A">`],
    [
      `<div class="later"></div><noscript><img src="${A}/a.png"></noscript>`,
      `<div></div><img src="${A}/a.png">`,
    ],
    [`<video data-src="${A}/a.mp4"></video>`, `<video src="${A}/a.mp4"></video>`],
    [`<img src="${GIF}">`, `<img src="${GIF}">`],
    [
      `<p><img src="data:image/svg+xml;base64,PHN2Zy8+"> <noscript><img src="${A}/a.png"></noscript></p>`,
      `<p> <img src="${A}/a.png"></p>`,
    ],
    [`<img srcset="${A}/a.png 2x">`, `<img srcset="${A}/a.png 2x">`],
    ['<p>a<img src="" alt=""></p>', '<p>a</p>'],
  ])('%j becomes %j', (written, html) => {
    const clean = cleanHtml(written)
    expect({ ...clean, dropped: clean.dropped.filter((name) => name !== 'style attribute') }).toEqual({
      html,
      dropped: [],
    })
  })

  it('without an address is named if its text is lost with it', () => {
    expect(cleanHtml('<img alt="A boat">')).toEqual({
      html: '',
      dropped: ['image without an address (A boat)'],
    })
  })

  it('ignores the address of a script', () => {
    expect(cleanHtml('<img data-src="javascript:x"><img src="" data-src="data:text/html,x">').html).toBe('')
  })

  it('in a frame becomes a link to its address', () => {
    const written = `<iframe data-src="${A}/v" src="about:blank" class="lazyload"></iframe>`
    expect(cleanHtml(written)).toEqual({ html: `<a href="${A}/v">${A}/v</a>`, dropped: ['iframe'] })
  })
})

describe('HTML in Markdown', () => {
  it('follows the same rules', () => {
    const text = `a\n\n<p hidden>No way</p>\n\n<noscript><img src="${A}/a.png"></noscript><img data-src="${A}/a.png">\n\n${MATH}\n\n[^1]\n\n[^1]: note`
    const { html, losses } = convertMarkdown(text, { hasTitle: true })
    expect(html).not.toMatch(/No way|annotation/)
    expect(html.match(/<img/g)).toHaveLength(1)
    expect(html).toContain(`<img src="${A}/a.png">`)
    expect(html).toContain(SEEN_MATH)
    expect(html).toContain('footnote-label')
    expect(losses).toEqual([{ reason: 'removed', detail: 'hidden: No way' }])
  })

  it('follows them in MDX', () => {
    const { html, losses } = convertMdx('a <span hidden>No way</span>', { hasTitle: true })
    expect(html).toBe('<p>a </p>')
    expect(losses).toEqual([{ reason: 'removed', detail: 'hidden: No way' }])
  })
})
