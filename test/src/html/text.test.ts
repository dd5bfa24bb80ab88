import { describe, expect, it } from 'vitest'
import { htmlToText } from '../../../src/html/text.ts'

describe('htmlToText', () => {
  it.each([
    ['<p>One</p><p>Two</p>', 'One Two'],
    ['plain', 'plain'],
    ['', ''],
    ['  <p> a \n\t b </p> ', 'a b'],
    ['Fish &amp; chips &lt;3 &#8364; &eacute;&nbsp;x', 'Fish & chips <3 € é x'],
    ['<b>bo</b>ld <em>w</em>ord', 'bold word'],
    ['one<br>two<br/>three', 'one two three'],
    ['<ul><li>a</li><li>b</li></ul>', 'a b'],
    ['<td>1</td><td>2</td>', '1 2'],
    ['a<script>var x = "<p>no</p>"</script>b', 'a b'],
    ['<style>p { color: red }</style>text', 'text'],
    ['<noscript>no</noscript><template><p>no</p></template>yes', 'yes'],
    ['<!-- no -->yes', 'yes'],
    ['<p title="<no>">yes', 'yes'],
    ['<p>unclosed <b>bold', 'unclosed bold'],
    ['</p></div>stray', 'stray'],
    ['<SCRIPT>no</SCRIPT>yes', 'yes'],
    ['1 < 2 and 3 > 2', '1 < 2 and 3 > 2'],
    ['<pre>line\n  two</pre>', 'line two'],
    ['日本<b>語</b>', '日本語'],
  ])('reads %j as %j', (html, text) => {
    expect(htmlToText(html).text).toBe(text)
  })

  it('reads deeply nested and long documents', () => {
    expect(htmlToText(`${'<div>'.repeat(20_000)}deep`).text).toBe('deep')
    expect(htmlToText('<p>w</p>'.repeat(50_000)).text.length).toBe(99_999)
  })
})

describe('prose', () => {
  it('leaves out headings, code blocks and tables', () => {
    const html =
      '<h1>Title</h1><p>One.</p><pre><code>x = 1</code></pre><table><tr><td>cell</td></tr></table><p>Two.</p>'
    expect(htmlToText(html).prose).toBe('One. Two.')
    expect(htmlToText(html).text).toBe('Title One. x = 1 cell Two.')
  })
})

describe('text that readers do not see', () => {
  it.each([
    ['<p hidden>no</p>yes', 'yes'],
    ['<p HIDDEN="false">no</p>yes', 'yes'],
    ['<p hidden="until-found">yes</p>', 'yes'],
    ['<p hidden style="display: block">yes</p>', 'yes'],
    ['<p style="color:red;DISPLAY : none !important">no</p>yes', 'yes'],
    ['<p style="display:/* a; */none">no</p>yes', 'yes'],
    ['<p style="display:none;display:block">yes</p>', 'yes'],
    ['<p style="visibility:hidden">no</p>yes', 'yes'],
    ['<p style="x-display:none;background:url(display:none)">yes</p>', 'yes'],
    ['<p style="display&#58;none">no</p>yes', 'yes'],
    ['<p data-hidden title=" hidden ">yes</p>', 'yes'],
    ['<div hidden>no<div>no</div>no</div>yes', 'yes'],
    ['<p hidden>no<p>yes', 'yes'],
    ['<ul><li hidden>no<li>yes</ul>', 'yes'],
    ['<ul><li hidden>no<ul><li>no<li>no</ul><li>yes</ul>', 'yes'],
    ['<table><tr><td hidden>no<td>yes<tr><td>yes</table>', 'yes yes'],
    ['<section><div hidden>no</section>yes', 'yes'],
    ['<img hidden><br hidden>yes', 'yes'],
    ['<b hidden>no</b hidden>yes', 'yes'],
    ['</div><div hidden>no</span></div>yes', 'yes'],
    ['<span class="a screen-reader-text">no</span><i class="sr-only">no</i>yes', 'yes'],
    ['<span class="no-sr-only">yes</span>', 'yes'],
    ['<i aria-hidden="true">home</i> yes', 'yes'],
    ['<i aria-hidden="false">yes</i>', 'yes'],
    ['<div aria-hidden="true"><p>yes</p></div>', 'yes'],
    ['<video><p>no</p></video><iframe>no</iframe><canvas>no</canvas>yes', 'yes'],
    ['<svg><title>no</title><text>yes</text></svg>', 'yes'],
    ['<noscript><p>no</p><img src="/a"></noscript>yes', 'yes'],
  ])('%j is read as %j', (html, text) => {
    expect(htmlToText(html).text).toBe(text)
  })

  const MATH =
    '<math><semantics><mrow><mi>E</mi><mo>=</mo></mrow><annotation encoding="application/x-tex">E=</annotation></semantics></math>'
  it.each([
    [`a ${MATH} b`, 'a E = b'],
    [
      `a <span class="katex"><span class="katex-mathml">${MATH}</span><span class="katex-html" aria-hidden="true"><span>E</span><span>=</span></span></span> b`,
      'a E = b',
    ],
    ['a <span class="katex"><span class="katex-html" aria-hidden="true">E=</span></span> b', 'a E= b'],
  ])('a formula is read once: %#', (html, text) => {
    expect(htmlToText(html).text).toBe(text)
  })

  it.each([
    ['<p>One<sup><a href="#a" id="b">1</a></sup>.</p>', 'One.'],
    ['<p>One<a href="#fn1" class="footnote-ref"><sup>1</sup></a>.</p>', 'One.'],
    ['<p>x<sup>2</sup> <sup>a<a href="#b">b</a></sup> <a href="#c">c</a></p>', 'x2 ab c'],
    [
      '<p>One.</p><section data-footnotes class="footnotes"><ol><li>No</li></ol></section><p>Two.</p>',
      'One. Two.',
    ],
    ['<p>One.</p><ol class="wp-block-footnotes"><li>No<ol><li>No</li></ol></li></ol>Two.', 'One. Two.'],
  ])('prose has no footnotes: %j', (html, prose) => {
    expect(htmlToText(html).prose).toBe(prose)
  })

  it('takes no longer for many unclosed parts, hidden or not', () => {
    expect(htmlToText(`yes${'<b hidden>no</i>'.repeat(100_000)}`).text).toBe('yes')
    expect(htmlToText('<p hidden>no<p>w'.repeat(50_000)).text.length).toBe(99_999)
    expect(htmlToText(`${'<b>'.repeat(200_000)}word${'</i>'.repeat(200_000)}`).text).toBe('word')
  })
})
