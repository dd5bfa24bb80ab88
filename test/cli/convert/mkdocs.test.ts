/** https://squidfunk.github.io/mkdocs-material/reference/admonitions/, …/content-tabs/ */
import { describe, expect, it } from 'vitest'
import { convertMarkdown } from '../../../src/cli/convert/convert.ts'

const html = (text: string) => convertMarkdown(text, 'md', { titled: true }).html.replace(/\n+/g, '\n')

describe('a block of MkDocs', () => {
  it.each([
    [
      'an admonition',
      '!!! note "Be *careful*"\n\n    The **hint**.\n\n    - item\n\nAfter.',
      '<aside class="note">\n<p><strong>Be <em>careful</em></strong></p>\n<p>The <strong>hint</strong>.</p>\n<ul>\n<li>item</li>\n</ul>\n</aside>\n<p>After.</p>',
    ],
    [
      'without a title or a blank line',
      '!!! danger\n    One.\nTwo.',
      '<aside class="caution">\n<p><strong>Danger</strong></p>\n<p>One.</p>\n</aside>\n<p>Two.</p>',
    ],
    [
      'with an empty title, inline',
      '!!! my-kind inline end ""\n\n    One.',
      '<aside class="note">\n<p>One.</p>\n</aside>',
    ],
    [
      'details',
      '??? tip\n\n    One.\n\n???+ "x"\n\n    Text.\n\n???+ bug "Open"\n    Two.',
      '<details>\n<summary>Tip</summary>\n<p>One.</p>\n</details>\n<p>???+ “x”</p>\n<pre><code>Text.\n</code></pre>\n<details open>\n<summary>Open</summary>\n<p>Two.</p>\n</details>'.replace(
        /[“”]/g,
        '"',
      ),
    ],
    [
      'tabs',
      '=== "One"\n\n    ```sh\n    one\n    ```\n\n=== "Two"\n\n    Text.\n',
      '<p><strong>One</strong></p>\n<pre><code class="language-sh">one\n</code></pre>\n<p><strong>Two</strong></p>\n<p>Text.</p>',
    ],
    [
      'in one another, with CR LF',
      '!!! note\n\n    === "One"\n\n        Deep.\n\n        ??? tip "T"\n            Deeper.\n'.replaceAll(
        '\n',
        '\r\n',
      ),
      '<aside class="note">\n<p><strong>Note</strong></p>\n<p><strong>One</strong></p>\n<p>Deep.</p>\n<details>\n<summary>T</summary>\n<p>Deeper.</p>\n</details>\n</aside>',
    ],
    [
      'in a list',
      '1. One\n\n    !!! warning\n\n        Text.\n\n2. Two',
      '<ol>\n<li>\n<p>One</p>\n <aside class="warning">\n<p><strong>Warning</strong></p>\n<p>Text.</p>\n </aside>\n</li>\n<li>\n<p>Two</p>\n</li>\n</ol>',
    ],
    [
      'indented by tabs',
      '!!! note\n\tOne.\n\n\tTwo.',
      '<aside class="note">\n<p><strong>Note</strong></p>\n<p>One.</p>\n<p>Two.</p>\n</aside>',
    ],
    ['in code', '```\n!!! note\n\n    Text.\n```', '<pre><code>!!! note\n    Text.\n</code></pre>'],
    ['prose', '!!! Important !!!\n\nText.', '<p>!!! Important !!!</p>\n<p>Text.</p>'],
    ['a heading', 'Title\n=====\n\nText.', '<h1 id="title">Title</h1>\n<p>Text.</p>'],
  ])('%s', (_, text, expected) => {
    expect(html(text)).toBe(expected)
  })
})
