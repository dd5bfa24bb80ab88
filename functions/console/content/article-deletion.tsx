import { deleteArticle } from '../../../src/content/articles/transitions.ts'
import type { ArticleKind } from '../../../src/content/model/article-filters.ts'
import { createApp, type Http } from '../../http/env.ts'
import { Confirm } from '../actions/confirm.tsx'
import { redirectDone } from '../actions/done.tsx'
import { itemPath, parentList } from '../parent-list.ts'
import { KINDS } from './article.tsx'

export function articleDeletion(
  kind: ArticleKind,
  find: (c: Http, slug: string) => Promise<{ title: string }>,
) {
  const path = `/content/${kind}/:slug` as const
  const { noun, list, article } = KINDS[kind]
  const app = createApp()

  app.get(`${path}/deletion`, async (c) => {
    const slug = c.req.param('slug')
    const { title } = await find(c, slug)
    return c.render(
      <Confirm
        title={`Delete the ${noun} “{name}”?`}
        name={title}
        needs="editor"
        submit={`Delete ${noun}`}
        cancel={itemPath(kind, slug)}
      >
        <p>
          From the next request, the API returns 404 for <code>{slug}</code>, and the change feed reports the
          deletion. {kind === 'posts' && 'Translations stay as separate posts. '}
          This cannot be undone.
        </p>
      </Confirm>,
      { tab: 'Content', title: `Delete ${title}`, isNarrow: true },
    )
  })

  app.post(`${path}/deletion`, async (c) => {
    await deleteArticle(c.get('ctx'), article, c.get('site'), c.req.param('slug'))
    return redirectDone(c, parentList(c, list), kind, 'deleted')
  })

  return app
}
