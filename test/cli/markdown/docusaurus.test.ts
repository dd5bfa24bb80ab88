/** https://docusaurus.io/docs/api/plugins/@docusaurus/plugin-content-docs, https://docusaurus.io/docs/markdown-features/admonitions */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`
const HIDDEN = 'status: its name or folder begins with "_", so it has no page: imported as a draft'

describe('a site of Docusaurus', () => {
  itImports({
    'docusaurus.config.ts': ['export default {}'],
    'sidebars.js': ['module.exports = {}'],
    'docs/_category_.json': ['{ "label": "Docs", "position": 1 }'],
    'docs/01-intro.md': [
      `---
id: intro
sidebar_position: 1
slug: /
last_update: { date: 2024-05-06, author: Ada }
---
import Tabs from '@theme/Tabs'
import Part from './_part.mdx'

# Introduction

<!-- not for readers -->

[deep](./02-guides/01-deep.md#here), [by address](/docs/guides/deep), [from the site](@site/blog/2024-01-02-hello/index.md)
and ![i](@site/static/img/i.png).

:::note

Mind *this*.

- one

:::

:::warning Of old

This.

:::

::::info[In *it*]
:::danger
that
:::
::::

:::custom
kept
:::

At 10:30 :smile: and a:b.

\`\`\`
:::note Title
{#id} <!-- c -->
\`\`\`

<Tabs>
  <p>{'literal'}</p>
</Tabs>

<Part />
`,
      {
        slug: 'intro',
        title: 'Introduction',
        modified: '2024-05-06T00:00:00.000Z',
        status: 'published',
        html: `<p><a href="https://n.example/blog/deep#here">deep</a>, <a href="https://n.example/blog/deep">by address</a>, <a href="https://n.example/blog/hello">from the site</a>
and <img src="@site/static/img/i.png" alt="i">.</p>
<aside class="note"><p><strong>Note</strong></p><p>Mind <em>this</em>.</p><ul>
<li>one</li>
</ul></aside>
<aside class="warning"><p><strong>Of old</strong></p><p>This.</p></aside>
<aside class="note"><p><strong>In <em>it</em></strong></p><aside class="caution"><p><strong>Danger</strong></p><p>that</p></aside></aside>
<div><p>kept</p></div>
<p>At 10:30 :smile: and a:b.</p>
<pre><code>:::note Title
{#id} &lt;!-- c -->
</code></pre>
<p>literal</p>`,
        losses: [
          'sidebar_position: posts have no such field',
          'last_update.author: posts have no such field',
          'contentHtml: left out, but its text is kept: <Part>',
          'contentHtml: left out, but its text is kept: <Tabs>',
          'contentHtml: left out, but its text is kept: :::custom',
        ],
      },
    ],
    'docs/02-guides/01-deep.md': [
      '## Deep {#here}\n\n{1 + 1}\n\n<p class="x">x</p>',
      {
        slug: 'deep',
        title: 'Deep',
        html: '<p>x</p>',
        losses: ['contentHtml: left out: {1 + 1}'],
      },
    ],
    'docs/02-guides/2024-01-02-dated.md': [post('title: Dated'), { slug: 'dated' }],
    'docs/02-guides/1.0-version.md': [post('title: Version'), { slug: '1.0-version' }],
    'docs/not-mdx.md': ['# Not MDX\n\na < b and {', { html: '<p>a &lt; b and {</p>' }],
    'docs/_part.mdx': [
      'A part.',
      {
        status: 'draft',
        title: 'Part',
        losses: ['title: it has no title: the name of its file is used: Part', HIDDEN],
      },
    ],
    'docs/unlisted.md': [
      post('title: U\nunlisted: true'),
      { status: 'draft', losses: ['status: unlisted, which is not supported here: imported as a draft'] },
    ],
    'versioned_docs/version-1.0/01-intro.md': [
      post('title: Introduction of 1.0\nid: intro'),
      {
        slug: 'version-1.0-intro',
        losses: [
          'slug: the slug is taken by another post or guide: intro by docs/01-intro.md: it is version-1.0-intro',
        ],
      },
    ],
    'i18n/fr/docusaurus-plugin-content-docs/current/01-intro.md': [
      post('title: Présentation'),
      { slug: 'intro-fr', language: 'fr', sourceSlug: 'intro' },
    ],
    'i18n/fr/docusaurus-plugin-content-docs/version-1.0/01-intro.md': [
      post('title: Présentation de 1.0'),
      {
        language: 'fr',
        sourceSlug: 'version-1.0-intro',
        losses: [
          'slug: the slug is taken by another post or guide: intro-fr by i18n/fr/docusaurus-plugin-content-docs/current/01-intro.md: it is version-1.0-intro-fr',
        ],
      },
    ],
    'blog/authors.yml': ['ada:\n  name: Ada Lovelace\n  title: Countess\n  url: https://ada.example\n'],
    'blog/2024-01-02-hello/index.md': [
      post(
        'title: Hello\nauthors: [ada, { name: Bob }]\ntags: [hola]\nslug: hello',
        'Before.\n\n{/* truncate */}\n\n![b](./b.png)',
      ),
      {
        slug: 'hello',
        date: '2024-01-02T00:00:00.000Z',
        tags: ['hola'],
        author: [
          { '@type': 'Person', name: 'Ada Lovelace', url: 'https://ada.example' },
          { '@type': 'Person', name: 'Bob' },
        ],
        html: '<p>Before.</p>\n<p><img src="./b.png" alt="b"></p>',
      },
    ],
    'i18n/fr/docusaurus-plugin-content-blog/2024-01-02-hello/index.md': [
      post('title: Bonjour\nauthors: ada'),
      { slug: 'hello-fr', sourceSlug: 'hello', date: '2024-01-02T00:00:00.000Z' },
    ],
    'src/pages/help.md': [post('title: Help'), { slug: 'help' }],
    'src/components/_hidden/x.mdx': [post('title: X'), { status: 'draft', losses: [HIDDEN] }],
  })
})
