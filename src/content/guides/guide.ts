import * as z from 'zod/mini'
import { responseSchema } from '../../core/zod.ts'
import { guides } from '../../db/schema.ts'
import { apiShapes, inputOf, listedShapes, readOnlyShapes } from '../articles/field-table.ts'
import type { Kind } from '../articles/kind.ts'
import { articleFields, PARTIAL, pageShape } from '../articles/shared-fields.ts'

export const GUIDE_FIELDS = articleFields(guides)

export const GuideInput = z.strictObject(inputOf(GUIDE_FIELDS))

export type GuideInput = z.infer<typeof GuideInput>

export const Guide = /* @__PURE__ */ responseSchema(() =>
  z.object(apiShapes(GUIDE_FIELDS)).register(z.globalRegistry, { id: 'Guide' }),
)

export type Guide = z.infer<typeof Guide>

export const PartialGuide = /* @__PURE__ */ responseSchema(() => {
  const { id, slug, updatedAt } = Guide.shape
  return z
    .extend(z.partial(Guide), { id, slug, updatedAt })
    .register(z.globalRegistry, { id: 'PartialGuide', description: PARTIAL })
})

export const GuideList = /* @__PURE__ */ responseSchema(() =>
  z.object({ items: z.array(Guide), ...pageShape }).register(z.globalRegistry, { id: 'GuideList' }),
)

export const ListedGuide = /* @__PURE__ */ responseSchema(() =>
  z
    .object({ id: z.uuid(), ...listedShapes(GUIDE_FIELDS), updatedAt: z.iso.datetime() })
    .register(z.globalRegistry, { id: 'ListedGuide' }),
)

export const StoredGuide = /* @__PURE__ */ responseSchema(() =>
  z
    .object({
      id: z.uuid(),
      updatedAt: z.iso.datetime(),
      ...readOnlyShapes(GUIDE_FIELDS),
      guide: GuideInput.check(
        z.meta({ id: 'GuideBody', description: 'The body that puts the same guide again' }),
      ),
    })
    .register(z.globalRegistry, { id: 'StoredGuide' }),
)

export const GUIDE: Kind = {
  noun: 'guide',
  missing: 'guide_not_found',
  table: guides,
  fields: GUIDE_FIELDS,
}
