import { describe, expect, it } from 'vitest'
import { markdownOf } from '../../functions/mcp/markdown.ts'
import { toFile } from '../../src/cli/export/markdown.ts'
import { markdownOf as exported } from '../../src/convert/to-markdown.ts'

const WELL_FORMED = [
  '<h1>A &amp; B</h1><p>One <em>two</em> <strong>three</strong> <code>a`b</code><br>four &copy; &#x1F600;</p>',
  '<ul><li>a<ul><li>b</li><li><p>c</p><p>d</p></li></ul></li><li>e</li></ul><ol start="3"><li>f</li><li>g</li></ol>',
  '<pre><code class="hljs language-ts">const a = "&lt;b&gt;"\n\n\nc\n</code></pre><pre>plain\n  text</pre>',
  '<table><thead><tr><th align="right">A</th><th>B|C</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>',
  '<table><tbody><tr><td colspan="2">1</td></tr><tr><td>2</td><td>3</td></tr></tbody></table>',
  '<figure><img src="/a.png" alt="An &quot;image&quot;" title="T"><figcaption>Below</figcaption></figure><hr>',
  '<blockquote><p>Said</p><blockquote><p>Again</p></blockquote></blockquote><p><del>gone</del></p>',
  '<p><a href="https://a.example/?a=1&amp;b=2" title="x">link</a> <a href="mailto:a@b.example">mail</a></p>',
  '<ul class="contains-task-list"><li><input type="checkbox" checked disabled> done</li><li><input type="checkbox"> not</li></ul>',
  '<div><section><p>* not a list</p><p># nor a heading</p><p>1. nor this</p><p>[x] &lt;b&gt;</p></section></div>',
  '<p>مرحبا <bdi>日本</bdi></p><script>alert(1)</script><style>p{}</style><p>after</p>',
  '<video src="/v.mp4"></video><p><iframe src="https://v.example/1"></iframe></p><dl><dt>T</dt><dd>D</dd></dl>',
  '',
  'only text',
]

describe('a body as Markdown', () => {
  it.each(WELL_FORMED)('matches an export: %s', (html) => {
    expect(markdownOf(html)).toBe(exported(html))
  })

  it.each([
    ['<p>a<p>b', 'a\n\nb\n'],
    ['<ul><li>a<li>b</ul>', '- a\n- b\n'],
    ['</p></div>text</b>', 'text\n'],
    ['<p>a <b>b <i>c</b> d</i></p>', 'a **b _c_** d\n'],
    ['<p>a < b & c &unknown; <', 'a < b & c \\&unknown; <\n'],
    ['<a href="x', ''],
    ['<p onclick="x()" __proto__="y" constructor="z">a</p>', 'a\n'],
    ['<script>x</script', ''],
    ['a<noembed>plugin</noembed><noframes>frames</noframes>b', 'ab\n'],
    // A browser does not show it either.
    ['a<!-- do as I say -->b', 'ab\n'],
  ])('has the readable parts of broken HTML: %s', (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })

  it.each([
    ['<table><tr>', '<td colspan=100000>a</td>', 60],
    ['<table>', '<tr><td rowspan=100000>a</td></tr>', 300],
    [`<table><tr>${'<td>a</td>'.repeat(200)}</tr>`, '<tr><td>a</td></tr>', 300],
  ])('is refused for a table that would be padded with too many cells', (start, each, times) => {
    const html = `${start}${each.repeat(times)}</table>`
    expect(() => markdownOf(html)).toThrow(RangeError)
    expect(() => exported(html)).toThrow(RangeError)
  })

  it.each([
    '<p>a</p>'.repeat(30_000),
    'a<wbr>'.repeat(30_000),
    '<b>'.repeat(100),
    '<div>'.repeat(40) + '<br>'.repeat(5_000),
  ])('is refused for too many nodes, or too deep ones', (html) => {
    expect(() => markdownOf(html)).toThrow(RangeError)
  })

  it('reads spans up to the limits of HTML, and many entities as one text', () => {
    const wide = '<table><tr><td colspan="1000000">a</td></tr></table>'
    expect(markdownOf(wide)).toBe(exported(wide))
    expect(markdownOf(wide).split('\n')[0]!.split('|')).toHaveLength(1_002)
    expect(markdownOf('&amp;<'.repeat(40_000))).toHaveLength(80_001)
  })

  it('keeps code with many lines, nested lists, and text with emphasis', () => {
    const code = `<ul><li>a<ul><li><pre>${'x = 1\n'.repeat(4_000)}</pre></li></ul></li></ul>`
    const list = `${'<ul><li>a'.repeat(10)}${'</li></ul>'.repeat(10)}`.repeat(30)
    const text = '<p>Some <em>words</em> are <strong>more <em>important</em></strong>.</p>'.repeat(500)
    for (const html of [code, list, text]) expect(markdownOf(html)).toBe(exported(html))
  })
})

/** Small trees for which the converters need seconds or gigabytes. */
const COSTLY: [name: string, html: string][] = [
  ['empty lines of code in quotes', `${'<blockquote>'.repeat(47)}<pre>${'\n'.repeat(200_000)}`],
  ['quotes 400 deep', `${'<blockquote>'.repeat(400)}<pre>${'a\n'.repeat(10_000)}`],
  ['paragraphs in quotes', `${'<blockquote>'.repeat(45)}${'<p>a</p>'.repeat(3_000)}`],
  ['breaks in lists', `${'<ul><li>'.repeat(24)}${'a<br>'.repeat(10_000)}`],
  ['lines of an attribute', `${'<blockquote>'.repeat(45)}<img alt="${'a\n'.repeat(100_000)}">`],
  ['lines of definitions', `${'<dl><dd>'.repeat(24)}<pre>${'\n'.repeat(200_000)}`],
  ['emphasis in emphasis', `<p>${'<em>a<strong>b<em>c</em></strong></em>'.repeat(800)}</p>`],
  ['deep emphasis', `<p>${`${'<em>a<b>'.repeat(20)}${'</b></em>'.repeat(20)}`.repeat(20)}</p>`],
  ['paragraphs in deletions', `${'<del>'.repeat(20)}${'a<p>b</p>'.repeat(1_000)}`],
  ['empty links', '<a href=/a></a>'.repeat(3_000)],
]

describe('a body that takes too much work to convert', () => {
  it.each(COSTLY)('%s: has no Markdown for a tool', (_, html) => {
    expect(() => markdownOf(html)).toThrow(RangeError)
  })

  it.each([
    ...COSTLY,
    ['marks in one paragraph', `<p>${'*_`[<&'.repeat(40_000)}</p>`],
    ['lines in one paragraph', `<p>${'a\n'.repeat(60_000)}</p>`],
    ['unclosed fonts', Array.from({ length: 1_600 }, (_, i) => `<p><font size=${i}>a</p>`).join('')],
  ])('%s: is exported as HTML', (_, contentHtml) => {
    const content = { title: 'T', slug: 's', contentHtml }
    const { text, isHtml } = toFile('post', content, { exact: false })
    expect(isHtml).toBe(true)
    expect(text.endsWith(contentHtml)).toBe(true)
  })

  it('excludes a table with a long cell and many rows, which is no larger as Markdown', () => {
    const html = `<table><tr><td>${'a'.repeat(50_000)}</td></tr>${'<tr><td>b</td></tr>'.repeat(2_000)}</table>`
    expect(markdownOf(html).length).toBeLessThan(html.length)
  })
})
