import { describe, expect, it } from 'vitest'
import { lostInMarkdown } from '../../../src/convert/losses.ts'
import { markdownOf } from '../../../src/convert/to-markdown.ts'

const lostIn = (html: string) => lostInMarkdown(html, markdownOf(html))

describe('what a body loses as Markdown', () => {
  it.each([
    '<h2>One</h2><p>A <b>bold</b>, <i>italic</i> and <s>deleted</s> text.<br>New line</p>',
    '<ul><li><p>a</p></li><li>b</li></ul><ol start="3"><li>c</li></ol><hr><blockquote><p>q</p></blockquote>',
    '<pre>x\n y</pre><pre><code class="language-js">a</code></pre>',
    '<table><thead><tr><th align="right">a</th></tr></thead><tbody><tr><td align="right">1</td></tr></tbody></table>',
    '<div><p><span>a&nbsp;b</span> <img src="/ä.png"></p></div>',
    '',
  ])('is nothing: %s', (html) => {
    expect(lostIn(html)).toEqual([])
  })

  it.each([
    ['<p>a</p><iframe src="https://v.example/1"></iframe>', ['<iframe>']],
    ['<table><tr><td colspan="2">a</td></tr><tr><td>b</td><td>c</td></tr></table>', 'colspan of <td>'],
    ['<table><tr><td>a</td></tr></table>', 'tables without a heading row'],
    ['<p class="lead" style="color:red">a</p>', ['class of <p>', 'style of <p>']],
    ['<h2 id="mine">Other</h2>', ['id of <h2>']],
    ['<p><a href="/a" target="_blank">x</a></p>', ['target of <a>']],
    ['<figure><img src="/a.png"><figcaption>A</figcaption></figure>', ['<figure>', '<figcaption>']],
    ['<p>H<sub>2</sub>O</p><!-- note -->', ['<sub>', 'comments']],
    ['<p onclick="x()">a</p><script>x()</script>', ['onclick of <p>', '<script>']],
    ['<p>a</p><p class="x">b</p><p class="y">c</p>', ['class of <p>']],
  ])('is named: %s', (html, lost) => {
    if (Array.isArray(lost)) expect(lostIn(html)).toEqual(lost)
    else expect(lostIn(html)).toContain(lost)
  })
})
