/** https://help.obsidian.md/links, https://help.obsidian.md/syntax, https://help.obsidian.md/properties */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const note = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`

describe('a vault of Obsidian', () => {
  itImports(
    {
      '.obsidian/app.json': ['{}'],
      '.obsidian/templates.json': ['{ "folder": "Templates" }'],
      'Home.md': [
        note(
          'aliases: [Start, "The first"]\ntags:\n  - a\n  - b/c\ncssclasses: [wide]\npermalink: start',
          `Links: [[my note]], [[Notes/My note|text]], [[My note#A part]], [[My note#^block]], [[Nowhere]], [by path](Notes/My%20note.md),
[[paper.pdf]] and ![[Paper.pdf]].

![[boat.png]] ![[boat.png|A boat|100]] ![b](Files/boat.png) ![[My note]]

Seen ==marked== %%not *this* nor [[that]]%% here. ^top

%%
Nor this.

# Not a heading
%%

- an item ^item

\`%%code%% ==x==\`

> [!info]- About *it*
> Folded.

> [!faq]
> Why?

> [!NOTE]
> Note.

^table`,
        ),
        {
          slug: 'start',
          title: 'Home',
          tags: ['a', 'b/c'],
          status: 'published',
          html: `<p>Links: <a href="https://n.example/blog/My-note">my note</a>, <a href="https://n.example/blog/My-note">text</a>, <a href="https://n.example/blog/My-note#a-part">My note > A part</a>, <a href="https://n.example/blog/My-note">My note > block</a>, [[Nowhere]], <a href="https://n.example/blog/My-note">by path</a>,
<a href="https://media.example/Files/Deep/Paper.pdf">paper.pdf</a> and <a href="https://media.example/Files/Deep/Paper.pdf">Paper.pdf</a>.</p>
<p><img src="https://media.example/Files/boat.png" alt=""> <img src="https://media.example/Files/boat.png" alt="A boat" width="100"> <img src="https://media.example/Files/boat.png" alt="b"> <a href="https://n.example/blog/My-note">My note</a></p>
<p>Seen <mark>marked</mark>  here.</p>
<ul>
<li>an item</li>
</ul>
<p><code>%%code%% ==x==</code></p>
<aside class="note">
<p><strong>About <em>it</em></strong></p>
<p>Folded.</p>
</aside>
<aside class="note">
<p><strong>Faq</strong></p>
<p>Why?</p>
</aside>
<aside class="note">
<p><strong>Note</strong></p>
<p>Note.</p>
</aside>`,
          losses: [
            'cssclasses: posts have no such field',
            'contentHtml: an embed is replaced by a link: ![[My note]]',
            'contentHtml: an embed is replaced by a link: ![[Paper.pdf]]',
            'contentHtml: a comment is left out: %%not *this* nor [[that]]%%',
            'contentHtml: a comment is left out: %% Nor this. # Not a heading %%',
            'contentHtml: kept as text: [[Nowhere]]',
            'aliases: an alias of a note leads nowhere: Start',
            'aliases: an alias of a note leads nowhere: The first',
          ],
          redirects: ['/start'],
        },
      ],
      'Notes/My note.md': [
        '# My note\n\n## A part\n\nText. ^block\n\n![[boat.png]]',
        {
          slug: 'My-note',
          title: 'My note',
          html: '<h2 id="a-part">A part</h2>\n<p>Text.</p>\n<p><img src="https://media.example/Notes/boat.png" alt=""></p>',
        },
      ],
      'Notes/Other.md': [
        '# Another heading\n\n#tag and [[#Another heading]]\n\n{{title}} stays.',
        {
          title: 'Other',
          html: '<h1 id="another-heading">Another heading</h1>\n<p>#tag and <a href="#another-heading">Another heading</a></p>\n<p>{{title}} stays.</p>',
          losses: ['contentHtml: kept as text: {{title}}'],
        },
      ],
      'Notes/boat.png': [''],
      'Files/boat.png': [''],
      'Files/Deep/Paper.pdf': [''],
      'Public.md': [
        note('publish: true\ndate: 2024-05-06'),
        { date: '2024-05-06T00:00:00.000Z', status: 'published' },
      ],
      'Templates/Day.md': [
        note('tags: [day]\ndate: {{date}}', '# {{title}}'),
        {
          status: 'draft',
          losses: [
            'date: not a date',
            'contentHtml: kept as text: {{title}}',
            'status: a template for new notes: imported as a draft',
          ],
        },
      ],
      'Board.canvas': ['{}'],
      'Trips/Log.md': [
        'See [[Log]], [[North/Log]] and [[South/Log]].',
        {
          slug: 'Log',
          html: '<p>See <a href="https://n.example/blog/Log">Log</a>, <a href="https://n.example/blog/North-Log">North/Log</a> and <a href="https://n.example/blog/South-Log">South/Log</a>.</p>',
        },
      ],
      'Trips/North/Log.md': [
        '[[Log]]',
        {
          slug: 'North-Log',
          html: '<p><a href="https://n.example/blog/North-Log">Log</a></p>',
          losses: ['slug: the slug is taken by another post or guide: Log by Trips/Log.md: it is North-Log'],
        },
      ],
      'Trips/South/Log.md': [
        '[c](../Caf\u00e9.md) [[Caf\u00e9]]',
        {
          html: '<p><a href="https://n.example/blog/Caf%C3%A9">c</a> <a href="https://n.example/blog/Caf%C3%A9">Caf\u00e9</a></p>',
          losses: ['slug: the slug is taken by another post or guide: Log by Trips/Log.md: it is South-Log'],
        },
      ],
      // As some file systems return it.
      'Trips/Cafe\u0301.md': ['x', { slug: 'Caf\u00e9' }],
      'Files/Where.md': ['[[log]]', { html: '<p><a href="https://n.example/blog/Log">log</a></p>' }],
    },
    { flags: ['--media', 'https://media.example'] },
  )
})

describe('a vault that is the content of Hugo', () => {
  itImports(
    {
      'hugo.toml': [''],
      'content/_index.md': [note('cascade: { author: Ada }')],
      'content/.obsidian/app.json': ['{}'],
      'content/posts/A.md': [
        note('title: A\naliases: [old]', '==m== %%not *this*%% {{< relref "b" >}} ![[i.png]]'),
        {
          author: { '@type': 'Person', name: 'Ada' },
          html: '<p><mark>m</mark>  b <img src="https://media.example/pictures/i.png" alt=""></p>',
          losses: ['contentHtml: a comment is left out: %%not *this*%%'],
          redirects: ['/posts/a/', '/posts/old'],
        },
      ],
      'content/posts/b.md': ['# B', { title: 'B', html: '', redirects: ['/posts/b/'] }],
      'content/posts/pictures/i.png': [''],
    },
    { dir: 'content/posts', flags: ['--media', 'https://media.example'] },
  )
})
