/** https://www.mkdocs.org/user-guide/configuration/, https://docs.getpelican.com/en/latest/content.html */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

describe('a folder that Hugo mounts as its content', () => {
  itImports(
    {
      'hugo.yaml': ['languages: { de: { contentDir: inhalt } }'],
      'inhalt/a/index.md': ['---\ntitle: A\n---\na', { status: 'published', redirects: ['/inhalt/a/'] }],
      'inhalt/a/two.md': [
        '---\ntitle: Two\n---\nb',
        {
          status: 'draft',
          losses: ['status: part of a page bundle, without a page of its own: imported as a draft'],
        },
      ],
    },
    { dir: 'inhalt' },
  )
})

describe('a folder of Pelican', () => {
  itImports(
    {
      'pelicanconf.py': ["AUTHOR = 'A'\nPATH = 'text'"],
      'text/a.md': [
        'Title: A\nDate: 2024-05-06\n\n[TOC]\n\n[b]({filename}sub/b.md#x) [c]({filename}/c.md) ![d]({static}/images/d.png) <a href="|filename|c.md">e</a>\n\n    :::python\n    f',
        {
          html: '<p><a href="https://n.example/blog/b#x">b</a> <a href="https://n.example/blog/c">c</a> <img src="/images/d.png" alt="d"> <a href="https://n.example/blog/c">e</a></p>\n<pre><code class="language-python">f\n</code></pre>',
          losses: ['contentHtml: left out: [TOC]'],
        },
      ],
      'text/h.html': [
        '<!DOCTYPE html>\n<html>\n<head>\n<title>H &amp; co</title>\n<meta charset="utf-8">\n<meta name="viewport" content="x">\n<meta name="date" content="2024-05-07 10:00" />\n<meta name="tags" content="a, b" />\n</head>\n<body class="x">\n<p>Body</p>\n</body>\n</html>',
        { title: 'H & co', date: '2024-05-07T10:00:00.000Z', tags: ['a', 'b'], html: '<p>Body</p>' },
      ],
      'text/n.html': [
        '<!--\n.. title: N\n.. date: 2024-05-08\n-->\n<p>Body</p>',
        { title: 'N', date: '2024-05-08T00:00:00.000Z', html: '<p>Body</p>' },
      ],
      'text/plain.html': ['<p>Body</p>', { skipped: 'HTML without metadata' }],
      'text/sub/b.md': ['Title: B\nDate: 2024-05-06\n\nb', { slug: 'b' }],
      'text/c.md': ['Title: C\nDate: 2024-05-06\n\nc', { slug: 'c' }],
    },
    { dir: 'text' },
  )
})

describe('a site of MkDocs', () => {
  itImports({
    'mkdocs.yml': ['site_name: T'],
    'docs/post.md': [
      '---\ntitle: Post\ndate:\n  created: 2023-12-31\n  updated: 2024-01-02\n---\nText.',
      { date: '2023-12-31T00:00:00.000Z', modified: '2024-01-02T00:00:00.000Z', html: '<p>Text.</p>' },
    ],
  })
})
