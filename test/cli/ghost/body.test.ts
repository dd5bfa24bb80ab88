import { describe, expect, it } from 'vitest'
import { bodyOf } from '../../../src/cli/ghost/body.ts'

type Node = Record<string, unknown>

const text = (text: string, format = 0): Node => ({ type: 'extended-text', text, format })
const paragraph = (...children: Node[]): Node => ({ type: 'paragraph', children })
const item = (...children: Node[]): Node => ({ type: 'listitem', children })
const list = (listType: string, ...children: Node[]): Node => ({ type: 'list', listType, children })

const lexical = (...children: Node[]) =>
  bodyOf({ lexical: JSON.stringify({ root: { type: 'root', children } }) })

const mobiledoc = (document: Node) => bodyOf({ mobiledoc: JSON.stringify({ version: '0.3.1', ...document }) })

describe('Lexical', () => {
  it.each<[string, Node, string]>([
    [
      'text formats',
      paragraph(text('a ', 1), text('b', 3), text('<&"', 16), text('c', 4), text('d', 32), text('e', 64)),
      '<p><strong>a </strong><strong><em>b</em></strong><code>&lt;&amp;"</code><s>c</s><sub>d</sub><sup>e</sup></p>',
    ],
    ['line breaks', paragraph(text('a'), { type: 'linebreak' }, text('b')), '<p>a<br>b</p>'],
    [
      'links',
      paragraph({ type: 'link', url: 'https://a.example/?b=1&c=2', children: [text('in', 2)] }),
      '<p><a href="https://a.example/?b=1&amp;c=2"><em>in</em></a></p>',
    ],
    ['headings', { type: 'extended-heading', tag: 'h3', children: [text('A')] }, '<h3 id="a">A</h3>'],
    ['quotes', { type: 'extended-quote', children: [text('q')] }, '<blockquote>q</blockquote>'],
    ['asides', { type: 'aside', children: [text('q')] }, '<blockquote>q</blockquote>'],
    [
      'nested lists',
      list('bullet', item(text('a')), item(list('number', item(text('b')))), item(text('c'))),
      '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>',
    ],
    [
      'numbered lists',
      { ...list('number', item(text('a'))), tag: 'ol', start: 4 },
      '<ol start="4"><li>a</li></ol>',
    ],
    ['empty paragraphs, as nothing', paragraph(), ''],
    ['rules', { type: 'horizontalrule' }, '<hr>'],
    [
      'code',
      { type: 'codeblock', code: 'a < b\n', language: 'js', caption: 'Less' },
      '<figure><pre><code class="language-js">a &lt; b\n</code></pre><figcaption>Less</figcaption></figure>',
    ],
    [
      'images',
      { type: 'image', src: '/a.png', alt: 'A "b"', width: 10, height: 20, caption: '<b>c</b>', href: '/d' },
      '<figure><a href="/d"><img src="/a.png" alt="A &quot;b&quot;" width="10" height="20"></a><figcaption><b>c</b></figcaption></figure>',
    ],
    ['images without a URL, as nothing', { type: 'image', src: '', caption: 'c' }, ''],
    [
      'galleries',
      { type: 'gallery', images: [{ src: '/a.png' }, { src: '/b.png', alt: 'b' }], caption: 'two' },
      '<figure><img src="/a.png"><img src="/b.png" alt="b"><figcaption>two</figcaption></figure>',
    ],
    [
      'bookmarks',
      {
        type: 'bookmark',
        url: 'https://a.example',
        metadata: { title: 'A & b', description: 'About', publisher: 'P', author: 'Q' },
      },
      '<figure><p><a href="https://a.example">A &amp; b</a></p><p>About</p><p>P, Q</p></figure>',
    ],
    [
      'pictures in bookmarks',
      { type: 'bookmark', url: '/b', metadata: { icon: '/i.png', thumbnail: '/t.png' } },
      '<figure><p><a href="/b">/b</a></p><p><img src="/i.png"><img src="/t.png"></p></figure>',
    ],
    [
      'callouts',
      { type: 'callout', calloutEmoji: '💡', calloutText: '<b>a</b> b' },
      '<aside><p>💡 <b>a</b> b</p></aside>',
    ],
    [
      'callouts with paragraphs',
      { type: 'callout', calloutEmoji: '💡', calloutText: '<p>a</p><p>b</p>' },
      '<aside><p>💡 a</p><p>b</p></aside>',
    ],
    [
      'toggles',
      { type: 'toggle', heading: 'More', content: '<p>a</p>' },
      '<details><summary>More</summary><p>a</p></details>',
    ],
    [
      'buttons',
      { type: 'button', buttonUrl: 'https://a.example', buttonText: 'Go' },
      '<p><a href="https://a.example">Go</a></p>',
    ],
    ['HTML', { type: 'html', html: '<div><p>raw</p></div>' }, '<div><p>raw</p></div>'],
    ['Markdown', { type: 'markdown', markdown: '- *a*' }, '<ul>\n<li><em>a</em></li>\n</ul>'],
    [
      'audio',
      { type: 'audio', src: '/a.mp3', title: 'A', thumbnailSrc: '/t.png' },
      '<figure><img src="/t.png"><audio src="/a.mp3" controls preload="metadata"></audio><figcaption>A</figcaption></figure>',
    ],
    [
      'video',
      { type: 'video', src: '/a.mp4', width: 4, height: 3, thumbnailSrc: '/t.png', caption: 'v' },
      '<figure><video src="/a.mp4" poster="/t.png" width="4" height="3" controls preload="metadata"></video><figcaption>v</figcaption></figure>',
    ],
    [
      'files',
      { type: 'file', src: '/a.pdf', fileTitle: 'A', fileCaption: 'b' },
      '<p><a href="/a.pdf">A</a><br>b</p>',
    ],
    [
      'headers',
      {
        ...{ type: 'header', header: 'H', subheader: 's', backgroundImageSrc: '/h.png' },
        ...{ buttonEnabled: true, buttonUrl: '/b', buttonText: 'B' },
      },
      '<img src="/h.png"><h2 id="h">H</h2><p>s</p><p><a href="/b">B</a></p>',
    ],
    [
      'products',
      { type: 'product', productTitle: 'P', productDescription: '<p>d</p>', productImageSrc: '/p.png' },
      '<img src="/p.png"><h4 id="p">P</h4><p>d</p>',
    ],
    [
      'ratings',
      { type: 'product', productTitle: 'P', productRatingEnabled: true, productStarRating: 4 },
      '<h4 id="p">P</h4><p>★★★★☆</p>',
    ],
    [
      'calls to action',
      { type: 'call-to-action', textValue: '<p>c</p>', showButton: true, buttonUrl: '/b', buttonText: 'B' },
      '<p>c</p><p><a href="/b">B</a></p>',
    ],
    [
      'sponsors',
      {
        type: 'call-to-action',
        textValue: '<p>c</p>',
        hasSponsorLabel: true,
        sponsorLabel: '<p>Sponsored</p>',
      },
      '<p>Sponsored</p><p>c</p>',
    ],
    ['the paywall marker, as nothing', { type: 'paywall' }, ''],
  ])('has %s', (_, node, html) => {
    expect(lexical(node)).toEqual({ html, losses: [] })
  })

  it('shows embedded content as a link, and says so', () => {
    const embed = { type: 'embed', url: 'https://v.example/1', caption: 'c' }
    expect(lexical(embed)).toEqual({
      html: '<figure><p><a href="https://v.example/1">https://v.example/1</a></p><figcaption>c</figcaption></figure>',
      losses: [],
    })
    expect(lexical({ ...embed, html: '<iframe src="https://v.example/embed/1"></iframe>' })).toEqual({
      html: '<figure><a href="https://v.example/embed/1">https://v.example/embed/1</a><figcaption>c</figcaption></figure>',
      losses: [{ reason: 'replaced by a link', detail: '<iframe>' }],
    })
  })

  it.each(['transistor', 'new-card', 'constructor'])('names the card %s, which is not rendered', (type) => {
    expect(lexical(paragraph(text('a')), { type, header: 'h' })).toEqual({
      html: '<p>a</p>',
      losses: [{ reason: 'a card that cannot be converted', detail: type }],
    })
  })

  it.each([
    ['signup', 'a form, which needs Ghost, is left out'],
    ['email', 'a part for emails only is left out'],
    ['email-cta', 'a part for emails only is left out'],
  ])('leaves the card %s out, and says so', (type, reason) => {
    expect(lexical(paragraph(text('a')), { type, header: 'h', html: '<p>h</p>' })).toEqual({
      html: '<p>a</p>',
      losses: [{ reason }],
    })
  })

  it('keeps the text of an unknown node', () => {
    expect(lexical({ type: 'spoiler', children: [paragraph(text('kept'))] }).html).toBe('<p>kept</p>')
  })

  it('runs no scripts', () => {
    const { html } = lexical(
      paragraph({ type: 'link', url: 'javascript:evil()', children: [text('a')] }),
      { type: 'html', html: '<script>evil()</script><p onclick="evil()">b</p>' },
      { type: 'callout', calloutText: '<img src=x onerror=evil()>' },
      { type: 'image', src: '" onerror="evil()', caption: '<svg onload=evil()>' },
      { type: 'heading', tag: 'script', children: [text('evil()')] },
      { type: 'button', buttonUrl: 'javascript:evil()', buttonText: 'c' },
    )
    expect(html).not.toMatch(/<script|javascript:| on(?:click|load)=|=x onerror|<svg/)
    expect(html).toContain('<img src="&quot; onerror=&quot;evil()">')
  })

  it.each(['{', '3', 'null', '{"root":5}', '{"root":{"children":[null,7,{"type":"list","children":{}}]}}'])(
    'that is broken has no body, and is no error: %s',
    (document) =>
      expect(bodyOf({ lexical: document }).html).toBe(document.includes('list') ? '<ul></ul>' : ''),
  )

  it('nested too deeply is refused in one line', () => {
    const deep = `${'{"type":"paragraph","children":['.repeat(5_000)}${']}'.repeat(5_000)}`
    expect(() => bodyOf({ lexical: `{"root":{"type":"root","children":[${deep}]}}` })).toThrow(
      /^nested too deeply$/,
    )
  })
})

describe('Mobiledoc', () => {
  const section = (tag: string, ...markers: unknown[]) => ({ sections: [[1, tag, markers]] })
  const CODE = ['code', { code: 'a' }]
  const markups = [['strong'], ['em'], ['a', ['href', '/a', 'rel', 'nofollow']], ['script']]

  it.each<[string, Node, string]>([
    ['paragraphs', section('p', [0, [], 0, 'a < b']), '<p>a &lt; b</p>'],
    ['headings', section('h2', [0, [], 0, 'A']), '<h2 id="a">A</h2>'],
    ['quotes', section('blockquote', [0, [], 0, 'a']), '<blockquote>a</blockquote>'],
    [
      'markups that open and close in different markers',
      section('p', [0, [0], 0, 'a'], [0, [1], 1, 'b'], [0, [2], 2, 'c'], [0, [], 0, 'd']),
      '<p><strong>a<em>b</em><a href="/a">c</a></strong>d</p>',
    ],
    ['no other tags', section('script', [0, [3], 1, 'a']), '<p>a</p>'],
    [
      'line breaks',
      { atoms: [['soft-return', '', {}]], ...section('p', [0, [], 0, 'a'], [1, [], 0, 0]) },
      '<p>a<br></p>',
    ],
    [
      'lists',
      { sections: [[3, 'ol', [[[0, [], 0, 'a']], [[0, [0], 1, 'b']]]]] },
      '<ol><li>a</li><li><strong>b</strong></li></ol>',
    ],
    ['images', { sections: [[2, '/a.png']] }, '<figure><img src="/a.png"></figure>'],
    [
      'cards',
      {
        cards: [['hr', {}], CODE, ['card-markdown', { markdown: '**b**' }]],
        sections: [1, 0, 2].map((card) => [10, card]),
      },
      '<pre><code>a</code></pre><hr><p><strong>b</strong></p>',
    ],
  ])('has %s', (_, document, html) => {
    expect(mobiledoc({ markups, ...document })).toEqual({ html, losses: [] })
  })

  it('names cards and atoms that are not rendered', () => {
    const document = {
      atoms: [['mention', '@ann', {}]],
      cards: [['before-after', {}]],
      sections: [
        [10, 0],
        [10, 9],
        [1, 'p', [[1, [], 0, 0]]],
      ],
    }
    expect(mobiledoc(document)).toEqual({
      html: '<p>@ann</p>',
      losses: [
        { reason: 'a card that cannot be converted', detail: 'before-after' },
        { reason: 'a card that cannot be converted', detail: 'without a name' },
        { reason: 'an atom becomes text', detail: 'mention' },
      ],
    })
  })
})

describe('the body', () => {
  const lexicalText = JSON.stringify({ root: { type: 'root', children: [paragraph(text('lexical'))] } })
  const mobiledocText = JSON.stringify({ sections: [[1, 'p', [[0, [], 0, 'mobiledoc']]]] })

  it('is the HTML, else Lexical, else Mobiledoc, else Markdown, else empty, which is named', () => {
    const all = { html: '<p>html</p>', lexical: lexicalText, mobiledoc: mobiledocText, markdown: 'markdown' }
    expect(bodyOf(all).html).toBe('<p>html</p>')
    expect(bodyOf({ ...all, html: null }).html).toBe('<p>lexical</p>')
    expect(bodyOf({ ...all, html: ' ', lexical: null }).html).toBe('<p>mobiledoc</p>')
    expect(bodyOf({ markdown: 'markdown' }).html).toBe('<p>markdown</p>')
    expect(bodyOf({})).toEqual({ html: '', losses: [{ reason: 'the export has no body for it' }] })
  })

  it('comes from the next document when one cannot be read, which is named', () => {
    expect(bodyOf({ lexical: '{', mobiledoc: mobiledocText })).toEqual({
      html: '<p>mobiledoc</p>',
      losses: [{ reason: 'the document of the editor cannot be read', detail: 'lexical' }],
    })
  })

  it("loses the controls that need Ghost's scripts, and plays without them", () => {
    const toggle =
      '<div class="kg-card kg-toggle-card"><div class="kg-toggle-heading"><h4>More</h4><button class="kg-toggle-card-icon"><svg><path/></svg></button></div><div class="kg-toggle-content"><p>a</p></div></div>'
    const audio =
      '<div class="kg-card kg-audio-card"><img class="kg-audio-thumbnail kg-audio-hide" src=""><div class="kg-audio-thumbnail placeholder"><svg></svg></div><audio src="/a.mp3"></audio><div class="kg-audio-title">A</div><div class="kg-audio-player"><button>x</button><input type="range"><div>0:00</div></div></div>'
    const video =
      '<figure class="kg-card kg-video-card" data-kg-thumbnail="/t.png"><video src="/a.mp4" poster="https://img.spacergif.org/v1/4x3/0a/spacer.png"></video><div class="kg-video-overlay"><button><svg></svg></button></div></figure>'
    expect(bodyOf({ html: toggle + audio + video })).toEqual({
      html: [
        '<div><div><h4 id="more">More</h4></div><div><p>a</p></div></div>',
        '<div><audio controls src="/a.mp3"></audio><div>A</div></div>',
        '<figure><video controls src="/a.mp4" poster="/t.png"></video></figure>',
      ].join(''),
      losses: [],
    })
  })

  it('has stars, no sign-up form, and both names of a bookmark', () => {
    const star = (classes: string) =>
      `<span class="${classes} kg-product-card-rating-star"><svg></svg></span>`
    const rating = `<div class="kg-product-card-rating">${star('kg-product-card-rating-active').repeat(3)}${star('').repeat(2)}</div>`
    const signup =
      '<div class="kg-card kg-signup-card kg-width-wide"><h2>Sign up</h2><form><input><div>Email sent</div></form></div>'
    const names =
      '<div><span class="kg-bookmark-author">A</span><span class="kg-bookmark-publisher">B</span></div><div><span class="kg-bookmark-publisher">C</span></div>'
    expect(bodyOf({ html: rating + signup + names })).toEqual({
      html: '<p>★★★☆☆</p><div><span>A</span>, <span>B</span></div><div><span>C</span></div>',
      losses: [{ reason: 'a form, which needs Ghost, is left out' }],
    })
  })

  it('names content that Ghost sends only by email, which the HTML lacks', () => {
    const reason = 'a part for emails only is left out'
    const html = '<p>a</p>'
    const words = JSON.stringify({
      root: { children: [paragraph(text('"type":"email"')), { type: 'email' }] },
    })
    expect(bodyOf({ html, lexical: words }).losses).toEqual([{ reason }])
    const cards = JSON.stringify({
      cards: [
        ['email-cta', {}],
        ['email', {}],
      ],
    })
    expect(bodyOf({ html, mobiledoc: cards }).losses).toEqual([{ reason }, { reason }])
  })

  it('names content that is removed from its HTML', () => {
    const { html, losses } = bodyOf({ html: '<p>a</p><form><p>b</p></form><script>c</script>' })
    expect(html).toBe('<p>a</p><p>b</p>')
    expect(losses.map(({ detail }) => detail)).toEqual(['<form>', '<script>'])
  })
})
