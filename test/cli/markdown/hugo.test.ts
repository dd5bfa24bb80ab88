/** https://gohugo.io/content-management/ */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`

describe('a project of Hugo', () => {
  itImports({
    'hugo.toml': [
      `baseURL = "https://blog.example.com/journal/"
defaultContentLanguage = "en"
[languages.en]
[languages.fr]
[permalinks]
notes = "/:year/:month/:slug/"`,
    ],
    'archetypes/default.md': ['---\ntitle: "{{ .Name }}"\ndraft: true\n---\n'],
    'layouts/_default/single.html': ['---\n---\n{{ .Content }}'],
    'data/authors.yaml': ['ada: { name: Ada }'],
    'themes/plain/README.md': ['# Plain'],
    'content/_index.md': [post('title: Home'), { skipped: 'a section page of Hugo, not a post' }],
    'content/posts/_index.md': [
      post('title: Posts\ncascade:\n  author: Ada\n  params: { toc: true }'),
      { skipped: 'a section page of Hugo, not a post' },
    ],
    'content/posts/first.md': [
      '+++\ntitle = "First: the \\"one\\""\ndate = 2024-05-06T07:08:09+02:00\nlastmod = 2024-06-01\ntags = ["a b", "C"]\ncategories = ["News"]\naliases = ["/2019/first/", "older/", "../very-old.html"]\n+++\nSee [trip]({{< relref "trip#day-2" >}}), [deep]({{< ref "/notes/deep" >}}) and ![b](/img/b.png).\n\n{{< figure src="boat.png" caption="A boat" >}}\n\n{{% notice warning %}}\nMind *this*.\n{{% /notice %}}\n\n`{{< x >}}`',
      {
        slug: 'first',
        title: 'First: the "one"',
        date: '2024-05-06T05:08:09.000Z',
        modified: '2024-06-01T00:00:00.000Z',
        status: 'published',
        tags: ['a b', 'C'],
        section: 'News',
        author: { '@type': 'Person', name: 'Ada' },
        html: '<p>See <a href="https://n.example/blog/Grand-Tour#day-2">trip</a>, <a href="https://n.example/blog/deep">deep</a> and <img src="/img/b.png" alt="b">.</p>\n<figure><img src="boat.png" alt="A boat"><figcaption>A boat</figcaption></figure>\n<p>Mind <em>this</em>.</p>\n<p><code>{{&lt; x >}}</code></p>',
        losses: ['contentHtml: left out, but its text is kept: {{% notice %}}'],
        redirects: [
          '/journal/posts/first/',
          '/journal/2019/first/',
          '/journal/posts/older/',
          '/journal/very-old.html',
        ],
      },
    ],
    'content/posts/first.fr.md': [
      post('title: Premier\naliases: [vieux]', '[a]({{< ref "/posts/first" >}}) [b](/posts/first/)'),
      {
        slug: 'first-fr',
        html: '<p><a href="https://n.example/fr/blog/first-fr">a</a> <a href="https://n.example/blog/first">b</a></p>',
        language: 'fr',
        sourceSlug: 'first',
        redirects: ['/journal/fr/posts/first/', '/journal/fr/posts/vieux'],
      },
    ],
    'content/posts/v1.no.md': [
      post('title: Not Norwegian'),
      { slug: 'v1.no', language: 'en', redirects: ['/journal/posts/v1.no/'] },
    ],
    'content/posts/trip/index.md': [
      post('title: Trip\nslug: Grand Tour\nauthor: Bob', '![b](boat.jpg) and [first](../first.md)'),
      {
        slug: 'Grand-Tour',
        author: { '@type': 'Person', name: 'Bob' },
        html: '<p><img src="boat.jpg" alt="b"> and <a href="https://n.example/blog/first">first</a></p>',
        losses: ['slug: has characters that a slug cannot have: it is Grand-Tour'],
        redirects: ['/journal/posts/grand-tour/'],
      },
    ],
    'content/posts/trip/notes.md': [
      post('title: Notes of the trip'),
      {
        status: 'draft',
        losses: ['status: part of a page bundle, without a page of its own: imported as a draft'],
      },
    ],
    'content/posts/trip/boat.jpg': [''],
    'content/notes/Long Note.md': [
      '{ "title": "Long Note", "date": "2024-01-01T00:30:00+01:00", "draft": false }\nx',
      { slug: 'Long-Note', redirects: ['/journal/2024/01/long-note/'] },
    ],
    'content/notes/deep/index.en.md': [
      post('title: Deep\ndate: 2024-01-01'),
      { slug: 'deep', redirects: ['/journal/2024/01/deep/'] },
    ],
    'content/notes/deep/index.fr.md': [
      post('title: Profond\ndate: 2024-01-01', '[deep]({{< ref "deep" >}})'),
      {
        language: 'fr',
        html: '<p><a href="https://n.example/fr/blog/deep-fr">deep</a></p>',
        redirects: ['/journal/fr/2024/01/profond/'],
      },
    ],
    'content/about.md': [
      post('title: About\nurl: /about-us.html\nmenu: main'),
      { slug: 'about-us', losses: ['menu: posts have no such field'], redirects: ['/journal/about-us.html'] },
    ],
    'content/page.html': [
      post('title: Page', '<p>x {{< ref "first" >}}</p>'),
      { html: '<p>x first</p>', redirects: ['/journal/page/'] },
    ],
    'content/org.org': ['#+TITLE: Org', { skipped: 'neither Markdown nor HTML' }],
    'content/held/future.md': [
      post('title: F\ndate: 2024-01-01\npublishDate: 9000-01-01'),
      {
        status: 'draft',
        date: '9000-01-01T00:00:00.000Z',
        losses: [
          'date: its value cannot be read, or another field with that meaning is used',
          'status: dated in the future: imported as a draft',
        ],
        redirects: ['/journal/held/future/'],
      },
    ],
    'content/held/never.md': [
      post('title: N\nbuild: { render: never, list: never }'),
      {
        status: 'draft',
        losses: ['status: the generator builds no page for it: imported as a draft'],
      },
    ],
    'content/held/local.md': [
      post('title: L\n_build: { list: local }'),
      { status: 'draft', losses: ['status: unlisted, which is not supported here: imported as a draft'] },
    ],
  })
})

describe('the content folder of a Hugo project on its own', () => {
  itImports(
    {
      'config.yaml': [
        'uglyURLs: true\nlanguages: { en: {}, de: {} }\ndefaultContentLanguageInSubdir: true\ntimeZone: Europe/Berlin\npermalinks: { days: "/:year/:month/:day/" }',
      ],
      'content/posts/a.md': [post('title: A'), { redirects: ['/en/posts/a.html'] }],
      'content/days/1.md': [
        post('title: D\ndate: 2024-07-01\nlastmod: 2024-01-01T12:00:00\nexpiryDate: 9000-01-01T00:00:00Z'),
        {
          date: '2024-06-30T22:00:00.000Z',
          modified: '2024-01-01T11:00:00.000Z',
          redirects: ['/en/2024/07/01.html'],
        },
      ],
      'content/posts/a.de.md': [
        post('title: A'),
        { language: 'de', sourceSlug: 'a', redirects: ['/de/posts/a.html'] },
      ],
    },
    { dir: 'content' },
  )
})
