import { describe, expect, it } from 'vitest'
import { attributesIn, srcsetParts, withEdits } from '../../../src/cli/import/addresses.ts'

const values = (html: string) =>
  attributesIn(html).map(({ element, name, value }) => `${element} ${name}=${value}`)
const shouted = (html: string) =>
  withEdits(
    html,
    attributesIn(html).map((attribute) => ({ attribute, value: `${attribute.value}!` })),
  )

describe('the addresses of a body', () => {
  it('are those of links and media, decoded', () => {
    const html =
      '<a class=x href="/a?b=1&amp;c=2">x</a><IMG SRC=i.png><video src="v" poster=\'p\'></video><img srcset="a 1x"><a href>'
    expect(values(html)).toEqual([
      'a href=/a?b=1&c=2',
      'img src=i.png',
      'video src=v',
      'video poster=p',
      'img srcset=a 1x',
    ])
  })

  it('do not include comments, scripts, text or other elements', () => {
    const html =
      '<!-- <a href="x"> --><script>"<a href=x>"</script>&lt;a href="x"&gt;<div href="x" src="y"><constructor href="x">'
    expect(values(html)).toEqual([])
  })

  it('use the first value of a repeated attribute', () => {
    expect(values('<a href="a" href="b">')).toEqual(['a href=a'])
  })
})

describe('a body with replaced addresses', () => {
  it.each([
    ['<a\n href = "a&amp;b"  x>&nbsp;<B >', '<a\n href = "a&amp;b!"  x>&nbsp;<B >'],
    ["<a href='it&#39;s'>", "<a href='it&#39;s!'>"],
    ['<img src=a.png alt=b/>', '<img src="a.png!" alt=b/>'],
    ['<p>é <img/src="a"/></p', '<p>é <img/src="a!"/></p'],
    ['<a href="&quot;">', '<a href="&quot;!">'],
  ])('is otherwise unchanged: %s', (html, expected) => {
    expect(shouted(html)).toBe(expected)
  })

  it('keeps the bytes of an unchanged address', () => {
    const html = '<img src="a&#x2e;png">'
    const [attribute] = attributesIn(html)
    expect(withEdits(html, [{ attribute: attribute!, value: 'a.png', more: ' width="1"' }])).toBe(
      '<img src="a&#x2e;png" width="1">',
    )
  })
})

describe('a srcset', () => {
  it.each([
    ['a.png', ['a.png']],
    ['a.png 1x, b.png 2x', ['a.png', 'b.png']],
    [' a.png 100w,b.png 200w ', ['a.png', 'b.png']],
    ['a.png, b.png', ['a.png', 'b.png']],
    ['data:image/png;base64,AA== 1x, b,c.png 2x', ['data:image/png;base64,AA==', 'b,c.png']],
    ['', []],
  ])('%j has %j', (srcset, addresses) => {
    const parts = srcsetParts(srcset)
    expect(parts.map(({ address }) => address)).toEqual(addresses)
    expect(parts.map(({ start, end }) => srcset.slice(start, end))).toEqual(addresses)
  })
})
