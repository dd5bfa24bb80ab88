/** https://docs.logseq.com/#/page/properties */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

describe('a graph of Logseq', () => {
  itImports(
    {
      'logseq/config.edn': ['{}'],
      'pages/one.md': [
        'title:: One\n\n- ## A [[two]] and [[No page]], #[[a b]] [[Gone|as this]]\n  background-color:: yellow\n  id:: 63c9a4a0-1b2c-4d5e-8f90-123456789abc\n- b\n  ```\n  c:: d\n  ```',
        {
          html: '<ul>\n<li>\n<h2 id="a-two-and-no-page-a-b-as-this">A <a href="https://n.example/blog/two">two</a> and No page, #a b as this</h2>\n</li>\n<li>b\n<pre><code>c:: d\n</code></pre>\n</li>\n</ul>',
          losses: ['contentHtml: left out: background-color:: yellow'],
        },
      ],
      'pages/two.md': ['title:: Two\n\n- b', { title: 'Two' }],
    },
    { dir: 'pages' },
  )
})
