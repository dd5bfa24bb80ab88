/** `PIECES_SEED` repeats a run. */
import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import remarkGfm from 'remark-gfm'
import { unified } from 'unified'
import { describe, expect, it } from 'vitest'
import { readContainers } from '../../../src/convert/alerts.ts'
import { convertMarkdown } from '../../../src/convert/convert.ts'
import { constructsNotIn } from '../../../src/convert/gfm.ts'
import { parsePieces, startsIn } from '../../../src/convert/parse.ts'
import { type TreeNode, walk } from '../../../src/convert/tree.ts'

const SEED = Number(process.env.PIECES_SEED ?? Math.floor(Math.random() * 2 ** 31))
const gfm = unified().use(remarkGfm).use(readContainers).freeze()
const OPTIONS = {
  extensions: gfm.data('micromarkExtensions') ?? [],
  mdastExtensions: gfm.data('fromMarkdownExtensions') ?? [],
}

const LINES = [
  ...['', '', '', '# A', '## B', '#', '#no', ' # C', '    # D', '> # E', '- # F', 'text', 'text\\'],
  ...['```', '```js', '``` a`b', '~~~', '````', '  ```', '    ```', '> ```', '- ```', '1. ~~~', '\t```'],
  ...['- a', '  b', '* ', '1. ', '> q', 'lazy', '    code', '---', '===', '| a | b |', '|---|---|'],
  ...['- b', '- c', '* d', '* e', '- - -', '- ---', '- - f', '-   g', '  * h', '- [ ] i', '- # j', '- > k'],
  ...[
    '[two',
    'lines]: /z',
    'Error [E]: x',
    '- \\[[l](/m)] {[n]: 1}',
    '> [o]: /p',
    '<https://q.example>',
    '[r]\\',
    ']: /s',
  ],
  ...[
    '<div>',
    '</div>',
    '<!--',
    '-->',
    '<pre>',
    '<?x',
    '- <script>',
    '&lt;',
    '[x]',
    '[x]: /y',
    '[^n]',
    '[^n]: note',
    '    more',
  ],
  ...[
    ':::note',
    ':::tip[T]',
    '::::note',
    ':::',
    '::::',
    '  :::note',
    '    :::note',
    '> :::note',
    '- :::note',
    'a:::b',
  ],
  ...['> [!note] T', '>', '%%', '%% c', 'c %%', '^id', 'text ^id', '[[a]]', '==a=='],
]

function plain(tree: TreeNode): TreeNode {
  tree.position = undefined
  walk(tree, (node) => {
    node.position = undefined
  })
  return tree
}

describe('a text that is parsed in pieces', () => {
  it('has the same tree as in one piece, whatever it contains', () => {
    const text = fc
      .array(fc.tuple(fc.constantFrom(...LINES), fc.constantFrom('\n', '\n', '\n\n', '\r\n', '\r', '\u2028')))
      .map((lines) => lines.flat().join(''))
    fc.assert(
      fc.property(text, (written) => {
        const whole = plain(fromMarkdown(written, OPTIONS) as TreeNode)
        expect(plain(parsePieces(written, OPTIONS, 1) as TreeNode).children).toEqual(whole.children)
      }),
      { seed: SEED, numRuns: 500 },
    )
  })

  it.each([
    ['# A\n\na\n\n# B\n\n## C\n\n# D', 3, [0, 8, 13, 19]],
    ['# A\n\n```\n\n# no\n\n```\n\n# B', 3, [0, 21]],
    ['# A\n\n# B', 100, [0]],
    ['Error [E]: a\n\n# B', 1, [0, 14]],
    ['<https://a.example>\n\n# B', 1, [0, 21]],
    ['~~~\u2028\n\n# no', 1, [0]],
    ['- a\n- b\n* c\n* d\n- - -\n\n- e\n- f', 1, [0, 4, 12, 27]],
  ])('%j starts a new piece at its headings and items', (text, length, starts) => {
    expect(startsIn(text, length)).toEqual(starts)
  })

  it.each([
    '[a]: /b\n\n# B',
    '- [a\n  b]: /c\n\n# B',
    '<div>\n```\n</div>\n\n```\n# no\n\n# no',
    '- ```\n\n# B',
    ':::note\n\n# B\n\n:::',
    '> :::tip\n\n# B',
    '\ufeff```\n\n# no',
  ])('%j stays one piece', (text) => {
    expect(startsIn(text, 1)).toEqual([0])
  })

  it('keeps its links and footnotes', () => {
    const filler = `word `.repeat(2_000)
    const text = Array.from({ length: 10 }, (_, i) => `# H${i}\n\n[a] [^n] ${filler}`).join('\n\n')
    const { html } = convertMarkdown(`${text}\n\n# End\n\n[a]: /b\n[^n]: note`, { hasTitle: true })
    expect(html.match(/<a href="\/b">a<\/a>/g)).toHaveLength(10)
    expect(html.match(/data-footnote-ref/g)).toHaveLength(10)
  })
})

describe('a long note', () => {
  const filler = `${'word '.repeat(400)}\n\n`.repeat(5)
  const whole = '\n\n[unused]: /so-that-it-is-one-piece\n'

  it.each<[string, string[], found: string]>([
    ['an admonition', [':::note T\n\n', '# B\n\n', '# C\n\n:::\n\n', '# D\n\n'], '<aside class="note">'],
    [
      'a nested one',
      ['::::tip\n\n', ':::note\n\n# B\n\n', ':::\n\n# C\n\n', '::::\n\n# D\n\n'],
      'class="note"',
    ],
    ['an unclosed one', [':::note\n\n', '# B\n\n', '# C\n\n', '# D\n\n'], '<aside class="note">'],
    ['a comment', ['%%\n\n', '# B\n\n', '# C\n\n%%\n\n', '# D\n\n'], '<h1 id="d">'],
    [
      'a callout',
      ['> [!note] T\n> a\n>\n> # B\n\n', '# C\n\n', '> [!tip]\n> ', '# D\n\n'],
      '<aside class="tip">',
    ],
    ['ids of blocks', ['a ^id\n\n', '# B ^id-2\n\n', '# C\n\n^id-3\n\n', '# D\n\n'], '<h1 id="b">'],
  ])('with %s is the same in pieces', (_, parts, found) => {
    const text = `# A\n\n${parts.join(filler)}`
    const options = { hasTitle: true, isNote: true }
    const inPieces = convertMarkdown(text, options)
    expect(inPieces).toEqual(convertMarkdown(text + whole, options))
    expect(inPieces.html).toContain(found)
  })
})

describe('constructs that a text cannot have', () => {
  it.each([
    ['a | b', 'table'],
    ['me.too@example.org', 'emailAutolink'],
    ['[^a]', 'gfmFootnoteCall'],
    ['- [ ] a', 'tasklistCheck'],
    ['- [X] a', 'tasklistCheck'],
    ['~a~', 'strikethrough'],
    ['[[a]]', 'obsidianLink'],
  ])('%j may have a %s', (text, name) => {
    expect(constructsNotIn(text)).not.toContain(name)
  })

  it('are skipped', () => {
    expect(constructsNotIn('[a](/b) @you *c*')).toHaveLength(8)
  })
})
