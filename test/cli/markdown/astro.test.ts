/** https://docs.astro.build/en/guides/content-collections/, https://docs.astro.build/en/guides/markdown-content/ */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`

describe('collections of Astro', () => {
  itImports(
    {
      'astro.config.mjs': ['export default {}'],
      'src/content.config.ts': ['export const collections = {}'],
      'src/content/authors/ada.json': ['{ "name": "Ada" }'],
      'src/content/blog/first.md': [
        post(
          "title: 'First'\ndescription: 'Of it'\npubDate: 'Jul 08 2022'\nupdatedDate: 'Aug 09 2022'\nheroImage: '../../assets/hero.jpg'\ntags: ['a']",
          '[second](./second.mdx#part) ![b](../../assets/b.png)\n\n:::tip[Know]\nthis\n:::',
        ),
        {
          slug: 'first',
          date: '2022-07-08T00:00:00.000Z',
          modified: '2022-08-09T00:00:00.000Z',
          excerpt: 'Of it',
          tags: ['a'],
          image: '../../assets/hero.jpg',
          status: 'published',
          html: '<p><a href="https://n.example/blog/second#part">second</a> <img src="../../assets/b.png" alt="b"></p>\n<aside class="tip"><p><strong>Know</strong></p><p>this</p></aside>',
        },
      ],
      'src/content/blog/second.mdx': [
        post(
          'title: Second\nimage: { url: /s.png, alt: S }',
          `import Chart from '../../components/Chart.astro'
import b from './b.png'

## Part

{/* not for readers */}

<Chart values={[1, 2]}>In *it*</Chart>

<img src={require('./c.png').default} alt="c" />

<p style={{ color: 'red' }}>red</p>`,
        ),
        {
          image: { '@type': 'ImageObject', url: '/s.png', caption: 'S' },
          html: '<h2 id="part">Part</h2>\n<p>In <em>it</em></p>\n<img src="./c.png" alt="c">\n<p>red</p>',
          losses: ['contentHtml: left out, but its text is kept: <Chart>'],
        },
      ],
      'src/content/blog/nested/deep/third.md': [
        post('title: Third\nslug: own/third'),
        { slug: 'third', losses: ['slug: has characters that a slug cannot have: it is third'] },
      ],
      'src/content/blog/guide.mdoc': [post('title: G'), { skipped: 'neither Markdown nor HTML' }],
    },
    { dir: 'src/content' },
  )
})
