import { describe, expect, it } from 'vitest'
import { convertMdx } from '../../../src/cli/markdown/convert-mdx.ts'
import { convertMarkdown } from '../../../src/convert/convert.ts'

describe('the class of a code block', () => {
  it.each([
    ['js', 'js'],
    ['diff-js', 'diff-js'],
    ['c++', 'c++'],
    ['C#', 'C#'],
    ['objective-c', 'objective-c'],
    ['asp.net', 'asp.net'],
    ['text/x-java', 'text/x-java'],
    ['js{1,3-4}:line-numbers', 'js'],
    ['js{1,3-4}', 'js'],
    ['js {1,3-4}', 'js'],
    ['js{numberLines: true}', 'js'],
    ['ts:src/a.ts', 'ts'],
    ['diff:src/a.ts', 'diff'],
    ['js:no-line-numbers', 'js'],
    ['ts twoslash', 'ts'],
    ['ts title="a b.ts" {1}', 'ts'],
    ['js[a.js]', 'js'],
    ['js [a.js]', 'js'],
    ['rust,no_run', 'rust'],
    ['js=', 'js'],
    ['js=12', 'js'],
    ['js!', 'js'],
    ['sh|pure', 'sh'],
    ['vue-html;a', 'vue-html'],
    ['.python', 'python'],
    ['{.python .numberLines}', 'python'],
    ['{ .python }', 'python'],
    ['{#id .python startFrom="10"}', 'python'],
    ['{r, echo=FALSE, fig.width=3}', 'r'],
    ['{python}', 'python'],
    ['{=html}', 'html'],
    ['{code-block} python', 'python'],
    ['{1,2}', undefined],
    ['{numberLines: true}', undefined],
    ['title="a.js"', undefined],
    [':a.js', undefined],
  ])('of %j is only the language: %s', (info, language) => {
    for (const convert of [convertMarkdown, convertMdx]) {
      for (const fence of ['```', '~~~~']) {
        const { html, losses } = convert(`${fence}${info}\nx\n${fence}`, { hasTitle: true })
        const attribute = language ? ` class="language-${language}"` : ''
        expect(html).toBe(`<pre><code${attribute}>x\n</code></pre>`)
        const isNamed = info !== language
        expect(losses).toEqual(
          isNamed ? [{ reason: 'options of a code block are left out', detail: info }] : [],
        )
      }
    }
  })
})
