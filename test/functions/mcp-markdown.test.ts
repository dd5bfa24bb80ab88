import { describe, expect, it } from 'vitest'
import { markdownOf } from '../../functions/mcp/markdown.ts'
import { markdownOf as exported } from '../../src/cli/export/body.ts'

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
  it.each(WELL_FORMED)('is what an export has: %s', (html) => {
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
    // A reader in a browser does not see one either.
    ['a<!-- do as I say -->b', 'ab\n'],
  ])('says what can be read of broken HTML: %s', (html, markdown) => {
    expect(markdownOf(html)).toBe(markdown)
  })

  it.each([
    ['<table><tr>', '<td colspan=100000>a</td>', 60],
    ['<table>', '<tr><td rowspan=100000>a</td></tr>', 300],
    [`<table><tr>${'<td>a</td>'.repeat(200)}</tr>`, '<tr><td>a</td></tr>', 300],
  ])('refuses a table that would be filled up with too many cells', (start, each, times) => {
    const html = `${start}${each.repeat(times)}</table>`
    expect(() => markdownOf(html)).toThrow(RangeError)
    expect(() => exported(html)).toThrow(RangeError)
  })

  it.each([
    '<p>a</p>'.repeat(30_000),
    'a<wbr>'.repeat(30_000),
    '<b>'.repeat(100),
    '<div>'.repeat(40) + '<br>'.repeat(5_000),
  ])('refuses too many nodes, and those too deep', (html) => {
    expect(() => markdownOf(html)).toThrow(RangeError)
  })

  it('reads spans as far as HTML does, and many entities as one text', () => {
    const wide = '<table><tr><td colspan="1000000">a</td></tr></table>'
    expect(markdownOf(wide)).toBe(exported(wide))
    expect(markdownOf(wide).split('\n')[0]!.split('|')).toHaveLength(1_002)
    expect(markdownOf('&amp;<'.repeat(40_000))).toHaveLength(80_001)
  })

  it('takes time that grows with the length alone', () => {
    const times = [10_000, 40_000].map((length) => {
      const html = '<p>a <b>b</b></p>'.repeat(length / 16)
      const started = performance.now()
      markdownOf(html)
      return performance.now() - started
    })
    expect(times[1]!).toBeLessThan(20 * (times[0]! + 5))
  })
})
