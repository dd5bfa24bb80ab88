/** https://squidfunk.github.io/mkdocs-material/reference/admonitions/, …/content-tabs/ */
import { describe, expect, it } from 'vitest'
import { convertMarkdown } from '../../../src/convert/convert.ts'

const html = (text: string) => convertMarkdown(text, { hasTitle: true }).html.replace(/\n+/g, '\n')

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
      'nested, with CR LF',
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

describe('a page of MkDocs', () => {
  const convert = (text: string, generator: string | null = 'mkdocs') =>
    convertMarkdown(text, { hasTitle: true, generator })

  it.each([
    ['marks of editors', 'a {++b++} {--c--}{~~d~>e~~} {==f==}{>>No!<<}.', '<p>a b e f.</p>'],
    ['an abbreviation', 'HTML\n\n*[HTML]: Hyper *Text*', '<p>HTML</p>'],
    ['a snippet', 'a\n\n--8<-- "file.md"\n\n--8<--\none.md\n--8<--\n\nb', '<p>a</p>\n<p>b</p>'],
    [
      'attributes',
      '[Go](/x){ .md-button title="b" } now\n\n{: .lead }\n\n## Two { #second .c }',
      '<p><a href="/x">Go</a> now</p>\n<h2 id="second">Two</h2>',
    ],
    ['formulas', '$\\sum_{i=1}^{n} {x=1}$ {a=b} {{ .x }}', '<p>$\\sum_{i=1}^{n} {x=1}$ {a=b} {{ .x }}</p>'],
    ['an icon', ':material-account-circle:{ .lg } a :smile:', '<p>a :smile:</p>'],
    [
      'keys',
      'Press ++ctrl+alt+"&"++. C++ and D++ i++a',
      '<p>Press <kbd>Ctrl</kbd>+<kbd>Alt</kbd>+<kbd>&amp;</kbd>. C++ and D++ i++a</p>',
    ],
    [
      'definitions',
      'a:\n: b\n\nTerm *x*\nOther\n\n:   One\n    more.\n\n    - Two\n\n:   Three\n\nLast\n:   Four\n\nEnd.',
      '<dl>\n<dt>\n<p>a:</p>\n</dt>\n<dd>\n<p>b</p>\n</dd>\n<dt>\n<p>Term <em>x</em></p>\n</dt>\n<dt>\n<p>Other</p>\n</dt>\n<dd>\n<p>One\nmore.</p>\n<ul>\n<li>Two</li>\n</ul>\n</dd>\n<dd>\n<p>Three</p>\n</dd>\n<dt>\n<p>Last</p>\n</dt>\n<dd>\n<p>Four</p>\n</dd>\n</dl>\n<p>End.</p>',
    ],
    ['a table of contents', '[TOC]\n\na', '<p>a</p>'],
    [
      'languages of code',
      '    :::python hl_lines="1"\n    a\n\n---\n\n    #!js\n    b\n\n---\n\n```\n#!/bin/sh\nc\n```',
      '<pre><code class="language-python">a\n</code></pre>\n<hr>\n<pre><code class="language-js">b\n</code></pre>\n<hr>\n<pre><code class="language-sh">#!/bin/sh\nc\n</code></pre>',
    ],
    [
      'in code',
      '`{++` {++a++} `++b++`\n\n```\n{>>c<<}\n--8<-- "d"\n```',
      '<p><code>{++</code> a <code>++b++</code></p>\n<pre><code>{>>c&#x3C;&#x3C;}\n--8&#x3C;-- "d"\n</code></pre>',
    ],
  ])('has %s', (_, text, expected) => {
    expect(convert(text).html.replace(/\n+/g, '\n').replaceAll('&lt;', '&#x3C;')).toBe(expected)
  })

  it('names everything that is left out', () => {
    const { losses } = convert('a{--b--}{>>c<<} :octicons-x-16:\n\n*[D]: e\n\n--8<-- "f"\n\n[TOC]')
    expect(losses.map(({ reason, detail }) => `${reason}: ${detail}`)).toEqual([
      'left out: {--b--}',
      'a comment is left out: {>>c<<}',
      'left out: :octicons-x-16:',
      'left out: *[D]: e',
      'left out: --8<-- "f"',
      'left out: [TOC]',
    ])
  })

  it('is parsed this way in no other folder', () => {
    const text = '++a++ {==b==} :material-c: d\n: e\n\n[TOC]'
    expect(convert(text, null).html).toBe('<p>++a++ {==b==} :material-c: d\n: e</p>\n<p>[TOC]</p>')
  })
})

describe('a page of Jekyll', () => {
  it('has attributes behind a word', () => {
    const of = (generator: string | null) =>
      convertMarkdown('Go now{:.btn} {:x}', { hasTitle: true, generator }).html
    expect(of('jekyll')).toBe('<p>Go now {:x}</p>')
    expect(of(null)).toBe('<p>Go now{:.btn} {:x}</p>')
  })
})
