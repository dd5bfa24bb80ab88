import { or } from 'drizzle-orm'
import type { Context } from '../../context.ts'
import { guides } from '../../db/schema.ts'
import type { SiteScope } from '../../db/site-scope.ts'
import { type PutOptions, type PutResults, writePut } from '../articles/put.ts'
import { checkInputs, checkStored, type KeptIds } from '../articles/put-checks.ts'
import {
  differs,
  selectPut,
  setContent,
  setFoldedTitle,
  setStates,
  sharedColumns,
} from '../articles/put-sql.ts'
import { stateColumns } from '../articles/state-change.ts'
import { deriveText } from '../articles/text.ts'
import { GUIDE_FIELDS } from './fields.ts'
import { GUIDE, type GuideInput } from './guide.ts'

/** See `putPosts`. @throws AppError invalid_body */
export async function putGuides(
  ctx: Context,
  site: SiteScope,
  inputs: GuideInput[],
  {
    where = (index) => `guides[${index}].`,
    ids,
    events,
    before = [],
    after = [],
    isRenamed = false,
  }: PutOptions = {},
): Promise<PutResults> {
  const keptIds = checkInputs(ctx, inputs, where, ids)
  return writePut(ctx, GUIDE, site, {
    inputs,
    where,
    events,
    before: [...checkStored(GUIDE, site, inputs, keptIds), ...before],
    upserts: [upsertGuides(ctx, site, inputs, keptIds)],
    after,
    isRenamed,
  })
}

function upsertGuides(ctx: Context, site: SiteScope, inputs: GuideInput[], ids: KeptIds) {
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
    .returning(stateColumns(guides))
}

const toRow = (site: SiteScope, input: GuideInput, ids: KeptIds) => ({
  ...input,
  ...deriveText(input),
  ...sharedColumns(site, input, ids),
})

const CONTENT = setContent(guides, GUIDE_FIELDS)
