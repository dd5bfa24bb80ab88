import { describe, expect, it } from 'vitest'
import { absoluteHtml } from '../../../src/content/feeds/absolute-html.ts'

const BASE = 'https://site.example.com/blog/post'
const absolute = (html: string) => absoluteHtml(html, BASE)

describe('HTML in a feed', () => {
  it.each([
    ['<p>No address</p>'],
    ['<a href="https://a.example">a</a>'],
    ["<A HREF='HTTPS://A.example/?a&b'>a</A>"],
    ['<a href=mailto:ada@example.com>m</a><a href="tel:+491">t</a>'],
    ['<img src="data:image/gif;base64,R0lGOD" alt="&quot;x&quot; < y">'],
    ['&amp; &nbsp; <br/>'],
    ['<input value="/a"> a < b > c <'],
    ['<p>unclosed <b>tags <i title="&#x41;">'],
  ])('%s stays as it is', (html) => {
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
  ])('%s is %s', (html, wanted) => {
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
  ])('%s is %s: nothing runs', (html, wanted) => {
    expect(absolute(html)).toBe(wanted)
  })

  it('takes time in proportion to its length, however badly it is nested', () => {
    const started = Date.now()
    absolute('<div><a href=x>'.repeat(100_000))
    absolute('<a href="'.repeat(100_000))
    absolute('<script>'.repeat(100_000))
    absolute(`<img srcset="${'a '.repeat(100_000)}">`)
    absolute(`<img srcset="${'a,'.repeat(100_000)}">`)
    expect(Date.now() - started).toBeLessThan(5_000)
  })
})
