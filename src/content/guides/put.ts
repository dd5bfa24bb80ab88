import { or } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { guides } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type GivenIds, type Put, putArticles } from '../articles/put.ts'
import {
  differs,
  selectPut,
  setContent,
  setFoldedTitle,
  setStates,
  sharedColumns,
} from '../articles/put-sql.ts'
import { deriveText } from '../articles/text.ts'
import { GUIDE, GUIDE_FIELDS, type GuideInput } from './guide.ts'

/** See `putPosts`. @throws AppError invalid_body */
export const putGuides: Put<GuideInput> = (ctx, site, inputs, options = {}) =>
  putArticles(ctx, GUIDE, site, inputs, options, ({ ids }) => ({
    upserts: [upsertGuides(ctx, site, inputs, ids)],
  }))

function upsertGuides(ctx: Context, site: SiteScope, inputs: GuideInput[], ids: GivenIds) {
  const rows = inputs.map((input) => toRow(site, input, ids))
  const states = setStates(guides, inputs)
  return ctx.db
    .insert(guides)
    .select(selectPut(guides, rows))
    .onConflictDoUpdate({
      target: [guides.siteId, guides.slug],
      set: { ...CONTENT, ...setFoldedTitle(guides), ...states },
      setWhere: or(differs(guides, CONTENT), differs(guides, states)),
    })
}

const toRow = (site: SiteScope, input: GuideInput, ids: GivenIds) => ({
  ...input,
  ...deriveText(input),
  ...sharedColumns(site, input, ids),
})

const CONTENT = setContent(guides, GUIDE_FIELDS)
