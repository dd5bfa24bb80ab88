/** https://jekyllrb.com/docs/posts/, https://kramdown.gettalong.org/syntax.html, https://github.com/jekyll/jekyll-redirect-from */
import { describe, expect, it } from 'vitest'
import { type Files, itImports } from './support/styles.ts'

const post = (fields: string, body = 'x') => `---\n${fields}\n---\n${body}`
const HIDDEN = 'status: its name or folder begins with "_", so it has no page: imported as a draft'

describe('a site of Jekyll', () => {
  const { otherRedirects } = itImports({
    '_config.yml': [
      `baseurl: /site
timezone: America/New_York
collections:
  recipes: { output: true, permalink: "/cook/:title/" }
  staff: {}
defaults:
  - scope: { path: "", type: posts }
    values: { layout: post, author: Ada }
  - scope: { path: "_posts/hidden" }
    values: { published: false }`,
    ],
    '_includes/note.md': [post('title: Note')],
    '_layouts/post.html': [post('layout: default')],
    '_data/people.yml': ['- name: Ada'],
    '_posts/2020-01-02-hello-world.md': [
      post(
        'title: Hello\ncategories: News Code\ntags: one two\nredirect_from:\n  - old/hello\n  - /older/\nlayout: post',
        `* TOC
{:toc}

## Part {#part}

[two]({{ site.baseurl }}{% post_url 2020-02-03-two %}), [about]({% link about.md %}),
![b]({{ "/assets/b.png" | relative_url }}) and [its address](/x/2020/02/04/two.html).
{: .intro }

{% highlight ruby %}
puts "{{ x }}"
{% endhighlight %}

{% include note.html %}{% raw %}{{ raw }}{% endraw %}`,
      ),
      {
        slug: 'hello-world',
        title: 'Hello',
        date: '2020-01-02T05:00:00.000Z',
        tags: ['one', 'two'],
        section: ['News', 'Code'],
        author: { '@type': 'Person', name: 'Ada' },
        status: 'published',
        html: `<h2 id="part">Part</h2>
<p><a href="https://n.example/blog/two">two</a>, <a href="https://n.example/blog/about">about</a>,
<img src="/assets/b.png" alt="b"> and <a href="https://n.example/blog/two">its address</a>.</p>
<pre><code class="language-ruby">puts "{{ x }}"
</code></pre>
<p>{{ raw }}</p>`,
        losses: [
          'layout: posts have no such field',
          'contentHtml: left out: {:toc}',
          'contentHtml: left out: {: .intro }',
          'contentHtml: left out, but its text is kept: {% include %}',
        ],
        redirects: ['/site/news/code/2020/01/02/hello-world.html', '/site/old/hello', '/site/older/'],
      },
    ],
    '_posts/2020-02-03-two.markdown': [
      post('title: Two\ndate: 2020-02-04 23:30:00 -0500\nauthor: Bob\ncategory: x'),
      {
        slug: 'two',
        date: '2020-02-05T04:30:00.000Z',
        author: { '@type': 'Person', name: 'Bob' },
        section: 'x',
        redirects: ['/site/x/2020/02/04/two.html'],
      },
    ],
    'travel/_posts/2020-04-04-trip.html': [
      post('title: Trip\ncategories: [sea]', '<p>{{ page.title }}</p>'),
      {
        section: ['travel', 'sea'],
        html: '<p>{{ page.title }}</p>',
        losses: ['contentHtml: kept as text: {{ page.title }}'],
        redirects: ['/site/travel/sea/2020/04/04/trip.html'],
      },
    ],
    '_posts/hidden/2020-05-05-secret.md': [
      post('title: Secret'),
      { status: 'draft', losses: ['status: marked as a draft: imported as a draft'] },
    ],
    '_posts/2020-07-07-noon.md': [
      post('title: "Noon of {{ site.title }}"\ndate: 2020-07-07 12:00'),
      {
        date: '2020-07-07T16:00:00.000Z',
        losses: ['title: kept as text: {{ site.title }}'],
        redirects: ['/site/2020/07/07/noon.html'],
      },
    ],
    '_posts/2020-07-07-utc.md': [
      post('title: UTC\ndate: 2020-07-07 12:00:00'),
      { date: '2020-07-07T12:00:00.000Z', redirects: ['/site/2020/07/07/utc.html'] },
    ],
    'index.html': [
      post(
        'title: Home\nlayout: home',
        '<ul>{% for post in site.posts %}<li><a href="{{ post.url }}">{{ post.title }}</a> of {{ post.date }}</li>{% endfor %}</ul>',
      ),
      { skipped: 'only Liquid or a layout, not a post' },
    ],
    'archive.md': [post('layout: archive', ''), { skipped: 'only Liquid or a layout, not a post' }],
    '_posts/2020-08-08-gallery.md': [
      post('title: Gallery', '{% include gallery.html %}'),
      {
        html: '',
        losses: ['contentHtml: left out, but its text is kept: {% include %}'],
        redirects: ['/site/2020/08/08/gallery.html'],
      },
    ],
    '_recipes/soup.md': [post('title: Soup'), { slug: 'soup', redirects: ['/site/cook/soup/'] }],
    '_staff/ada.md': [post('title: Ada'), { status: 'draft', losses: [HIDDEN] }],
    '_notes/n.md': [post('title: N'), { status: 'draft', losses: [HIDDEN] }],
    'about.md': [post('title: About'), { slug: 'about', redirects: ['/site/about.html'] }],
    'team/index.html': [post('title: Team', '<p>We</p>'), { slug: 'team', redirects: ['/site/team/'] }],
    'contact.md': [
      post('title: C\npermalink: /write-us/'),
      { slug: 'write-us', redirects: ['/site/write-us/'] },
    ],
    'moved.md': [
      post('title: M\npermalink: /m/\nredirect_to: https://other.example/m'),
      { lost: 'redirect_to: a page that only redirects becomes a redirect: https://other.example/m' },
    ],
    'feed.liquid': [post('layout: none'), { skipped: 'neither Markdown nor HTML' }],
  })

  it('has redirects from pages that only redirect', () => {
    expect(otherRedirects()).toEqual(['/site/m/ https://other.example/m'])
  })
})

describe('dates of Jekyll', () => {
  const NO_DATE = (date: string) => [`date: not a date: ${date}`]
  const dated = (date: string, publishedAt: string, losses: string[] = []): Files[string] => [
    post(`title: T\ndate: ${date}`),
    { date: publishedAt, status: 'published', losses },
  ]
  // As Ruby 3's `Time.parse` reads them with TZ=America/New_York, except for the last four.
  itImports({
    '_config.yml': ['timezone: America/New_York\npermalink: /blog/:title'],
    '_posts/2019-01-01-a.md': dated('2020-01-02 15:04', '2020-01-02T20:04:00.000Z'),
    '_posts/2019-01-01-b.md': dated('2020-01-02 03:04 PM', '2020-01-02T20:04:00.000Z'),
    '_posts/2019-01-01-c.md': dated('2020-01-02 3pm', '2020-01-02T20:00:00.000Z'),
    '_posts/2019-01-01-d.md': dated('2020-01-02 12:04:05 am', '2020-01-02T05:04:05.000Z'),
    '_posts/2019-01-01-e.md': dated('2020/1/2 15:04', '2020-01-02T20:04:00.000Z'),
    '_posts/2019-01-01-f.md': dated('2020.01.02', '2020-01-02T05:00:00.000Z'),
    '_posts/2019-01-01-g.md': dated('20200102', '2020-01-02T05:00:00.000Z'),
    '_posts/2019-01-01-h.md': dated('20200102T150405Z', '2020-01-02T15:04:05.000Z'),
    '_posts/2019-01-01-i.md': dated('2-Jan-2020', '2020-01-02T05:00:00.000Z'),
    '_posts/2019-01-01-j.md': dated('January 2nd, 2020 at 3:04pm', '2020-01-02T20:04:00.000Z'),
    '_posts/2019-01-01-k.md': dated('Thu Jan  2 15:04:05 PST 2020', '2020-01-02T23:04:05.000Z'),
    '_posts/2019-01-01-l.md': dated('Thu, 02 Jan 2020 15:04:05 +0100', '2020-01-02T14:04:05.000Z'),
    '_posts/2019-01-01-m.md': dated('01/02/2020', '2020-02-01T05:00:00.000Z'),
    '_posts/2019-01-01-n.md': dated('2020-01-02 15:04:05 PST', '2020-01-02T23:04:05.000Z'),
    '_posts/2019-01-01-o.md': dated('2020-01-02 15:04:05 CET', '2020-01-02T20:04:05.000Z'),
    '_posts/2019-01-01-p.md': dated('2020-01-02 15:04:05 -08', '2020-01-02T23:04:05.000Z'),
    '_posts/2019-01-01-q.md': dated('2020-01-02 15:04:05 (UTC)', '2020-01-02T15:04:05.000Z'),
    '_posts/2019-01-01-r.md': dated('Thursday 2020-01-02', '2020-01-02T05:00:00.000Z'),
    '_posts/2019-01-01-s.md': dated('2020-01-02, 15:04 -0500 EST', '2020-01-02T20:04:00.000Z'),
    '_posts/2023-01-29-t.md': dated(
      '2023-01-29 18:30:22 2023 -0800',
      '2023-01-29T05:00:00.000Z',
      NO_DATE('2023-01-29 18:30:22 2023 -0800'),
    ),
    '_posts/2019-01-01-u.md': dated('02/13/2020', '2019-01-01T05:00:00.000Z', NO_DATE('02/13/2020')),
    '_posts/2019-01-01-v.md': dated('soon', '2019-01-01T05:00:00.000Z', NO_DATE('soon')),
    'about.md': [
      post('title: T\ndate: soon'),
      {
        date: undefined,
        status: 'draft',
        losses: [...NO_DATE('soon'), 'status: its date cannot be read: imported as a draft'],
        redirects: ['/about.html'],
      },
    ],
  })
})
