import { expect, it } from 'vitest'
import { codeIn } from '../../../src/html/code.ts'

it.each([
  ['<p>a</p><script>x()</script><SCRIPT type="module" src="/a.js"></SCRIPT>', ['<script>']],
  ['<p ONCLICK="x()">a</p><svg onload=x()>', ['onclick', 'onload']],
  ['<a href=" java\nscript:x()">a</a>', ['javascript: in href']],
  ['<a href="&#106;avascript&colon;x()">a</a>', ['javascript: in href']],
  ['<form><button formaction="javascript:x()">', ['<form>', 'javascript: in formaction']],
  ['<iframe srcdoc="&lt;script>x()&lt;/script>"></iframe>', ['srcdoc']],
  ['<META HTTP-EQUIV=" Refresh" content="0; url=https://x.example">', ['<meta http-equiv=refresh>']],
  ['<base href="https://x.example/"><form action="https://x.example"></form>', ['<base>', '<form>']],
  ['<object data="/a.pdf"></object><embed src="/a.swf">', ['<object>', '<embed>']],
])('code that runs in browsers is named: %s', (html, code) => {
  expect(codeIn(html)).toEqual(code)
})

it.each([
  '<script type="application/ld+json">{"a": 1}</script>',
  '<p data-onclick="x" title="javascript:x">onclick="x()" javascript:</p>',
  '<!-- <script>x()</script> --><pre>&lt;script></pre>',
  '<a href="/javascript:x">a</a>',
  '<meta name="refresh" content="base form"><p>&lt;form> &lt;object></p><formula>',
])('other text is not: %s', (html) => {
  expect(codeIn(html)).toEqual([])
})

const IMAGE = '<img src=x onerror=1>'

it.each([
  ['<script type="text/jscript">x()</script><script type="text/JavaScript1.5">', ['<script>']],
  ['<script type="text/livescript">x()</script>', ['<script>']],
  ['<svg><a><animate attributeName=href values="/a; java&Tab;script:x()"></svg>', ['javascript: in values']],
  ['<svg><a><set attributeName=href to="javascript:x()"></svg>', ['javascript: in to']],
  ['<iframe src="data:text/html,x"></iframe>', ['data: in src']],
  ['<object data=" DATA:image/svg+xml,x"></object>', ['<object>', 'data: in data']],
  [`<embed src="data:,x">`, ['<embed>', 'data: in src']],
  [`<![CDATA[ >${IMAGE}]]>`, ['onerror']],
  [`<svg><style>${IMAGE}</style></svg>`, ['onerror']],
  [`<svg><title>${IMAGE}</title></svg>`, ['onerror']],
  [`<svg><textarea>${IMAGE}</textarea></svg>`, ['onerror']],
  [`<math><style>${IMAGE}</style></math>`, ['onerror']],
  [`<noscript><img title="</noscript>${IMAGE}"></noscript>`, ['onerror']],
  ['<xmp><p title="</xmp><script>x()</script>"></xmp>', ['<script>']],
  ['<svg><style><a href="&#x6a;ava&NewLine;script&colon;x()"></style></svg>', ['javascript:']],
  [`<!-->${IMAGE}-->`, ['onerror']],
  [
    '<!--><base href=x><meta content="0;url=x" http-equiv=refresh>-->',
    ['<base>', '<meta http-equiv=refresh>'],
  ],
])('code that only browsers find, or only old names of it: %s', (html, code) => {
  expect(codeIn(html)).toEqual(code)
})

it.each(['<meta ', '<meta http-equiv ', '<meta http-equiv= '])(
  '200,000 times %j are read in one pass',
  (part) => {
    expect(codeIn(`<svg>${part.repeat(200_000)}`)).toEqual([])
    expect(codeIn(`<svg>${part}${' '.repeat(200_000)}`)).toEqual([])
  },
)

it('frames in frames are not read, so that time does not grow with their depth', () => {
  const text = '<p>a</p>'
  expect(codeIn(`<iframe srcdoc="${text}"></iframe>`)).toEqual(['srcdoc'])
  expect(codeIn('<iframe srcdoc=""></iframe><iframe src="data:image/png,x"></iframe>')).toEqual([])
})
