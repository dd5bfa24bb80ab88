import { describe, expect, it } from 'vitest'
import { htmlToText } from '../../../src/foundation/html-text.ts'

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
