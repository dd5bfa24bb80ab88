/** https://hexo.io/docs/front-matter, https://hexo.io/docs/tag-plugins, https://hexo.io/docs/permalinks */
import { describe } from 'vitest'
import { itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`

describe('a site of Hexo', () => {
  itImports({
    '_config.yml': ['title: A blog\nroot: /b/\ntimezone: UTC\npermalink: :year/:month/:day/:title/'],
    'package.json': ['{"dependencies":{"hexo":"^7.3.0"}}'],
    'README.md': ['Read me.'],
    'themes/x/README.md': ['Read me.'],
    'themes/x/page.md': ['Of the theme.'],
    'source/_posts/photo.md': [
      post(
        'title: Photo of "it"\ndate: 2021-03-01 00:30:00',
        `{% asset_img boat.png "A boat" %}

{% asset_img wide /img/x.png 300 200 "Title 'Alt text'" %}

{% codeblock Array.map lang:js https://mdn.example/ MDN %}
const a = 1 < 2 // {% raw %}
{% endcodeblock %}

{% blockquote Ada, Notes https://a.example/ Her notes %}
A *quote*.
{% endblockquote %}

{% youtube abc_1 %}

{% gist 123 %}

{% link Text https://l.example/ %} {% unknown a %} {% asset_path f.zip %}`,
      ),
      {
        slug: 'photo',
        date: '2021-03-01T00:30:00.000Z',
        html: `<img src="photo/boat.png" alt="A boat">
<img src="/img/x.png" alt="Alt text" width="300" height="200" title="Title">
<p>Array.map <a href="https://mdn.example/">MDN</a></p>
<pre><code class="language-js">const a = 1 &lt; 2 // {% raw %}
</code></pre>
<blockquote>
<p>A <em>quote</em>.</p>
<footer>Ada, Notes <a href="https://a.example/">Her notes</a></footer>
</blockquote>
<p><a href="https://www.youtube.com/watch?v=abc_1">https://www.youtube.com/watch?v=abc_1</a></p>
<p><a href="https://gist.github.com/123">https://gist.github.com/123</a></p>
<p><a href="https://l.example/">Text</a>  photo/f.zip</p>`,
        losses: [
          'contentHtml: the embed of www.youtube.com becomes a link: https://www.youtube.com/watch?v=abc_1',
          'contentHtml: left out, but its text is kept: {% unknown %}',
        ],
        redirects: ['/b/2021/03/01/photo/'],
      },
    ],
    'source/_posts/no-open.md': [
      `title: No opening line
date: 2020-09-29 23:00:00
tags:
- one two
categories:
- [a, b]
---
See {% post_link photo %}, {% post_link photo "the photo" %} and [it](/b/2021/03/01/photo/).`,
      {
        title: 'No opening line',
        tags: ['one two'],
        section: ['a', 'b'],
        html: `<p>See <a href="https://n.example/blog/photo">Photo of "it"</a>, <a href="https://n.example/blog/photo">the photo</a> and <a href="https://n.example/blog/photo">it</a>.</p>`,
        redirects: ['/b/2020/09/29/no-open/'],
      },
    ],
    'source/about/index.md': [post('title: About'), { slug: 'about', redirects: ['/b/about/'] }],
  })
})

describe('a site of Zola', () => {
  itImports({
    'config.toml': [
      'base_url = "https://old.example.com/z"\ncompile_sass = true\n[markdown]\nhighlight_code = true',
    ],
    'content/docs/_index.md': [
      '+++\ntitle = "Docs"\n+++\n',
      { skipped: 'a section page of Hugo, not a post' },
    ],
    'content/docs/2020-01-02-two.md': [
      '+++\ntitle = "Two"\naliases = ["old/two.html"]\n+++\n## Part',
      { slug: 'two', redirects: ['/z/docs/two/', '/z/old/two.html'] },
    ],
    'content/docs/one.md': [
      `+++
title = "One"
date = 2020-01-02
[taxonomies]
tags = ["a"]
[extra]
subtitle = "S"
+++
See [two](@/docs/2020-01-02-two.md#part), [the section](@/docs/_index.md) and [by address](/z/docs/two/).

{{ youtube(id="abc", autoplay=true) }}

{{ note(text="x") }}

{% quote(author="Ada") %}
Said.
{% end %}`,
      {
        slug: 'one',
        tags: ['a'],
        html: `<p>See <a href="https://n.example/blog/two#part">two</a>, <a href="@/docs/_index.md">the section</a> and <a href="https://n.example/blog/two">by address</a>.</p>
<p><a href="https://www.youtube.com/watch?v=abc">https://www.youtube.com/watch?v=abc</a></p>
<p>{{ note(text="x") }}</p>
<p>Said.</p>`,
        losses: [
          'extra.subtitle: posts have no such field',
          'contentHtml: the embed of www.youtube.com becomes a link: https://www.youtube.com/watch?v=abc',
          'contentHtml: left out, but its text is kept: {% quote %}',
          'contentHtml: kept as text: {{ note(text="x") }}',
          'contentHtml: a link leads to no post or guide of this import: @/docs/_index.md',
        ],
        redirects: ['/z/docs/one/'],
      },
    ],
  })
})
