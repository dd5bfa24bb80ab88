/** https://www.11ty.dev/docs/data-cascade/, https://www.11ty.dev/docs/permalinks/, https://www.11ty.dev/docs/dates/ */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`

describe('a project of Eleventy', () => {
  itImports({
    'eleventy.config.js': ['export default () => {}'],
    '_includes/base.njk': [post('x: 1', '{{ content }}')],
    '_data/metadata.json': ['{ "title": "Blog" }'],
    'posts/posts.json': [
      '{ "tags": "posts", "author": "Ada", "permalink": "/writing/{{ page.fileSlug }}/", "layout": "post" }',
    ],
    'posts/first.md': [
      post(
        'title: First\ntags: [a b, c]\ndate: 2024-05-06',
        '{# not for readers #}A {{ title }} and [two]({{ "/writing/two/" | url }}).\n\n{% set x = 1 %}\n\n`{# code #}`',
      ),
      {
        slug: 'first',
        tags: ['posts', 'a b', 'c'],
        author: { '@type': 'Person', name: 'Ada' },
        date: '2024-05-06T00:00:00.000Z',
        html: '<p>A {{ title }} and <a href="https://n.example/blog/two">two</a>.</p>\n<p><code>{# code #}</code></p>',
        losses: [
          'contentHtml: a comment is left out: {# not for readers #}',
          'contentHtml: left out, but its text is kept: {% set %}',
          'contentHtml: kept as text: {{ title }}',
        ],
        redirects: ['/writing/first/'],
      },
    ],
    'posts/2018-01-01-two.md': [
      post('title: Two\ntags: post\nauthor: Bob'),
      {
        slug: 'two',
        date: '2018-01-01T00:00:00.000Z',
        tags: ['posts', 'post'],
        author: { '@type': 'Person', name: 'Bob' },
        redirects: ['/writing/two/'],
      },
    ],
    'posts/deep/deep.11tydata.json': ['{ "draft": true, "tags": ["deep"] }'],
    'posts/deep/a.md': [
      post('title: A'),
      {
        status: 'draft',
        tags: ['posts', 'deep'],
        losses: ['status: marked as a draft: imported as a draft'],
        redirects: ['/writing/a/'],
      },
    ],
    'posts/three.json': ['{ "draft": true }'],
    'posts/three.md': [
      post('title: Three\npermalink: three.html\neleventyNavigation: { key: 3 }'),
      {
        status: 'draft',
        slug: 'three',
        losses: [
          'eleventyNavigation: posts have no such field',
          'status: marked as a draft: imported as a draft',
        ],
        redirects: ['/three.html'],
      },
    ],
    'posts/modified.md': [
      post('title: M\ndate: git Last Modified\npermalink: "/{{ title | slugify }}/"'),
      {
        date: undefined,
        losses: [
          'date: its value cannot be read, or another field with that meaning is used',
          'permalink: its value cannot be read, or another field with that meaning is used',
        ],
      },
    ],
    'part.md': [
      post('title: Part\npermalink: false'),
      {
        status: 'draft',
        losses: ['status: the generator builds no page for it: imported as a draft'],
      },
    ],
    '_about.md': [post('title: About'), { slug: '_about', status: 'published' }],
    'index.njk': [post('title: Home'), { skipped: 'neither Markdown nor HTML' }],
    'feed.njk': ['{{ feed }}'],
    'contact.html': [post('title: Contact', '<p>x</p>'), { html: '<p>x</p>' }],
  })
})
