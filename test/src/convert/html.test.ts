import { describe, expect, it } from 'vitest'
import { cleanHtml, lossOfDropped } from '../../../src/convert/html.ts'

describe('a body of HTML', () => {
  it.each([
    '<p>a <em>b</em><br>c</p>\n<figure><img src="/a.png" alt="x"><figcaption>d</figcaption></figure>',
    '<ol reversed start="3"><li>c</li></ol><a href="/a.pdf" download>a</a><a href="/b" download="b.txt">b</a>',
    '<figure class="alignleft"><img src="/a.png"></figure><p class="has-text-align-center">a</p>',
    '<a href="/" target="_blank">b</a><img class="alignright" src="/a.png">',
  ])('keeps allowed elements, numbers of lists, names of downloads, alignment and targets: %s', (html) => {
    expect(cleanHtml(html)).toEqual({ html, dropped: [] })
  })

  it('gets ids for its headings, and keeps existing ones', () => {
    expect(cleanHtml('<h2>Über uns</h2><h2 id="own">B</h2><h2>Über uns</h2>').html).toBe(
      '<h2 id="über-uns">Über uns</h2><h2 id="own">B</h2><h2 id="über-uns-1">Über uns</h2>',
    )
  })

  it('names each dropped element once, and keeps its text', () => {
    const { html, dropped } = cleanHtml(
      '<iframe></iframe><iframe src="javascript:x"></iframe><script>a()</script><form>q </form><script>b()</script><font>f</font>',
    )
    expect(dropped).toEqual(['font', 'form', 'iframe', 'script'])
    expect(html.replace(/<[^>]*>/g, '')).toBe('q f')
    expect(html).not.toMatch(/iframe|script|form|\ba\(/)
  })

  it('has a link in place of a frame', () => {
    expect(cleanHtml('<p>a <iframe src="https://v.example/1?a=1&amp;b=2" width="5"></iframe></p>')).toEqual({
      html: '<p>a <a href="https://v.example/1?a=1&amp;b=2">https://v.example/1?a=1&amp;b=2</a></p>',
      dropped: ['iframe'],
    })
  })

  it('names addresses that are dropped', () => {
    const { html, dropped } = cleanHtml(
      '<a href="java\nscript:alert(1)">a</a><a href="tel:1">b</a><img src="data:text/html,x"><img src="data:image/png;base64,AA">',
    )
    expect(dropped).toEqual(['data: in img[src]', 'javascript: in a[href]', 'tel: in a[href]'])
    expect(html).toBe('<a>a</a><a>b</a><img><img src="data:image/png;base64,AA">')
  })

  it('keeps checkboxes, and no other fields', () => {
    expect(cleanHtml('<input value="a"> <input type="checkbox" checked> <input type="submit">')).toEqual({
      html: '<input type="checkbox" checked disabled>',
      dropped: ['input'],
    })
    expect(lossOfDropped('input')).toEqual({ reason: 'left out', detail: '<input>' })
  })

  it('leaves out the elements that the caller names', () => {
    const { html } = cleanHtml('<p>a</p><form>b<p>c</p></form>d', ({ tagName }) => tagName === 'form')
    expect(html).toBe('<p>a</p>d')
  })

  it('loses styles, classes and handlers', () => {
    expect(
      cleanHtml('<p style="color:red" class="has-red alignleft" onclick="x()">a</p><ul class="x"></ul>').html,
    ).toBe('<p class="alignleft">a</p><ul></ul>')
  })

  it('loses comments, and closes broken tags', () => {
    expect(cleanHtml('<p>a<!-- c --><b>b').html).toBe('<p>a<b>b</b></p>')
  })

  it('that is nested too deeply is refused in one line', () => {
    expect(() => cleanHtml('<div>'.repeat(20_000))).toThrow(/^nested too deeply$/)
    expect(() => cleanHtml('<div>'.repeat(600))).toThrow(/^nested too deeply$/)
  })
})
