/** The content of the test's Ghost: every editor and settings feature, and typical obstacles for importers. */
import type { AdminApi } from './admin-api.ts'
import { CARDS, type Node, paragraph } from './cards.ts'

const REDIRECTS = [
  { from: '/2019/05/hello/', to: '/hello-from-the-pier/', permanent: true },
  { from: '^/shop/?$', to: 'https://shop.pier.example/boats', permanent: true },
  { from: '/gone\\.html', to: '/about-the-pier/', permanent: false },
  { from: '^/archive/(\\d{4})/(.*)$', to: '/$2/', permanent: true },
  { from: '/^\\/loud$/i', to: '/hello-from-the-pier/', permanent: true },
]

type Post = Record<string, unknown> & { title: string }

export async function fill(api: AdminApi, url: string): Promise<void> {
  for (const kind of ['posts', 'pages'] as const)
    for (const { id } of (await api(`${kind}/?limit=all&fields=id`))[kind])
      await api(`${kind}/${id}/`, {}, 'DELETE')
  await importPeople(api)
  const { users } = await api('users/?limit=all')
  const idOf = (name: string) => users.find((user: { name: string }) => user.name === name).id
  await api('settings/', { settings: [{ key: 'timezone', value: 'Europe/Berlin' }] }, 'PUT')
  for (const tag of TAGS) await api('tags/', { tags: [tag] })
  for (const post of posts(url, idOf)) await put(api, 'posts', post)
  for (const page of PAGES) await put(api, 'pages', page)
  const form = new FormData()
  form.set('redirects', new File([JSON.stringify(REDIRECTS)], 'redirects.json', { type: 'application/json' }))
  await api('redirects/upload/', form)
}

const put = (api: AdminApi, kind: 'posts' | 'pages', post: Post) =>
  api(`${kind}/`, { [kind]: [{ status: 'published', ...post }] })

/** Users other than the owner need an invitation or an import. */
async function importPeople(api: AdminApi): Promise<void> {
  const user = (name: string, website: string | null) => ({
    ...{ name, website, slug: name.toLowerCase(), email: `${name.toLowerCase()}@pier.example` },
    ...{ bio: `${name} writes here.`, status: 'active', password: crypto.randomUUID() },
  })
  const users = [user('Bob', 'https://bob.example/'), user('Zoë', null)]
  const file = { db: [{ meta: { version: '5.130.6' }, data: { users } }] }
  const form = new FormData()
  form.set('importfile', new File([JSON.stringify(file)], 'people.json', { type: 'application/json' }))
  await api('db/', form)
}

const TAGS = [
  { name: 'News & Views', slug: 'news', description: 'All that is new', meta_title: 'News of the pier' },
  { name: 'Boats', slug: 'boats', feature_image: 'https://pictures.example/boats.png' },
  { name: 'Ünïcödé 🚤', slug: 'unicode' },
  { name: '#wide' },
]

const lexical = (...children: Node[]) =>
  JSON.stringify({
    root: { children, direction: 'ltr', format: '', indent: 0, type: 'root', version: 1 },
  })

const says = (text: string) => lexical(paragraph(text))

function posts(url: string, idOf: (name: string) => string): Post[] {
  const by = (...names: string[]) => ({ authors: names.map((name) => ({ id: idOf(name) })) })
  const tagged = (...names: string[]) => ({ tags: names.map((name) => ({ name })) })
  return [
    ...Object.entries(CARDS).map(([name, cards]): Post => {
      const children = [paragraph(`Before the ${name}.`), ...cards(url), paragraph(`After the ${name}.`)]
      return { title: `Card: ${name}`, lexical: lexical(...children) }
    }),
    {
      title: 'Hello from the pier',
      lexical: says('It begins.'),
      custom_excerpt: 'In short: it begins & goes on.',
      feature_image: `${url}/content/images/2024/05/pier.png`,
      feature_image_alt: 'A pier in the rain',
      feature_image_caption: '<span>Photo by <a href="https://zoe.example">Zoë</a></span>',
      published_at: '2024-05-06T07:08:09.000Z',
      ...tagged('Boats', 'News & Views', '#wide', 'Ünïcödé 🚤'),
      ...by('Bob', 'Zoë'),
    },
    {
      title: 'With an image of its own',
      lexical: says('The image has a text alone.'),
      feature_image: 'https://pictures.example/a%20b.png?w=2&h=3',
      feature_image_alt: 'A "boat" & an oar',
      ...by('Zoë'),
    },
    {
      title: 'What search engines are told',
      lexical: says('Meta of all kinds.'),
      meta_title: 'Meta & title',
      meta_description: 'A description for search engines',
      og_title: 'Shared title',
      og_description: 'Shared description',
      og_image: `${url}/content/images/og.png`,
      twitter_title: 'Title of a bird',
      twitter_description: 'Description of a bird',
      twitter_image: `${url}/content/images/bird.png`,
      published_at: '2023-01-01T00:00:00.000Z',
    },
    {
      title: 'With a meta title alone',
      lexical: says('No other.'),
      meta_title: 'Meta alone',
      og_image: `${url}/content/images/alone.png`,
    },
    {
      title: 'Canonical on the own domain',
      lexical: says('Canonical.'),
      canonical_url: `${url}/hello-from-the-pier/`,
    },
    { title: 'Canonical as a path', lexical: says('Canonical.'), canonical_url: '/hello-from-the-pier/' },
    {
      title: 'Canonical elsewhere',
      lexical: says('Canonical.'),
      canonical_url: 'https://elsewhere.example/original/',
    },
    {
      title: 'With code of its own',
      lexical: says('Styled.'),
      codeinjection_head: '<style>body { color: teal }</style>',
      codeinjection_foot: '<script>console.log("pier")</script>',
      custom_template: 'custom-wide',
      featured: true,
    },
    { title: 'For members', lexical: says('Not for all: sesame.'), visibility: 'members' },
    { title: 'For paid members', lexical: says('Not for all: sesame.'), visibility: 'paid' },
    {
      title: 'For members from a point on',
      lexical: lexical(paragraph('For all.'), { type: 'paywall', version: 1 }, paragraph('sesame')),
      visibility: 'members',
    },
    {
      title: 'Parts for members',
      lexical: lexical(
        paragraph('For all.'),
        gated('sesame for members', { web: { nonMember: false, memberSegment: 'status:free,status:-free' } }),
        gated('for all on the web', { web: { nonMember: true, memberSegment: '' } }),
        { type: 'email', version: 1, html: '<p>sesame by email</p>' },
        { type: 'email-cta', version: 1, html: '<p>sesame to the free</p>', segment: 'status:free' },
      ),
    },
    {
      title: 'Scheduled',
      lexical: says('Later.'),
      status: 'scheduled',
      published_at: '2099-01-02T03:04:05.000Z',
    },
    { title: 'A draft', lexical: says('Not yet.'), status: 'draft' },
    {
      title: 'A draft with a date',
      lexical: says('Not yet.'),
      status: 'draft',
      published_at: '2022-02-02T02:02:02.000Z',
    },
    { title: 'A rocket 🚀 for Zoë', slug: 'rocket-🚀', lexical: says('Up & away 🚀.') },
    { title: 'Пристань', slug: 'пристань', lexical: says('Длинный день.') },
    { title: '  Spaces and <b>tags</b> & "quotes"  ', lexical: says('Marks.') },
    { title: 'Links', lexical: lexical(links(url)) },
    { title: 'Of the old editor', mobiledoc: MOBILEDOC },
    { title: 'Empty', lexical: says(''), status: 'draft' },
  ]
}

const PAGES: Post[] = [
  {
    title: 'About the pier',
    lexical: says('About us.'),
    custom_excerpt: 'About',
    show_title_and_feature_image: false,
  },
  { title: 'A page for members', lexical: says('sesame'), visibility: 'members' },
  { title: 'A page to come', lexical: says('Not yet.'), status: 'draft' },
]

function gated(text: string, visibility: object): Node {
  const email = { memberSegment: 'status:free,status:-free' }
  return { type: 'html', version: 1, html: `<p>${text}</p>`, visibility: { ...visibility, email } }
}

function links(url: string): Node {
  const link = (address: string, text: string): Node => ({
    ...{ type: 'link', url: address, rel: null, target: null, title: null, version: 1 },
    children: [...(paragraph(text).children ?? []), ...(paragraph(' ').children ?? [])],
  })
  return {
    ...paragraph(''),
    children: [
      link(`${url}/hello-from-the-pier/`, 'to a post'),
      link(`${url}/hello-from-the-pier/?ref=links#part`, 'with a query'),
      link('/about-the-pier/', 'to a page'),
      link(`${url}/tag/boats/`, 'to a tag'),
      link('https://elsewhere.example/', 'elsewhere'),
      link('mailto:ann@pier.example', 'to Ann'),
      link('#portal/signup', 'to sign up'),
    ],
  }
}

const MOBILEDOC = JSON.stringify({
  version: '0.3.1',
  ghostVersion: '4.0',
  markups: [['strong'], ['a', ['href', 'https://elsewhere.example/old']]],
  atoms: [['soft-return', '', {}]],
  cards: [
    ['markdown', { markdown: 'Of *Markdown*, with a [link](https://elsewhere.example/md).' }],
    ['code', { code: 'let a = 1 < 2', language: 'js' }],
    ['hr', {}],
    ['image', { src: 'https://pictures.example/old.png', alt: 'Old', caption: 'From <em>before</em>' }],
  ],
  sections: [
    [1, 'h2', [[0, [], 0, 'An old heading']]],
    [
      1,
      'p',
      [
        [0, [0], 1, 'Strong'],
        [0, [], 0, ' and '],
        [0, [1], 1, 'linked'],
        [1, [], 0, 0],
        [0, [], 0, 'after'],
      ],
    ],
    [3, 'ol', [[[0, [], 0, 'first']], [[0, [], 0, 'second']]]],
    [10, 0],
    [10, 1],
    [10, 2],
    [10, 3],
  ],
})
