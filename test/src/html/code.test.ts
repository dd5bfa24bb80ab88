import { expect, it } from 'vitest'
import { codeIn } from '../../../src/html/code.ts'

it.each([
  ['<p>a</p><script>x()</script><SCRIPT type="module" src="/a.js"></SCRIPT>', ['<script>']],
  ['<p ONCLICK="x()">a</p><svg onload=x()>', ['onclick', 'onload']],
  ['<a href=" java\nscript:x()">a</a>', ['javascript: in href']],
  ['<a href="&#106;avascript&colon;x()">a</a>', ['javascript: in href']],
  ['<form><button formaction="javascript:x()">', ['javascript: in formaction']],
  ['<iframe srcdoc="&lt;script>x()&lt;/script>"></iframe>', ['srcdoc']],
])('code that runs in browsers is named: %s', (html, code) => {
  expect(codeIn(html)).toEqual(code)
})

it.each([
  '<script type="application/ld+json">{"a": 1}</script>',
  '<p data-onclick="x" title="javascript:x">onclick="x()" javascript:</p>',
  '<!-- <script>x()</script> --><pre>&lt;script></pre>',
  '<a href="/javascript:x">a</a>',
])('other text is not: %s', (html) => {
  expect(codeIn(html)).toEqual([])
})
