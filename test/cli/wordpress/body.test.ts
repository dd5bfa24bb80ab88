import { describe, expect, it } from 'vitest'
import type { ReusableBlock } from '../../../src/cli/wordpress/blocks.ts'
import { bodyOf, renderedBodyOf } from '../../../src/cli/wordpress/body.ts'
import { lossText } from './support/wxr.ts'

const pier = { url: 'https://b.example/pier.png', alt: 'A "long" pier', caption: 'At <em>noon</em>' }
const boat = { url: 'https://b.example/boat.png', alt: '', caption: '' }
const reusable = new Map<number, ReusableBlock>()
const material = {
  byId: (id: number) => ({ 4: pier, 5: boat })[id],
  ofPost: () => [boat],
  block: (ref: number) => reusable.get(ref),
}
const body = (raw: string) => {
  const { losses, ...rest } = bodyOf(raw, material)
  return { ...rest, losses: losses.map(lossText) }
}
const html = (raw: string) => body(raw).html

const PIER =
  '<figure><img src="https://b.example/pier.png" alt="A &#x22;long&#x22; pier"><figcaption>At <em>noon</em></figcaption></figure>'.replaceAll(
    '&#x22;',
    '&quot;',
  )

function outcome(raw: string): string {
  try {
    return typeof body(raw).html === 'string' ? 'read' : ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('galleries of all uploads', () => {
  it('are refused when they make a small body larger than 8 MiB', () => {
    const caption = 'c'.repeat(2 ** 20)
    const ofPost = () => [{ ...boat, caption }]
    expect(() => bodyOf('[gallery]'.repeat(9), { ...material, ofPost })).toThrow('larger than 8 MiB')
  })
})

describe('lines of the classic editor', () => {
  it.each([
    ['a\n\nb', '<p>a</p>\n<p>b</p>'],
    ['a\nb', '<p>a<br>\nb</p>'],
    ['a<br />\nb<br/><br>c', '<p>a<br>\nb</p>\n<p>c</p>'],
    [`a${' '.repeat(1_000)}b`, '<p>a b</p>'],
    ['<p>a\n\nb</p>', '<p>a</p>\n<p>b</p>'],
    ['<h2>a\n\nb</h2>', '<h2 id="ab">a<p></p>\n<p>b</p></h2>'],
    ['a\n<h2>b</h2>\nc', '<p>a</p>\n<h2 id="b">b</h2>\n<p>c</p>'],
    ['<ul>\n<li>a</li>\n\n<li>b\nc</li>\n</ul>', '<ul>\n<li>a</li>\n<li>b<br>\nc</li>\n</ul>'],
    ['<div>a</div>', '<div>a</div>'],
    ['<div>\n\na\n\nb\n\n</div>', '<div>\n<p>a</p>\n<p>b</p>\n</div>'],
    ['<blockquote>a</blockquote>', '<blockquote><p>a</p></blockquote>'],
    [
      '<table>\n<tr>\n<td>a</td>\n</tr>\n</table>',
      '<table>\n<tbody><tr>\n<td>a</td>\n</tr>\n</tbody></table>',
    ],
    ['a\n<pre>b\n\n<b>c</b>\n</pre>\nd', '<p>a</p>\n<pre>b\n\n<b>c</b>\n</pre>\n<p>d</p>'],
    ['<a\nhref="/x"\n>b</a>', '<p><a href="/x">b</a></p>'],
    ['a <!-- b\n\nc --> d', '<p>a  d</p>'],
    ['a\n\nb</ c\n\n>d', '<p>a</p>\n<p>bd</p>'],
    ['&lt;b&gt; &amp; &nbsp;', '<p>&lt;b> &amp; \u00a0</p>'],
    ['<strong>a\n\nb</strong>', '<p><strong>a</strong></p><strong>\n</strong><p><strong>b</strong></p>'],
    ['a\r\n\r\nb'.replaceAll('\r\n', '\n'), '<p>a</p>\n<p>b</p>'],
    ['', ''],
    ['<', '<p>&lt;\n</p>'],
    ['</nothing><p', '<p></p>'],
  ])('%j become %j', (raw, expected) => {
    expect(html(raw)).toBe(expected)
  })

  it('with unclosed markup are read, or refused in one line', () => {
    for (const part of [
      '<b>',
      '<pre>',
      '[caption]',
      '[x a="',
      '<!--',
      '</ >',
      '<p><div>',
      '<a "',
      "[a b='",
      '<code>[x]',
    ]) {
      expect(['read', 'nested too deeply'], part).toContain(outcome(part.repeat(20_000)))
    }
  })
})

describe('blocks', () => {
  it('lose their comments', () => {
    expect(
      body(
        '<!-- wp:group {"a":"\\u002d\\u002d"} -->\n<div class="wp-block-group"><!-- wp:paragraph -->\n<p>a\nb</p>\n<!-- /wp:paragraph --></div>\n<!-- /wp:group -->\n\n<!-- wp:my-plugin/card -->\n<p>c</p>\n<!-- /wp:my-plugin/card -->',
      ),
    ).toEqual({ html: '<div>\n<p>a\nb</p>\n</div>\n\n<p>c</p>', losses: [], teaser: undefined })
  })

  it('with embeds become links, with their captions', () => {
    expect(
      body(
        '<!-- wp:embed {"url":"https://v.example/w?a=1\\u0026b=2"} -->\n<figure><div>\nhttps://v.example/w?a=1&amp;b=2\n</div><figcaption>A <b>film</b></figcaption></figure>\n<!-- /wp:embed --><!-- wp:core-embed/youtube -->\n<figure>https://v.example/3</figure>\n<!-- /wp:core-embed/youtube -->',
      ),
    ).toMatchObject({
      html: '<figure><a href="https://v.example/w?a=1&amp;b=2">https://v.example/w?a=1&amp;b=2</a><figcaption>A <b>film</b></figcaption></figure><figure><a href="https://v.example/3">https://v.example/3</a></figure>',
      losses: ['an embed becomes a link: v.example'],
    })
  })

  it('hidden by an editor are left out, and named', () => {
    expect(
      body(
        '<!-- wp:group {"metadata":{"blockVisibility":false}} --><div><!-- wp:paragraph --><p>no</p><!-- /wp:paragraph --></div><!-- /wp:group --><!-- wp:paragraph {"metadata":{"blockVisibility":true}} --><p>yes</p><!-- /wp:paragraph --><!-- wp:block {"ref":12,"metadata":{"blockVisibility":false}} /-->',
      ),
    ).toMatchObject({
      html: '<p>yes</p>',
      losses: ['a hidden block is left out: group', 'a hidden block is left out: block'],
    })
  })

  it('rendered by WordPress at request time are named', () => {
    expect(
      body(
        '<!-- wp:latest-posts /--><!-- wp:latest-posts {"postsToShow":2} /-->\n<!-- wp:block {"ref":12} /--><!-- wp:shop/cart /--><!-- wp:spacer /-->',
      ),
    ).toMatchObject({
      html: '',
      losses: [
        'a block that WordPress renders on each view is left out: latest-posts',
        'a reusable block that is not in this import is left out: 12',
        'a block that WordPress renders on each view is left out: shop/cart',
      ],
    })
  })

  it('that are reusable are inlined, with nested ones', () => {
    reusable.set(1, { content: '<!-- wp:paragraph --><p>Hours</p><!-- /wp:paragraph -->', isHidden: false })
    reusable.set(2, { content: '<h2 id="a">At</h2><!-- wp:block {"ref":1} /-->', isHidden: false })
    expect(
      body(
        '<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:block {"ref":2} /--><!-- wp:block {"ref":1} /-->',
      ),
    ).toMatchObject({ html: '<p>a</p><h2 id="a">At</h2><p>Hours</p><p>Hours</p>', losses: [] })
    expect(body('<!-- wp:block {"ref":1,"content":{"x":{}}} /-->')).toMatchObject({
      html: '<p>Hours</p>',
      losses: ['a reusable block has its own text here, which is left out: 1'],
    })
  })

  it('that are reusable but not public are left out, and so are recursive ones', () => {
    reusable.set(3, { content: '<p>4711</p>', isHidden: true })
    reusable.set(4, { content: '<p>b</p><!-- wp:block {"ref":5} /-->', isHidden: false })
    reusable.set(5, { content: '<p>c</p><!-- wp:block {"ref":4} /-->', isHidden: false })
    reusable.set(6, { content: `<p>${'x'.repeat(1_000_000)}</p>`, isHidden: false })
    expect(body('<!-- wp:block {"ref":3} /--><!-- wp:block {"ref":4} /-->')).toMatchObject({
      html: '<p>b</p><p>c</p>',
      losses: [
        'a reusable block that is a draft, private or has a password is left out: 3',
        'reusable blocks are nested too deeply, or make it larger than 8 MiB: one is left out: 4',
      ],
    })
    expect(html('<!-- wp:block {"ref":6} /-->'.repeat(20)).match(/<p>/g)).toHaveLength(8)
  })

  it('with a background picture show it', () => {
    expect(
      html(
        '<!-- wp:cover {"url":"https://b.example/c.jpg"} --><div style="background-image:url(c.jpg)"><p>a</p></div><!-- /wp:cover -->',
      ),
    ).toBe('<div><img src="https://b.example/c.jpg" alt=""><p>a</p></div>')
  })

  it('that end in the wrong order, or never, keep their text', () => {
    expect(
      html('<!-- wp:a --><p>1</p><!-- wp:b --><p>2</p><!-- /wp:a --><p>3</p><!-- wp:c --><p>4</p>'),
    ).toBe('<p>1</p><p>2</p><p>3</p><p>4</p>')
  })
})

describe('shortcodes', () => {
  it.each([
    [
      '[caption id="x" width="5"]<a href="/l"><img src="/i.png" alt="y" /></a> A <em>b</em>[/caption]',
      '<figure><a href="/l"><img src="/i.png" alt="y"></a><figcaption>A <em>b</em></figcaption></figure>',
    ],
    [
      '[caption caption="Old &amp; short"]<img src="/i.png">[/caption]',
      '<figure><img src="/i.png"><figcaption>Old &amp; short</figcaption></figure>',
    ],
    ['[audio src="/a.mp3"]', '<figure><audio src="/a.mp3" controls></audio></figure>'],
    [
      '[audio https://b.example/a.mp3]',
      '<figure><audio src="https://b.example/a.mp3" controls></audio></figure>',
    ],
    [
      "[video mp4='/a.mp4' poster='/p.jpg'][/video]",
      '<figure><video src="/a.mp4" poster="/p.jpg" controls></video></figure>',
    ],
    ['[[gallery]] and [sic]', '<p>[gallery] and [sic]</p>'],
    ['<pre>[gallery] [x_y]</pre>', '<pre>[gallery] [x_y]</pre>'],
  ])('%s becomes %s', (raw, expected) => {
    expect(body(raw)).toMatchObject({ html: expected, losses: [] })
  })

  it('a gallery shows its pictures, and says how many are missing', () => {
    expect(body('[gallery columns="2" ids="4, 5,6"]')).toMatchObject({
      html: `${PIER}\n<figure><img src="https://b.example/boat.png" alt=""></figure>`,
      losses: ['images of a [gallery] are not in this import: 1 of 3'],
    })
    expect(html('[gallery]')).toBe('<figure><img src="https://b.example/boat.png" alt=""></figure>')
    expect(body('[gallery ids="9"]')).toMatchObject({
      html: '<p>[gallery ids="9"]</p>',
      losses: ['the content of the shortcode is not in this import: kept as text: [gallery]'],
    })
  })

  it('an embed, or a URL on its own line, is a link', () => {
    expect(
      body(
        '[embed width="1"]https://v.example/1[/embed]\n\nhttps://v.example/2?a=1&amp;b=2\n\na https://v.example/3',
      ),
    ).toMatchObject({
      html: '<p><a href="https://v.example/1">https://v.example/1</a></p>\n<p><a href="https://v.example/2?a=1&amp;b=2">https://v.example/2?a=1&amp;b=2</a></p>\n<p>a https://v.example/3</p>',
      losses: ['an embed becomes a link: v.example'],
    })
  })

  it.each(['[form to="x"]', '[vc_row]', '[box]a[/box]', 'a\n[slider]\nb', '[tag /]'])(
    '%j is left as text, and named',
    (raw) => {
      const { html, losses } = body(raw)
      const name = /\[(\w+)/.exec(raw)?.[1]
      expect(losses).toEqual([`the shortcode belongs to a plugin or theme: kept as text: [${name}]`])
      expect(html).toContain(`[${name}`)
    },
  )
})

describe('a rendered page of WordPress', () => {
  const rendered = (text: string) => {
    const { losses, ...rest } = renderedBodyOf(text)
    return { ...rest, losses: losses.map(lossText) }
  }

  it('has no parts that are rendered for each reader, and no forms, in its teaser too', () => {
    expect(
      rendered(
        '<p>a</p><div class="wp-block-calendar"><table><tr><td>1</td></tr></table></div><p><form><label>Name <input name="n"></label></form></p><p><!--more--></p><ul class="x wp-block-latest-posts"><li>b</li></ul><table id="wp-calendar"><tr><td>2</td></tr></table><p>c</p>',
      ),
    ).toEqual({
      html: '<p>a</p><p>c</p>',
      teaser: 'a',
      losses: [
        'a block that WordPress renders on each view is left out: calendar',
        'a form, which needs WordPress, is left out',
        'a block that WordPress renders on each view is left out: latest-posts',
      ],
    })
  })

  it('has unknown shortcodes named', () => {
    expect(rendered('<p>[slider id="3"] and [gallery] and [sic]</p>')).toMatchObject({
      html: '<p>[slider id="3"] and [gallery] and [sic]</p>',
      losses: ['the shortcode belongs to a plugin or theme: kept as text: [slider]'],
    })
  })
})

describe('parts of a post', () => {
  it('before <!--more--> are its teaser', () => {
    expect(body('a <b>b</b>\n\n<!--more Go on-->\n\nc')).toEqual({
      html: '<p>a <b>b</b></p>\n<p>c</p>',
      teaser: 'a b',
      losses: [],
    })
    expect(
      body(
        '<!-- wp:paragraph --><p>a</p><!-- /wp:paragraph --><!-- wp:more -->\n<!--more-->\n<!-- /wp:more --><p>b</p>',
      ),
    ).toMatchObject({
      teaser: 'a',
      html: '<p>a</p>\n<p>b</p>',
    })
  })

  it('on several pages are joined', () => {
    expect(body('a\n<!--nextpage-->\nb')).toMatchObject({
      html: '<p>a</p>\n<p>b</p>',
      losses: ['its pages are joined: 2'],
    })
  })

  it('that are not imported are named', () => {
    expect(
      body('<iframe src="https://m.example/"></iframe><script>x()</script><font>a</font>').losses,
    ).toEqual([
      'the styles of the site decide how text looks: font',
      'replaced by a link: <iframe>',
      'left out: <script>',
    ])
  })
})
