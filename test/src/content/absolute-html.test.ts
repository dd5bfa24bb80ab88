import * as fc from 'fast-check'
import rehypeRaw from 'rehype-raw'
import { unified } from 'unified'
import { describe, expect, it } from 'vitest'
import { absoluteHtml } from '../../../src/content/feeds/absolute-html.ts'

const BASE = 'https://site.example.com/blog/post'
const absolute = (html: string) => absoluteHtml(html, BASE)

const SEED = Number(process.env.FUZZ_SEED ?? 1)
const PIECES = [
  ...'<|>|"|\'|=|/|-|!| |a|&gt;|&#x3c;|</|<!--|-->|--!>|<![CDATA[|]]>|<?|<!x'.split('|'),
  ...'script style title textarea xmp noscript noembed iframe template plaintext svg math mtext select table p a portal'
    .split(' ')
    .flatMap((name) => [`<${name}>`, `<${name}`, `</${name}>`]),
  '<annotation-xml encoding="text/html">',
  '<mglyph><malignmark>',
  '<foreignObject>',
  '<img src=x onerror=x>',
  ' onclick=x ',
  ' style="x" ',
  ' srcdoc="<script>1</script>" ',
  ' href="javascript:x" ',
  " title='<img src=x onerror=x>' ",
  ' title="</p><img src=x onerror=x>" ',
]
const SAFE = /^(?:https?|mailto|tel):/

type Node = { type: string; tagName?: string; properties?: Record<string, unknown>; children?: Node[] }

/** Constructs that run something under a browser's parsing rules. */
async function dangersOf(html: string): Promise<string[]> {
  const raw = { type: 'root' as const, children: [{ type: 'raw' as const, value: html }] }
  const dangers = ({ type, tagName = '', properties = {}, children = [] }: Node): string[] => [
    ...(type === 'comment' || DANGEROUS.has(tagName) ? [tagName || type] : []),
    ...Object.entries(properties).flatMap(([name, value]) => {
      const isAddress = name === 'href' || name === 'src' || name === 'xLinkHref'
      const isSafe = isAddress ? SAFE.test(String(value)) : !/^(?:on|style|srcDoc)/i.test(name)
      return isSafe ? [] : [name.toLowerCase()]
    }),
    ...children.flatMap(dangers),
  ]
  return dangers(
    (await unified()
      .use(rehypeRaw)
      .run(raw as never)) as unknown as Node,
  )
}

const DANGEROUS = new Set(
  'script style title textarea xmp noscript noembed template plaintext select portal foreignObject mglyph malignmark'.split(
    ' ',
  ),
)

describe('HTML in a feed', () => {
  it.each([
    ['<p>No address</p>'],
    ['<a href="https://a.example">a</a>'],
    ["<A HREF='HTTPS://A.example/?a&b'>a</A>"],
    ['<a href=mailto:ada@example.com>m</a><a href="tel:+491">t</a>'],
    ['<img src="data:image/gif;base64,R0lGOD" alt="&quot;x&quot; < y">'],
    ['&amp; &nbsp; <br/>'],
    ['<input value="/a"> a < b > c <'],
    [
      '<figure class="wide" id="f"><picture><source media="(min-width: 9em)" type="image/avif"><img loading=lazy alt=""></picture></figure>',
    ],
    [
      '<video controls muted loop playsinline><track kind=captions srclang=de default></video><audio controls preload=none></audio>',
    ],
    ['<iframe src="https://v.example/1" title=t allow="fullscreen" allowfullscreen loading=lazy></iframe>'],
    [
      '<details open><summary>More</summary>x</details><ul><li><input type=checkbox checked disabled> done</ul>',
    ],
    [
      '<table><caption>c</caption><colgroup><col span=2></colgroup><thead><tr><th scope=col colspan=2 align=right>h<tbody><tr><td rowspan=2>d</table>',
    ],
    [
      '<math display="block"><semantics><mrow><mo form="prefix">∑</mo><mfrac><mi>a</mi><mn>2</mn></mfrac></mrow><annotation encoding="application/x-tex">a</annotation></semantics></math>',
    ],
    ['<ruby lang=ja>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby><bdo dir=rtl>x</bdo>'],
    [
      '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" role="img"><linearGradient id="g"><stop offset="0" stop-color="red"/></linearGradient><path d="M0 0" fill="url(#g)"/><text x="1" y="2">t</text></svg>',
    ],
    [
      '<blockquote><p lang=fr dir=ltr title=t tabindex=0>q</p></blockquote><time datetime="2026-01-01">d</time><wbr><a href="https://a.example" rel="nofollow" target="_blank" download hreflang=de>a</a>',
    ],
    ['<p>unclosed <b>tags <i title="&#x41;">'],
  ])('%s is unchanged', (html) => {
    expect(absolute(html)).toBe(html)
  })

  it.each([
    ['<a href="/a">', '<a href="https://site.example.com/a">'],
    ['<a href=a>', '<a href="https://site.example.com/blog/a">'],
    ['<a href=\'../a b?c="d"\'>', '<a href="https://site.example.com/a%20b?c=%22d%22">'],
    ['<a href="#n">', '<a href="https://site.example.com/blog/post#n">'],
    ['<a href="">', '<a href="https://site.example.com/blog/post">'],
    ['<a href>', '<a href="https://site.example.com/blog/post">'],
    ['<img src = "//cdn.example/x.png"/>', '<img src="https://cdn.example/x.png"/>'],
    ['<a href="?a=1&amp;b=2">', '<a href="https://site.example.com/blog/post?a=1&amp;b=2">'],
    ['<a href="&#47;a">', '<a href="https://site.example.com/a">'],
    [
      '<img srcset="a.png, /b.png 2x,https://c.example/c.png 3x">',
      '<img srcset="https://site.example.com/blog/a.png, https://site.example.com/b.png 2x, https://c.example/c.png 3x">',
    ],
    [
      '<video poster=p.png src=v.mp4>',
      '<video poster="https://site.example.com/blog/p.png" src="https://site.example.com/blog/v.mp4">',
    ],
  ])('%s becomes %s', (html, wanted) => {
    expect(absolute(html)).toBe(wanted)
  })

  it.each([
    ['a<script>"</p>"</script>b', 'ab'],
    ['a<SCRIPT SRC=/x></SCRIPT >b', 'ab'],
    ['a<script/>b</script>c', 'ac'],
    ['a<style>@import "x"', 'a'],
    ['a<script>never closed', 'a'],
    ['a<!-- <a href="/a"> -->b', 'ab'],
    ['a<![CDATA[><img src=x onerror=x>]]>b', 'ab'],
    ['a<base href=//evil.example><meta http-equiv=refresh content="0;/"><link rel=stylesheet href=x>b', 'ab'],
    ['<p onclick=x ONLOAD="y">', '<p  >'],
    ['<a href="javascript:x">', '<a >'],
    ['<a href=" java&#115;cript&colon;x">', '<a >'],
    ['<a href="vbscript:x" title=t>', '<a  title=t>'],
    ['<iframe srcdoc="<script>1</script>"></iframe>', '<iframe ></iframe>'],
    ['<portal src="https://evil.example">a</portal>', 'a'],
    ['<fencedframe src="https://evil.example"></fencedframe><x-login onshow=x>b</x-login>', 'b'],
    ['<object data="/a.swf"><embed src="/a.swf"><p>No player</p></object>', '<p>No player</p>'],
    [
      '<form action="//evil.example"><input name=q form=login><button formaction=x>Go</button></form>',
      '<input name=q >Go',
    ],
    ['<template><img src=/a></template><template><template></template>b</template>c', 'c'],
    ['<dialog open popover=auto>a</dialog>', 'a'],
    ['<p style="position:fixed" contenteditable autofocus is=x-p slot=s>', '<p     >'],
    [
      '<a href="https://a.example" ping="https://evil.example" attributionsrc>',
      '<a href="https://a.example"  >',
    ],
    ['<img src="https://a.example/1" lowsrc="javascript:1" dynsrc=x>', '<img src="https://a.example/1"  >'],
    ['<p data-bind="html:x" x-on:click=x @click=x v-html=x ng-init=x hx-get=/a>', '<p      >'],
    ['<a href="data:text/html,1">', '<a >'],
    ['<img src="data:text/html,1">', '<img >'],
    ['<iframe src="mailto:a@b.example"></iframe>', '<iframe ></iframe>'],
    [
      '<svg><use href="data:image/svg+xml,1#a"/><a xlink:href="javascript:1"><text>t</text></a></svg>',
      '<svg><a ><text>t</text></a></svg>',
    ],
    [
      '<svg><foreignObject><p>x</p></foreignObject><set attributeName=href to=javascript:1 /></svg>',
      '<svg><p>x</p></svg>',
    ],
    [
      '<math><maction actiontype=statusline xlink:href="javascript:1">x</maction></math>',
      '<math><maction  >x</maction></math>',
    ],
    ['<p xml:base="javascript:1" xmlns:xlink=a>', '<p  xmlns:xlink=a>'],
    ['<</xmp>img src=x onerror=x>', '&lt;img src=x onerror=x>'],
    ['<<!-- -->script>1<<script></script>/script>', '&lt;script>1&lt;/script>'],
    ['a<p onclick=x', 'a'],
    ['a<p title="', 'a'],
    ["a<x-p title='<img src=x onerror=x>'/", 'a'],
    ['a</p onclick=x', 'a</p>'],
  ])('%s becomes %s: nothing runs', (html, wanted) => {
    expect(absolute(html)).toBe(wanted)
  })

  it("gives a browser's parser nothing to run, however broken it is", async () => {
    const pieces = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(pieces, async (some) => {
        const html = absolute(some.join(''))
        expect(await dangersOf(html)).toEqual([])
        // A reader may append its own markup, which completes a truncated tag.
        expect(['', 'comment']).toContain((await dangersOf(`${html} x>`)).join())
        expect(absolute(html), 'a second time').toBe(html)
      }),
      { seed: SEED, numRuns: 1_000 },
    )
  })
})
