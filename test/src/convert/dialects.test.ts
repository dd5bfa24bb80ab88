import { describe, expect, it } from 'vitest'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { cpuSeconds, LINEAR_SECONDS } from '../../support/cpu-time.ts'

const PAGES = ['My note', 'a/b', 'b', 'note']
const md = (text: string) => convertMarkdown(text, { hasTitle: true, isPage: (name) => PAGES.includes(name) })
const named = (text: string) => md(text).losses.map(({ reason, detail }) => `${reason}: ${detail}`)

describe('ids and classes in braces', () => {
  it.each([
    ['## H {#here}', '<h2 id="here">H</h2>', []],
    ['## *H* {#here .big}', '<h2 id="here"><em>H</em></h2>', ['left out: {#here .big}']],
    ['## H\n{: .x}\n\np', '<h2 id="h">H</h2>\n<p>p</p>', ['left out: {: .x}']],
    ['## H\n{: #y}\n\np', '<h2 id="y">H</h2>\n<p>p</p>', []],
    ['p\n{: .x #y}', '<p id="y">p</p>', ['left out: {: .x #y}']],
    ['*a*{: .z} b', '<p><em>a</em> b</p>', ['left out: {: .z}']],
    ['`{: .x}` and {: x', '<p><code>{: .x}</code> and {: x</p>', []],
  ])('of %j', (text, html, losses) => {
    expect({ html: md(text).html, losses: named(text) }).toEqual({ html, losses })
  })
})

describe("Obsidian's links", () => {
  it.each([
    ['[[My note]]', '<a href="My%20note">My note</a>'],
    ['[[a/b|text]]', '<a href="a/b">text</a>'],
    ['[[b#A Part, here]]', '<a href="b#a-part-here">b > A Part, here</a>'],
    ['[[#Part]]', '<a href="#part">Part</a>'],
    ['![[a.png]]', '<img src="a.png" alt="">'],
    ['![[a.png|100x50]]', '<img src="a.png" alt="" width="100">'],
    ['`[[code]]`', '<code>[[code]]</code>'],
  ])('%s', (text, html) => {
    expect(md(text).html).toBe(`<p>${html}</p>`)
    expect(named(text)).toEqual([])
  })

  it.each([
    ['[[b]](/c)', '<a href="/c">[b]</a>'],
    ['[[b]]\n\n[b]: /c', '[<a href="/c">b</a>]'],
    ['[[*b*]] [[b|`c`]]', '[[<em>b</em>]] [[b|<code>c</code>]]'],
    ['[[b] [[[b]]] [a [[b]] c](/d)', '[[b] [<a href="b">b</a>] <a href="/d">a <a href="b">b</a> c</a>'],
  ])('are parsed where Markdown has no syntax of its own: %j', (text, html) => {
    expect(md(text).html).toBe(`<p>${html}</p>`)
  })

  it('are parsed by the thousand on one line', () => {
    const work = () => expect(md('[[b]] '.repeat(12_000)).html.match(/<a href="b">/g)).toHaveLength(12_000)
    expect(cpuSeconds(work)).toBeLessThan(LINEAR_SECONDS)
  })

  it('to an unknown page become text, and are named', () => {
    expect(md('The [[Prototype]] of [[b]] ![[gone]]').html).toBe(
      '<p>The [[Prototype]] of <a href="b">b</a> ![[gone]]</p>',
    )
    expect(named('The [[Prototype]]')).toEqual(['kept as text: [[Prototype]]'])
  })

  it('that embed something are named, and so are comments', () => {
    expect(md('a ![[note]] %%not this%% b').html).toBe('<p>a <a href="note">note</a>  b</p>')
    expect(named('a ![[note]] %%not this%% b')).toEqual([
      'an embed is replaced by a link: ![[note]]',
      'a comment is left out: %%not this%%',
    ])
    expect(md('100%% of 50%% and `%%a%%`').html).toBe('<p>100%% of 50%% and <code>%%a%%</code></p>')
  })
})

it('a subscript does not overlap with strikethrough', () => {
  expect(md('H~2~O ~~no~~ and ~that~').html).toBe('<p>H<sub>2</sub>O <del>no</del> and <del>that</del></p>')
})

describe("Hugo's shortcodes", () => {
  it('for pictures become figures', () => {
    expect(md('{{< figure src="a.png" alt="A" caption="Of \\"it\\" & more" link="/b" >}}').html).toBe(
      '<figure><a href="/b"><img src="a.png" alt="A"></a><figcaption>Of "it" &amp; more</figcaption></figure>',
    )
    expect(named('{{< figure src="a.png" >}}')).toEqual([])
  })

  it('for videos become links, and are named', () => {
    const [html, address] = ['{{< youtube id="ab_C-1" >}}', 'https://www.youtube.com/watch?v=ab_C-1']
    expect(md(`a\n\n${html}`).html).toBe(`<p>a</p>\n<p><a href="${address}">${address}</a></p>`)
    expect(named(html)).toEqual([`the embed of www.youtube.com becomes a link: ${address}`])
    expect(named('{{< vimeo 12 >}} {{< youtube "<b>" >}}')).toEqual([
      'the embed of vimeo.com becomes a link: https://vimeo.com/12',
      'left out, but its text is kept: {{< youtube >}}',
    ])
  })
})

describe('asides', () => {
  const aside = (kind: string, label: string, text: string) =>
    `<aside class="${kind}"><p><strong>${label}</strong></p><p>${text}</p></aside>`

  it.each([
    [':::note\na\n:::', aside('note', 'Note', 'a')],
    ['::: tip Of *old*\na\n:::', aside('tip', 'Of <em>old</em>', 'a')],
    [':::danger[New]{.x}\na\n:::', aside('caution', 'New', 'a')],
    ['a ::: note', '<p>a ::: note</p>'],
    ['at 10:30 :b: ::c', '<p>at 10:30 :b: ::c</p>'],
    ['`:::note x`', '<p><code>:::note x</code></p>'],
    [
      '> [!bug]+ Of *it*\n> a',
      aside('caution', 'Of <em>it</em>', 'a').replace(/(<aside.*?>|<\/p>)/g, '$1\n'),
    ],
  ])('%j', (text, html) => {
    expect(md(text).html).toBe(html)
    expect(named(text)).toEqual([])
  })
})

describe('the syntax of an address', () => {
  it.each([
    ['{{ site.baseurl }}/b', '/b'],
    ['{{site.url}}{{ site.baseurl }}/b', '/b'],
    ["{{ '/b' | relative_url }}", '/b'],
    ['{{ "b.png" | prepend: site.baseurl }}', 'b.png'],
    ['{{ "/b" | url }}', '/b'],
    ['{{ site.baseurl }}{% link b.md %}', 'b.md'],
  ])('%s', (address, href) => {
    expect(md(`[a](${address})`).html).toBe(`<p><a href="${href}">a</a></p>`)
    expect(named(`[a](${address})`)).toEqual([])
  })
})
