import { describe, expect, it } from 'vitest'
import { convertMdx } from '../../../src/cli/markdown/convert-mdx.ts'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { cpuSeconds, LINEAR_SECONDS } from '../../support/cpu-time.ts'

const md = (text: string) => convertMarkdown(text, { hasTitle: true })
const mdx = (text: string) => convertMdx(text, { hasTitle: true })

const lossTexts = ({ losses }: { losses: { reason: string; detail: string }[] }) =>
  losses.map(({ reason, detail }) => `${detail} ${reason}`)

describe('Markdown', () => {
  it('makes GFM tables and task lists, and no other form fields', () => {
    const { html } = md('| a | b |\n|---|:-:|\n| 1 | ~~2~~ |\n\n- [x] a')
    expect(html).toContain('<th align="center">b</th>')
    expect(html).toContain('<td align="center"><del>2</del></td>')
    expect(html).toContain('<input type="checkbox" checked disabled>')
    expect(md('a <input type="text"> b').html).toBe('<p>a  b</p>')
    expect(lossTexts(md('a <input type="text"> b'))).toEqual(['<input> left out'])
  })

  it('keeps ids as written, so that in-page links work', () => {
    const { html } = md('<a id="part"></a> <a name="old">x</a>\n\n[to](#part)')
    expect(html).toContain('<a id="part"></a>')
    expect(html).toContain('<a name="old">')
    expect(html).toContain('<a href="#part">')
  })

  it('links footnotes both ways', () => {
    const { html, heading } = md('a[^1]\n\n[^1]: note')
    expect(html).toContain('href="#user-content-fn-1"')
    expect(html).toContain('id="user-content-fn-1"')
    expect(heading).toBeNull()
  })

  it('finds the first heading, in HTML too', () => {
    expect(md('text\n\n## The *first* `one`\n\n# second').heading).toBe('The first one')
    expect(md('<h1>In <b>HTML</b></h1>').heading).toBe('In HTML')
  })
})

describe('raw HTML', () => {
  it('removes scripts and styles with their content', () => {
    const { html } = md(
      '<script>alert(1)</script>\n\nkept\n\n<style>p { color: red }</style>\n\n<p>a<script>b</script>c</p>',
    )
    expect(html).not.toMatch(/alert|color|script|style|b/)
    expect(html).toContain('kept')
    expect(html).toContain('<p>ac</p>')
  })

  it.each([
    '<p onclick="evil()">x</p>',
    '<a href="javascript:evil()">x</a>',
    '<a href=" java&#9;script:evil()">x</a>',
    '[x](javascript:evil())',
    '[x](vbscript:evil())',
    '<img src=x onerror=evil()>',
    '<svg onload=evil()><script>evil()</script></svg>',
    '<math><annotation-xml encoding="text/html"><script>evil()</script></annotation-xml></math>',
    '<iframe srcdoc="<script>evil()</script>"></iframe>',
    '<video poster="javascript:evil()" src="javascript:evil()">x</video>',
    '<form action="javascript:evil()"><button formaction="javascript:evil()">x</button></form>',
    '<div style="background:url(javascript:evil())">x</div>',
    '<base href="https://evil.example/"><meta http-equiv=refresh content="0;url=https://evil()">',
  ])('cannot run anything: %s', (text) => {
    expect(md(text).html).not.toContain('evil')
  })

  it('keeps embedded images, but no other data URLs', () => {
    expect(md('![a](data:image/png;base64,AA==)').html).toContain('src="data:image/png;base64,AA=="')
    expect(md('![a](data:image/svg+xml;base64,AA==)').html).toBe('<p><img alt="a"></p>')
    expect(md('<video src="data:text/html,x"></video>').html).not.toContain('data:')
  })

  it('reports components and embeds, and keeps the text of components', () => {
    const { html, ...converted } = md(
      '<AlertBox>\n\nkept **text**\n\n</AlertBox>\n\nvector<T> <BR> <Table></Table>\n\n<iframe src="https://a.example"></iframe>',
    )
    expect(lossTexts(converted)).toEqual([
      '<AlertBox> left out, but its text is kept',
      '<iframe> left out',
      '<T> kept as text',
    ])
    expect(html).toContain('<p>kept <strong>text</strong></p>')
    expect(html).toContain('vector&lt;T>')
    expect(html).not.toMatch(/alertbox|iframe/i)
  })

  it('does not report tags in code or comments', () => {
    expect(md('`<Foo>` <!-- <Bar/> -->\n\n```\n<Baz/>\n```').losses).toEqual([])
  })
})

describe('MDX', () => {
  it('drops components, reports them and keeps their text', () => {
    const { html, ...converted } = mdx(
      '<AlertBox level="info">\n  keep *this*\n</AlertBox>\n\n<Foo.Bar>and this</Foo.Bar> <Self />',
    )
    expect(lossTexts(converted)).toEqual(
      ['AlertBox', 'Foo.Bar', 'Self'].map((name) => `<${name}> left out, but its text is kept`),
    )
    expect(html).toBe('<p>keep <em>this</em></p>\n<p>and this </p>')
  })

  it('keeps elements of HTML with their literal attributes', () => {
    const { html } = mdx(
      '<div id="a" title={"b"} className="c" style={{ color: 1 }} {...rest}>in</div>\n\na <kbd>K</kbd>',
    )
    expect(html).toBe('<div id="a" title="b">in</div>\n<p>a <kbd>K</kbd></p>')
  })

  it('drops imports, exports and expressions, reports the expressions and keeps literals', () => {
    const { html, ...converted } = mdx(
      'import A from "a"\n\nexport const b = 1\n\nx{" "}y {1 + b} {`z`} {/* no */}{null}\n\n{b}',
    )
    expect(html).toBe('<p>x y  z </p>')
    expect(lossTexts(converted)).toEqual(['{1 + b} left out', '{b} left out'])
  })

  it('reports attributes whose value is an expression, if a body would keep them', () => {
    const { html, ...converted } = mdx(
      `<img src={logo} alt="a" {...rest} width={3} style={{ a: 1 }} />\n\n{list.map((each) =>\n  ${'x'.repeat(60)})}`,
    )
    expect(html).toBe('<img alt="a" width="3">')
    const list = `{list.map((each) => ${'x'.repeat(41)}…}`
    expect(lossTexts(converted)).toEqual(
      ['src={logo}', list, '{...rest}'].map((each) => `${each} left out`).sort(),
    )
  })

  it('sanitizes as in Markdown', () => {
    const { html } = mdx('<a href="javascript:evil()" onClick="evil()">x</a>\n\n<script>evil()</script>')
    expect(html).not.toContain('evil')
  })

  it('refuses invalid MDX, in one line', () => {
    expect(() => mdx('a { b')).toThrow(/^Unexpected end of file in expression/)
    expect(() => mdx('<Foo>\n\ntext')).toThrow(/^Expected a closing tag for `<Foo>`/)
  })
})

describe("GitHub's alerts", () => {
  it('become asides of their kind', () => {
    expect(md('> [!WARNING]\n> Mind *this*.\n>\n> More.').html).toBe(
      '<aside class="warning">\n<p><strong>Warning</strong></p>\n<p>Mind <em>this</em>.</p>\n<p>More.</p>\n</aside>',
    )
    expect(md('> [!note]\n>\n> - a').html).toMatch(
      /^<aside class="note">\n<p><strong>Note<\/strong><\/p>\n<ul>/,
    )
  })

  it('do not include other quotes', () => {
    expect(md('> [!HUH]\n> x').html).toMatch(/^<blockquote>\n<p>\[!HUH\]/)
    expect(md('> a [!NOTE]').html).toMatch(/^<blockquote>/)
    expect(md('<aside class="evil note" onclick="x">a</aside>').html).toBe('<aside class="note">a</aside>')
  })
})

describe('shortcodes', () => {
  it('are named and left out, and their text is kept', () => {
    const { html, ...converted } = md(
      'a {{< gist src="x" >}} b\n\n{{% notice %}}\nkept **text**\n{{% /notice %}}\n\n{% include x.html %}\n\n{{ site.url }}',
    )
    expect(html).toBe('<p>a  b</p>\n<p>kept <strong>text</strong></p>\n<p>{{ site.url }}</p>')
    expect(lossTexts(converted)).toEqual([
      '{{< gist >}} left out, but its text is kept',
      '{{% notice %}} left out, but its text is kept',
      '{% include %} left out, but its text is kept',
      '{{ site.url }} kept as text',
    ])
  })

  it('are code inside code', () => {
    const text = '`{{< a >}}`\n\n```\n{% b %}\n{{ c }}\n```\n\n    {{% d %}}'
    const { html, ...converted } = md(text)
    for (const part of ['{{&#x3C; a >}}', '{% b %}', '{{ c }}', '{{% d %}}'])
      expect(html.replaceAll('&lt;', '&#x3C;')).toContain(part)
    expect(lossTexts(converted)).toEqual([])
  })

  it('that hold code become code', () => {
    const { html, ...converted } = md(
      '{{< highlight go "x=1" >}}\na < *b*\n{{< /highlight >}}\n\n{% highlight js %}\n```c\n{% endhighlight %}',
    )
    expect(html).toBe(
      '<pre><code class="language-go">a &lt; *b*\n</code></pre>\n<pre><code class="language-js">```c\n</code></pre>',
    )
    expect(lossTexts(converted)).toEqual([])
  })

  it('that are comments, or escape other shortcodes, lose nothing', () => {
    const { html, ...converted } = md('a{% comment %}b{% endcomment %}{% raw %}c{% endraw %} {{</* d */>}}')
    expect(html).toBe('<p>ac {{&lt; d >}}</p>')
    expect(lossTexts(converted)).toEqual([])
  })
})

describe('deep nesting is refused without a crash', () => {
  it.each([
    ['quotes', `${'>'.repeat(10_000)} x`, convertMarkdown],
    ['lists', '* + - '.repeat(3_400), convertMarkdown],
    ['numbered lists in quotes', `${'> 1. '.repeat(4_000)}x`, convertMarkdown],
    ['footnotes', `${'[^a]: '.repeat(3_400)}x`, convertMarkdown],
    ['elements', '<div>'.repeat(20_000), convertMarkdown],
    ['inline elements', '<b id=c>'.repeat(20_000), convertMarkdown],
    ['JSX', `${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}`, convertMdx],
  ] as const)('%s', (_, text, convert) => {
    expect(() => convert(text, { hasTitle: true })).toThrow(/nested too deeply/)
  })
})

describe('text that looks like deep nesting is kept', () => {
  const quotes = '>'.repeat(300)
  const items = '- '.repeat(300)

  it.each([
    ['in a fence', `\`\`\`\n${quotes}\n${items}x\n\`\`\`\n`],
    ['in a fence of tildes in a list', `- ~~~\n  ${quotes}\n  ~~~\n`],
    ['in a fence in a quote', `> \`\`\`\n> ${quotes}\n> \`\`\`\n`],
    ['in indented code', `a\n\n    ${quotes}\n`],
    ['in indented code of a list', `- a\n\n      ${quotes}\n`],
    ['in a comment', `<!--\n${quotes}\n-->\n`],
    ['in raw HTML', `<pre>\n${quotes}\n</pre>\n`],
  ])('%s', (_, text) => {
    expect(md(`a\n\n${text}\n\nthe end`).html).toContain('<p>the end</p>')
  })

  it('but not after a fence, or in a list next to it', () => {
    const refused = /nested too deeply/
    expect(() => md(`\`\`\`\nx\n\`\`\`\n${quotes}`)).toThrow(refused)
    expect(() => md(`- \`\`\`\n${quotes}`)).toThrow(refused)
    expect(() => md(`    x\n\n${quotes}`)).toThrow(refused)
    expect(() => md(`${'- '.repeat(150)}a\n${'  '.repeat(150)}${'> '.repeat(150)}b`)).toThrow(refused)
  })

  it.each([
    ['on one line', '>'.repeat(20_000)],
    ['on many lines', `${'>'.repeat(300)}\n`.repeat(70)],
    ['behind code', `\`\`\`\n${'> '.repeat(1_000)}\n\`\`\`\n${'> '.repeat(9_000)}`],
  ])('and deep quotes %s are refused in linear time', (_, text) => {
    const work = () => expect(() => md(text)).toThrow(/nested too deeply/)
    expect(cpuSeconds(work)).toBeLessThan(LINEAR_SECONDS)
  })
})

describe('a table', () => {
  const row = (cell: string, columns: number) => `|${cell.repeat(columns)}\n`

  it('of 20 KB that would have millions of cells is refused', () => {
    const table = row('a|', 2_500) + row('-|', 2_500) + 'a\n'.repeat(5_000)
    expect(() => md(table)).toThrow('its tables have more than 100,000 cells')
  })

  it('of a thousand rows is kept', () => {
    const { html } = md(row('a|', 20) + row('-|', 20) + row('a|', 20).repeat(1_000))
    expect(html.match(/<td>/g)).toHaveLength(20_000)
  })
})

it('a line of many marks does not count as nesting', () => {
  expect(md(`${'- '.repeat(300)}\n\n${'* '.repeat(300)}`).html).toBe('<hr>\n<hr>')
})

describe('headings', () => {
  it('have the ids that GitHub gives them', () => {
    const { html } = md('[down](#whats-new-in-2)\n\n## What’s new in `2`?\n\n## What’s new in `2`?')
    expect(html).toContain('<a href="#whats-new-in-2">')
    expect(html).toContain('<h2 id="whats-new-in-2">')
    expect(html).toContain('<h2 id="whats-new-in-2-1">')
  })
})
